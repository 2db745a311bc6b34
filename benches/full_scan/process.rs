//! Programs that read the portal, and what the kernel says they used.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::portal::{KEY, Portal};
use crate::run::run;
use crate::table::Cost;
use crate::{CONCURRENCY, FILES};

/// The core that the programs run on.
const CORE: &str = "0";

/// The environment variable that holds the key.
const KEY_VARIABLE: &str = "KB_API_KEY";

/// A program that counts the files of the portal and prints samples of `kb_folder_files`.
pub struct Task {
    /// Its name in the table.
    pub name: &'static str,
    arguments: Vec<OsString>,
    url: String,
}

impl Task {
    /// This crate's own program, with a configuration that never makes it wait.
    pub fn scan(portal: &Portal, folder: &Path) -> Result<Self> {
        let config = folder.join("config.yml");
        let text = format!(
            "portals:\n  - {{name: bench, base_url: '{}', api_key_env: {KEY_VARIABLE}}}\n\
             collect: {{strategy: full, concurrency: {CONCURRENCY}, max_requests_per_second: 100000}}\n",
            portal.url
        );
        fs::write(&config, text).context("cannot write the configuration")?;
        let program = env!("CARGO_BIN_EXE_kb-exporter");
        let mut arguments: Vec<_> = [program, "scan", "--output", "prometheus"]
            .map(OsString::from)
            .into();
        arguments.extend(["--log.level", "warn", "--config.file"].map(OsString::from));
        arguments.push(config.into());
        Ok(Self::new("kb-exporter scan", arguments, portal))
    }

    /// The same scan in Python.
    pub fn baseline(portal: &Portal, python: OsString) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/baseline/full_scan.py");
        let arguments = vec![python, script.into(), CONCURRENCY.to_string().into()];
        Self::new("full_scan.py", arguments, portal)
    }

    fn new(name: &'static str, arguments: Vec<OsString>, portal: &Portal) -> Self {
        Self {
            name,
            arguments,
            url: portal.url.clone(),
        }
    }

    /// Runs the program to its end, which must be a good one.
    pub fn run(&self) -> Result<Cost> {
        let mut command = Command::new("taskset");
        command
            .args(["-c", CORE])
            .args(&self.arguments)
            .env("KB_BASE_URL", &self.url)
            .env(KEY_VARIABLE, KEY);
        let (output, used) = run(&mut command)?;
        let (name, counted) = (self.name, files(&output));
        ensure!(counted == FILES, "{name} counted {counted} files");
        Ok(Cost {
            processor: used.processor,
            peak_bytes: Some(used.peak_bytes),
        })
    }
}

/// The sum of all samples of `kb_folder_files`.
fn files(samples: &str) -> u32 {
    let samples = samples
        .lines()
        .filter(|line| line.starts_with("kb_folder_files{"));
    let values = samples.filter_map(|line| line.rsplit(' ').next()?.parse::<u32>().ok());
    values.sum()
}
