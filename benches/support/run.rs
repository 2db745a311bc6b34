//! A process that runs to its end on one core, and what the kernel says it used.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use wait4::Wait4;

/// What a process used.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// Processor time, user and system.
    pub processor: Duration,
    /// Most resident memory, in bytes.
    pub peak_bytes: u64,
}

/// Runs a command to its end, which must be a good one. Returns what it wrote to standard output, and what it used.
pub fn run(command: &mut Command) -> Result<(String, Cost)> {
    let process = command.stdout(Stdio::piped()).spawn();
    let mut process = process.context("cannot start taskset")?;
    let mut output = String::new();
    if let Some(mut stdout) = process.stdout.take() {
        stdout.read_to_string(&mut output)?;
    }
    let used = process.wait4()?;
    ensure!(used.status.success(), "{command:?}: {}", used.status);
    let cost = Cost {
        processor: used.rusage.utime + used.rusage.stime,
        peak_bytes: used.rusage.maxrss,
    };
    Ok((output, cost))
}
