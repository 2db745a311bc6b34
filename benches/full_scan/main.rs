//! What a scan costs: rows per processor second and peak memory, so that a change can be compared with what was before.
//!
//! ```text
//! cargo bench --bench full_scan
//! KB_BENCH_PYTHON=/path/to/venv/bin/python cargo bench --bench full_scan
//! ```
//!
//! Needs Linux with two cores and util-linux' `taskset`. The second line also measures `benches/baseline/full_scan.py`, the same
//! scan in Python, and shows all costs as shares of it; the interpreter must have `aiohttp` and `orjson`
//! (`python3 -m venv DIR && DIR/bin/pip install aiohttp orjson`).
//!
//! Each row is measured several times: the median is shown, with the least and the most.
//!
//! - `kb-exporter scan`, `full_scan.py` and `bare client` are processes on core 0, from their start to their end. They read one folder of a
//!   simulated portal, which is this process, on core 1. The kernel says what they used. The bare client does nothing with what it reads.
//! - `decode and tally` reads the pages of such a folder from memory, without HTTP: done files, then failed ones.
//!
//! Both scans read the same pages, with as many requests in flight, and find out the same: files and bytes by status, reasons,
//! and whether every file was read once. `kb-exporter scan` also remembers what is not done.
//!
//! The goal of `kb-exporter scan`: at most a fifth of `full_scan.py`'s processor time, and less than 40 MiB.

#[path = "../support/bare_client.rs"]
mod bare_client;
#[expect(dead_code, reason = "other benchmarks let it collect on schedule")]
#[path = "../support/exporter.rs"]
mod exporter;
mod figures;
mod pages;
#[expect(dead_code, reason = "other benchmarks look at its requests")]
#[path = "../support/portal.rs"]
mod portal;
mod process;
#[path = "../support/run.rs"]
mod run;
#[expect(dead_code, reason = "other benchmarks have other figures")]
#[path = "../support/table.rs"]
mod table;

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};

use anyhow::Result;
use kb_simulator::faults::Faults;
use kb_simulator::{Status, Switches};

use figures::Measured;
use portal::Portal;
use process::Task;

/// Files of the folder.
const FILES: u32 = 200_000;

/// Those of them that are in each status but done.
const NOT_DONE: u64 = 4_000;

/// Requests in flight.
const CONCURRENCY: u32 = 8;

/// How often everything is measured.
const RUNS: usize = 3;

/// Names the folder that this program reads as the bare client.
const BARE_CLIENT: &str = "KB_BENCH_BARE_CLIENT";

/// Names the interpreter that runs the baseline.
const PYTHON: &str = "KB_BENCH_PYTHON";

fn main() -> Result<()> {
    // Cargo says `--bench` when it benches, and not when it only tries whether everything runs.
    if !env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    if let Ok(folder) = env::var(BARE_CLIENT) {
        return process::read_as_bare_client(&folder);
    }
    // The processes come first: a child's peak memory is never less than that of the process that started it.
    let ([scan, bare], baseline) = processes(env::var_os(PYTHON))?;
    let rows = [scan, bare, pages::measure(false)?, pages::measure(true)?];
    let mut output = io::stdout().lock();
    writeln!(output, "{}", figures::render(&rows, baseline.as_ref()))?;
    if baseline.is_none() {
        writeln!(
            output,
            "full_scan.py was skipped: {PYTHON} names no interpreter with aiohttp and orjson."
        )?;
    }
    Ok(())
}

/// Measures the programs that read a portal, by turns, so that what else the machine does burdens both.
fn processes(python: Option<OsString>) -> Result<([Measured; 2], Option<Measured>)> {
    portal::stay_on_one_core()?;
    let portal = Portal::start(0, Switches::default(), Faults::new(1))?;
    let others = Status::KNOWN.map(|status| (status, NOT_DONE));
    let done = u64::from(FILES) - NOT_DONE * (others.len() as u64 - 1);
    let counts = others.into_iter().chain([(Status::Done, done)]).collect();
    let folder = portal.world(|world| world.add_synthetic_folder("Large", &counts));
    let mut scan = Task::scan(&portal)?;
    let mut bare = Task::bare_client(&portal, folder)?;
    let mut baseline = python.map(|python| Task::baseline(&portal, python));
    let [mut scans, mut bares, mut baselines] = [const { Vec::new() }; 3];
    for _ in 0..RUNS {
        scans.push(scan.run()?);
        bares.push(bare.run()?);
        if let Some(baseline) = &mut baseline {
            baselines.push(baseline.run()?);
        }
    }
    let measured = |name, costs| Measured { name, costs };
    let baseline = baseline.map(|task| measured(task.name, baselines));
    let ours = [measured(scan.name, scans), measured(bare.name, bares)];
    Ok((ours, baseline))
}
