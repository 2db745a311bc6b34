//! Processor time and peak memory of a scan that scans every page.

use anyhow::{Result, ensure};
use kb_simulator::Switches;
use kb_simulator::faults::Faults;

use crate::cases::{Case, State};
use crate::config::Config;
use crate::portal::Portal;
use crate::run::Cost;
use crate::scan::scan;
use crate::table::{grouped, seconds, table, times};

/// Files of the folders.
const SIZES: [u64; 2] = [1_000_000, 10_000_000];

/// Measures folders in which all is done.
pub fn measure() -> Result<String> {
    let mut rows = Vec::new();
    let mut first = None;
    for files in SIZES {
        let cost = cost(files)?;
        let per_million = per_million(cost, files)?;
        let baseline = *first.get_or_insert(per_million);
        rows.push([
            grouped(files),
            seconds(cost.processor),
            format!("{per_million:.2}"),
            times(per_million, baseline),
            (cost.peak_bytes >> 20).to_string(),
        ]);
    }
    let header = [
        "done files, every page scanned",
        "processor s",
        "s per million",
        "of the first",
        "peak MiB",
    ];
    Ok(table(header, rows).to_string())
}

fn cost(files: u64) -> Result<Cost> {
    // The log would be memory of this process, and so of the next.
    let portal = Portal::start(0, Switches::default(), Faults::new(1))?;
    let case = Case {
        files,
        state: State::AllDone,
    };
    let counts = case.counts().unwrap_or_default();
    portal.world(|world| world.add_synthetic_folder("Large", &counts));
    let (cost, samples) = scan(&portal, &Config::default())?;
    let counted: u64 = samples.of("kb_folder_files", "").map(|(_, n)| n).sum();
    ensure!(counted == files, "the scan counted {counted} files");
    Ok(cost)
}

fn per_million(cost: Cost, files: u64) -> Result<f64> {
    let millions = f64::from(u32::try_from(files)?) / 1e6;
    Ok(cost.processor.as_secs_f64() / millions)
}
