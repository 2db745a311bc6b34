//! Programs that read the portal, and what the kernel says they used.

use std::env;
use std::ffi::OsString;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use uuid::Uuid;

use crate::bare_client::read_pages;
use crate::exporter::{CORE, Place};
use crate::pages::PAGE_ROWS;
use crate::portal::{KEY, KEY_VARIABLE, Portal};
use crate::run::{Cost, run};
use crate::{BARE_CLIENT, CONCURRENCY, FILES};

/// A program that counts the files of the portal and prints samples of `kb_folder_files`.
pub struct Task {
    /// Its name in the table.
    pub name: &'static str,
    command: Command,
    /// Whether it prints what it counted.
    counts: bool,
    _place: Option<Place>,
}

impl Task {
    /// This crate's own program, with a configuration that never makes it wait.
    pub fn scan(portal: &Portal) -> Result<Self> {
        let place = Place::new(|_| {
            json!({
                "portals": [{"name": "bench", "base_url": portal.url, "api_key_env": KEY_VARIABLE}],
                "collect": {"strategy": "full", "concurrency": CONCURRENCY, "max_requests_per_second": 100_000},
            })
        })?;
        Ok(Self {
            name: "kb-exporter scan",
            command: place.command(&["scan", "--output", "prometheus", "--log.level", "warn"]),
            counts: true,
            _place: Some(place),
        })
    }

    /// The same scan in Python.
    pub fn baseline(portal: &Portal, python: OsString) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/baseline/full_scan.py");
        let mut command = Command::new("taskset");
        command.args(["-c", CORE]).arg(python).arg(script);
        command.arg(CONCURRENCY.to_string());
        command.env("KB_BASE_URL", &portal.url);
        command.env(KEY_VARIABLE, KEY);
        Self {
            name: "full_scan.py",
            command,
            counts: true,
            _place: None,
        }
    }

    /// This program as the client that does nothing with what it reads.
    pub fn bare_client(portal: &Portal, folder: Uuid) -> Result<Self> {
        let mut command = Command::new("taskset");
        command.args(["-c", CORE]).arg(env::current_exe()?);
        command.arg("--bench");
        command.env("KB_BASE_URL", &portal.url);
        command.env(BARE_CLIENT, folder.to_string());
        Ok(Self {
            name: "bare client",
            command,
            counts: false,
            _place: None,
        })
    }

    /// Runs the program to its end, which must be a good one.
    pub fn run(&mut self) -> Result<Cost> {
        let (output, used) = run(&mut self.command)?;
        let (name, counted) = (self.name, files(&output));
        ensure!(
            !self.counts || counted == FILES,
            "{name} counted {counted} files"
        );
        Ok(used)
    }
}

/// Reads the folder of this name as a task of [`Task::bare_client`].
pub fn read_as_bare_client(folder: &str) -> Result<()> {
    let url = env::var("KB_BASE_URL").context("the portal is not named")?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let pages = u64::from(FILES / PAGE_ROWS);
    runtime.block_on(read_pages(&url, folder.parse()?, pages, CONCURRENCY))
}

/// The sum of all samples of `kb_folder_files`.
fn files(samples: &str) -> u32 {
    let lines = samples.lines();
    let samples = lines.filter(|line| line.starts_with("kb_folder_files{"));
    let values = samples.filter_map(|line| line.rsplit(' ').next()?.parse::<u32>().ok());
    values.sum()
}
