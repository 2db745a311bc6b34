//! What one, two, four and eight processes cost and achieve that share the folders of one portal.
//!
//! ```text
//! cargo bench --bench shards
//! cargo bench --bench shards -- 1 4
//! KB_BENCH_POSTGRES_URL_FILE=FILE cargo bench --bench shards
//! ```
//!
//! Needs Linux with two cores and util-linux' `taskset`. Arguments choose numbers of processes; without any, all are measured, in about
//! twenty minutes. With `KB_BENCH_POSTGRES_URL_FILE`, the processes share their state in the PostgreSQL server whose address the file
//! has, in a database without tables, and `psql` must be there; otherwise each has an SQLite folder of its own.
//!
//! The portal is this process, on core 1, with folders that compute their files. All processes of `kb-exporter` share core 0, so that they have
//! together what one has alone: what more processes cost shows in the ratios to one process.
//!
//! - `all folders`: every folder is counted several times, as fast as possible. The rate is that of the first count. The memory is measured
//!   when the folders are idle, after a scrape in each form.
//! - `quiet`: nothing changes. Each process asks for the list, and for nothing else.
//! - `busy`: a few files fail, each in a folder of its own, and the metrics are read until they show each.

#[path = "../support/exporter.rs"]
mod exporter;
mod fleet;
mod folders;
#[path = "../support/portal.rs"]
mod portal;
mod report;
mod scrape;
#[path = "../support/table.rs"]
mod table;
mod transactions;

use std::env;
use std::io::{self, Write};

use anyhow::{Context, Result};

use fleet::Fleet;
use folders::Folders;
use report::Row;

/// Folders of the portal.
const FOLDERS: u32 = 40_000;

/// Folders of the portal by which it is measured what a process takes without folders.
const FEW: u32 = 10;

/// Numbers of processes.
const PROCESSES: [u32; 4] = [1, 2, 4, 8];

fn main() -> Result<()> {
    // Cargo says `--bench` when it benches, and not when it only tries whether everything runs.
    if !env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let chosen: Vec<u32> = env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .map(|argument| argument.parse().context("no number of processes"))
        .collect::<Result<_>>()?;
    portal::stay_on_one_core()?;
    let empty = memory_of_one_process()?;
    let mut rows = Vec::new();
    for processes in PROCESSES {
        if chosen.is_empty() || chosen.contains(&processes) {
            rows.push(measure(processes, empty)?);
        }
    }
    writeln!(io::stdout().lock(), "{}", report::render(&rows))?;
    Ok(())
}

/// Resident bytes of a process that has next to no folders.
fn memory_of_one_process() -> Result<u64> {
    let folders = Folders::start(FEW)?;
    let fleet = Fleet::start(&folders, 1)?;
    folders.wait_for_counts(1)?;
    folders.wait(fleet.scrape_in_both_forms())?;
    fleet.resident_bytes()
}

fn measure(processes: u32, empty: u64) -> Result<Row> {
    let folders = Folders::start(FOLDERS)?;
    let fleet = Fleet::start(&folders, processes)?;
    folders.wait_for_counts(fleet::COUNTS)?;
    let first_count = folders.first_count()?;
    folders.wait(fleet.scrape_in_both_forms())?;
    let resident = fleet.resident_bytes()?;
    let quiet = fleet.quiet(&folders)?;
    let busy = fleet.busy(&folders)?;
    let per_folder = resident.saturating_sub(empty * u64::from(processes)) / u64::from(FOLDERS);
    Ok(Row {
        processes,
        first_count,
        resident,
        per_folder,
        quiet,
        busy,
    })
}
