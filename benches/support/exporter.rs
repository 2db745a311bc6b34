//! The exporter, in a process of its own on a core of its own.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;
use tempfile::TempDir;

use crate::portal::{KEY, KEY_VARIABLE};

/// The core that the exporter runs on.
pub const CORE: &str = "0";

/// What the packages and the image set.
const ALLOCATOR: [(&str, &str); 3] = [
    ("MALLOC_ARENA_MAX", "1"),
    ("MALLOC_MMAP_THRESHOLD_", "131072"),
    ("MALLOC_TRIM_THRESHOLD_", "131072"),
];

/// By then it listens.
const STARTED: Duration = Duration::from_secs(10);

/// An exporter that collects on schedule. It ends when this is dropped.
pub struct Exporter {
    /// The process.
    pub process: Child,
    /// The address of its metrics.
    pub metrics: String,
    _place: Place,
}

impl Exporter {
    /// Starts it with a configuration and further arguments, and waits until it listens. The configuration is made for the folder that
    /// holds it.
    pub fn start(config: impl FnOnce(&Path) -> Value, arguments: &[&str]) -> Result<Self> {
        let place = Place::new(config)?;
        let mut process = place
            .command(&["run", "--web.listen-address", "127.0.0.1:0"])
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start taskset")?;
        let log = process.stderr.take().context("the exporter has no log")?;
        let address = listening(log)?;
        Ok(Self {
            process,
            metrics: format!("http://{address}/metrics"),
            _place: place,
        })
    }
}

impl Drop for Exporter {
    fn drop(&mut self) {
        // A failure has no consequence: everything was measured.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The address in the log. The rest of the log is read as well, so that it never fills the pipe.
fn listening(log: impl Read + Send + 'static) -> Result<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(log).lines().map_while(Result::ok) {
            if let Some((_, fields)) = line.split_once("msg=listening address=") {
                let address = fields.split(' ').next().unwrap_or_default();
                // The receiver is gone after the first one.
                let _ = sender.send(address.to_owned());
            }
        }
    });
    receiver
        .recv_timeout(STARTED)
        .context("the exporter does not listen")
}

/// Where an exporter keeps its configuration and its state.
pub struct Place {
    folder: TempDir,
    config: PathBuf,
}

impl Place {
    /// Writes a configuration into a new folder, which is removed in the end.
    pub fn new(config: impl FnOnce(&Path) -> Value) -> Result<Self> {
        let folder = tempfile::tempdir().context("no temporary folder can be made")?;
        let file = folder.path().join("config.yml");
        fs::write(&file, config(folder.path()).to_string())
            .context("cannot write the configuration")?;
        Ok(Self {
            folder,
            config: file,
        })
    }

    /// The program with that configuration.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("taskset");
        command
            .args(["-c", CORE, env!("CARGO_BIN_EXE_kb-exporter")])
            .args(arguments)
            .arg("--config.file")
            .arg(&self.config)
            .current_dir(self.folder.path())
            .env(KEY_VARIABLE, KEY)
            .envs(ALLOCATOR);
        command
    }
}
