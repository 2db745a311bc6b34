//! Processor time and peak memory of a scan that reads every page.

use std::io::Read;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use kb_simulator::Status;
use wait4::Wait4;

use crate::exporter::{Config, Place};
use crate::portal::Portal;
use crate::table::{grouped, table};

/// Files of the folders, all done.
const SIZES: [u64; 2] = [1_000_000, 10_000_000];

pub fn measure() -> Result<String> {
    let mut rows = Vec::new();
    for files in SIZES {
        let (processor, peak_bytes) = cost(files)?;
        let millions = f64::from(u32::try_from(files)?) / 1e6;
        rows.push([
            grouped(files),
            format!("{:.2}", processor.as_secs_f64() / millions),
            (peak_bytes >> 20).to_string(),
        ]);
    }
    let header = [
        "done files, every page read",
        "processor s per million",
        "peak MiB",
    ];
    Ok(table(header, rows).to_string())
}

/// The processor time and the most memory of one scan.
fn cost(files: u64) -> Result<(Duration, u64)> {
    // The log would be memory of this process, and so of the next.
    let portal = Portal::start(0)?;
    let counts = [(Status::Done, files)].into();
    portal.world(|world| world.add_synthetic_folder("Large", &counts));
    let place = Place::new(|folder| Config::default().file(&portal, folder))?;
    let mut command = place.command(&["scan", "--output", "prometheus", "--log.level", "warn"]);
    let process = command.stdout(Stdio::piped()).spawn();
    let mut process = process.context("cannot start taskset")?;
    let mut output = String::new();
    if let Some(mut stdout) = process.stdout.take() {
        stdout.read_to_string(&mut output)?;
    }
    let used = process.wait4()?;
    let counted = format!("status=\"done\"}} {files}\n");
    ensure!(output.contains(&counted), "{}: {output}", used.status);
    let processor = used.rusage.utime + used.rusage.stime;
    Ok((processor, used.rusage.maxrss))
}
