//! The exporter, in a process of its own on a core of its own.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use kb_exposition::Exposition;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::portal::{KEY, KEY_VARIABLE, Portal};

const CORE: &str = "0";

/// What the packages and the image set.
const ALLOCATOR: [(&str, &str); 3] = [
    ("MALLOC_ARENA_MAX", "1"),
    ("MALLOC_MMAP_THRESHOLD_", "131072"),
    ("MALLOC_TRIM_THRESHOLD_", "131072"),
];

/// By then it listens.
const STARTED: Duration = Duration::from_secs(10);

/// How the exporter collects.
pub struct Config {
    pub strategy: &'static str,
    pub concurrency: usize,
    /// Requests per second.
    pub rate: u32,
    /// Seconds from one collection to the next.
    pub every: u64,
    /// Seconds until a quiet folder is read again.
    pub quiet_every: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            strategy: "full",
            concurrency: 8,
            rate: 100_000,
            every: 1,
            quiet_every: 300,
        }
    }
}

impl Config {
    /// The file, for a portal and with the state in a folder. JSON is YAML as well.
    pub fn file(&self, portal: &Portal, folder: &Path) -> Value {
        json!({
            "portals": [{"name": "bench", "base_url": portal.url, "api_key_env": KEY_VARIABLE}],
            "collect": {
                "strategy": self.strategy,
                "concurrency": self.concurrency,
                "max_requests_per_second": self.rate,
                "schedule": format!("{}s", self.every),
                "jitter": "0s",
                "quiet_every": format!("{}s", self.quiet_every),
                "max_pages_per_folder": 2_000_000,
                "max_folders": 1_000_000,
            },
            "state": {"path": folder.join("state")},
        })
    }
}

/// An exporter that collects on schedule. It ends when this is dropped.
pub struct Exporter {
    process: Child,
    metrics: String,
    _place: Place,
}

impl Exporter {
    /// Starts it with a configuration, and waits until it listens. The configuration is made for the folder that holds it.
    pub fn start(config: impl FnOnce(&Path) -> Value) -> Result<Self> {
        let place = Place::new(config)?;
        let mut process = place
            .command(&["run", "--web.listen-address", "127.0.0.1:0"])
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

    /// What it shows now, with or without gzip.
    pub async fn scrape(&self, gzip: bool) -> Result<String> {
        kb_exporter::tls::install_provider();
        let http = reqwest::Client::builder().no_proxy().gzip(gzip).build()?;
        let response = http.get(&self.metrics).send().await?;
        Ok(response.error_for_status()?.text().await?)
    }

    pub async fn metrics(&self) -> Result<Exposition> {
        let text = self.scrape(false).await?;
        Exposition::parse(&text).map_err(anyhow::Error::msg)
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
pub struct Place(TempDir);

impl Place {
    /// Writes a configuration into a new folder, which is removed in the end.
    pub fn new(config: impl FnOnce(&Path) -> Value) -> Result<Self> {
        let folder = tempfile::tempdir().context("no temporary folder can be made")?;
        let file = folder.path().join("config.yml");
        fs::write(file, config(folder.path()).to_string())
            .context("cannot write the configuration")?;
        Ok(Self(folder))
    }

    /// The program with that configuration.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("taskset");
        command
            .args(["-c", CORE, env!("CARGO_BIN_EXE_kb-exporter")])
            .args(arguments)
            .arg("--config.file=config.yml")
            .current_dir(self.0.path())
            .env(KEY_VARIABLE, KEY)
            .envs(ALLOCATOR);
        command
    }
}
