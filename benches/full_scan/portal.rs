//! A simulated portal in a process of its own, on a core of its own.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStderr, Command, Stdio};

use anyhow::{Context, Result};

use crate::FILES;

/// The core that the portal runs on.
const CORE: &str = "1";

/// The key that the portal accepts.
pub const KEY: &str = "kbk_bench";

/// A portal with one folder, in which nothing moves. It ends when this is dropped.
pub struct Portal {
    process: Child,
    /// Where the portal writes its log; it must stay open.
    _log: BufReader<ChildStderr>,
    /// Its base URL.
    pub url: String,
}

impl Portal {
    /// Starts the portal, and waits until it listens.
    pub fn start() -> Result<Self> {
        let mut process = Command::new("taskset")
            .args(["-c", CORE, env!("CARGO_BIN_EXE_kb-exporter"), "portal"])
            .args(["--portal.listen-address", "127.0.0.1:0"])
            .args(["--portal.folders", "1", "--portal.speed", "0"])
            .args(["--portal.files", &FILES.to_string(), "--portal.key", KEY])
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start the portal; is taskset there?")?;
        let log = process.stderr.take().context("the portal has no log")?;
        let mut log = BufReader::new(log);
        let mut line = String::new();
        log.read_line(&mut line)?;
        let (_, address) = line
            .trim_end()
            .rsplit_once("address=")
            .with_context(|| format!("the portal does not say where it listens: {line}"))?;
        Ok(Self {
            process,
            _log: log,
            url: format!("http://{address}"),
        })
    }
}

impl Drop for Portal {
    fn drop(&mut self) {
        // There is nobody to tell: the benchmark is at its end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
