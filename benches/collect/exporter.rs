//! The exporter, in a process of its own on a core of its own.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;
use wait4::Wait4;

use crate::config::Config;
use crate::portal::{KEY, KEY_VARIABLE, Portal};

/// The core that the exporter runs on.
const CORE: &str = "0";

/// By then it listens.
const STARTED: Duration = Duration::from_secs(10);

/// What a process used.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// Processor time, user and system.
    pub processor: Duration,
    /// Most resident memory, in bytes.
    pub peak_bytes: u64,
}

/// Reads every folder once; returns what that took and which samples came of it.
pub fn scan(portal: &Portal, config: &Config) -> Result<(Cost, Samples)> {
    let place = Place::new(portal, config)?;
    let mut process = place
        .command(&["scan", "--output", "prometheus", "--log.level", "warn"])
        .spawn()
        .context("cannot start taskset")?;
    let mut output = String::new();
    if let Some(mut stdout) = process.stdout.take() {
        stdout.read_to_string(&mut output)?;
    }
    let used = process.wait4()?;
    ensure!(used.status.success(), "the scan failed: {}", used.status);
    let cost = Cost {
        processor: used.rusage.utime + used.rusage.stime,
        peak_bytes: used.rusage.maxrss,
    };
    Ok((cost, Samples(output)))
}

/// An exporter that collects on schedule. It ends when this is dropped.
pub struct Exporter {
    process: Child,
    metrics: String,
    http: reqwest::Client,
    _place: Place,
}

impl Exporter {
    /// Starts it, and waits until it listens.
    pub fn start(portal: &Portal, config: &Config) -> Result<Self> {
        let place = Place::new(portal, config)?;
        let mut process = place
            .command(&["run", "--web.listen-address", "127.0.0.1:0"])
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start taskset")?;
        let log = process.stderr.take().context("the exporter has no log")?;
        let address = listening(log)?;
        Ok(Self {
            process,
            metrics: format!("http://{address}/metrics"),
            http: reqwest::Client::builder().no_proxy().build()?,
            _place: place,
        })
    }

    /// What `/metrics` says now.
    pub async fn metrics(&self) -> Result<Samples> {
        let response = self.http.get(&self.metrics).send().await?;
        Ok(Samples(response.error_for_status()?.text().await?))
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
struct Place {
    folder: TempDir,
    config: PathBuf,
}

impl Place {
    fn new(portal: &Portal, config: &Config) -> Result<Self> {
        let folder = tempfile::tempdir().context("no temporary folder can be made")?;
        let file = folder.path().join("config.yml");
        let text = config.file(portal, folder.path()).to_string();
        fs::write(&file, text).context("cannot write the configuration")?;
        Ok(Self {
            folder,
            config: file,
        })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("taskset");
        command
            .args(["-c", CORE, env!("CARGO_BIN_EXE_kb-exporter")])
            .args(arguments)
            .arg("--config.file")
            .arg(&self.config)
            .current_dir(self.folder.path())
            .env(KEY_VARIABLE, KEY)
            .stdout(Stdio::piped());
        command
    }
}

/// An exposition.
pub struct Samples(String);

impl Samples {
    /// The labels and values of the samples of a name whose labels hold a text; values that are no whole numbers are left out.
    pub fn of<'a>(
        &'a self,
        name: &'a str,
        holding: &'a str,
    ) -> impl Iterator<Item = (&'a str, u64)> {
        self.0.lines().filter_map(move |line| {
            let rest = line.strip_prefix(name)?.strip_prefix('{')?;
            let (labels, value) = rest.rsplit_once("} ")?;
            let value = value.parse().ok()?;
            labels.contains(holding).then_some((labels, value))
        })
    }
}
