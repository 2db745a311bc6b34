//! What one process needs for many folders: the first count, and then a collection a minute.
//!
//! The first count has no rate limit: how long it takes at the default rate follows from its requests. Then the exporter is started again, as in
//! life but ten times as fast: 50 requests a second for 5, a collection every six seconds for one a minute.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use kb_simulator::Switches;
use kb_simulator::faults::Faults;
use tempfile::TempDir;

use crate::config::Config;
use crate::exporter::Exporter;
use crate::portal::Portal;
use crate::samples::Samples;
use crate::table::{grouped, table};

/// Folders of the portals.
const FOLDERS: [u32; 3] = [1_000, 10_000, 100_000];

/// Files of each folder, all done: ten pages, so that they are counted by boundaries.
const FILES: u64 = 1_000;

/// How much faster than in life it goes after the first count.
const PACE: u32 = 10;

/// The default limit of requests per second.
const RATE: u32 = 5;

/// How long it is watched after the first count.
const WATCHED: Duration = Duration::from_mins(1);

/// What has not been counted by then is given up.
const PATIENCE: Duration = Duration::from_mins(20);

/// Between two reads of the metrics.
const PAUSE: Duration = Duration::from_secs(1);

/// Requests that the portal keeps in its log: all of a run.
const LOG: usize = 5_000_000;

const DAY: Duration = Duration::from_hours(24);

/// What a process has used until a moment.
struct Used {
    at: Instant,
    processor: f64,
    resident_bytes: f64,
    requests: usize,
}

/// Measures a process with each of these numbers of folders.
pub fn measure() -> Result<String> {
    let rows: Result<Vec<_>> = FOLDERS.into_iter().map(row).collect();
    let header = [
        "folders",
        "requests of the first count",
        "its hours at 5 a second",
        "processor s of the first count",
        "resident MiB",
        "requests a day",
        "processor s a day",
    ];
    Ok(table(header, rows?).to_string())
}

fn row(folders: u32) -> Result<[String; 7]> {
    let portal = Portal::start(LOG, Switches::default(), Faults::new(1))?;
    portal.add_folders(folders, |_| FILES);
    let state = TempDir::new()?;
    let first = portal.wait(count_once(&portal, folders, state.path()))?;
    let (before, after) = portal.wait(watch(&portal, folders, state.path()))?;
    let day = DAY.as_secs_f64() / (after.at - before.at).as_secs_f64() / f64::from(PACE);
    let requests = f64::from(u32::try_from(after.requests - before.requests)?) * day;
    let hours = f64::from(u32::try_from(first.requests)?) / f64::from(RATE) / 3600.0;
    Ok([
        grouped(folders.into()),
        grouped(first.requests.try_into()?),
        format!("{hours:.1}"),
        format!("{:.0}", first.processor),
        format!(
            "{:.0}",
            after.resident_bytes.max(first.resident_bytes) / f64::from(1 << 20)
        ),
        format!("{requests:.0}"),
        format!("{:.0}", (after.processor - before.processor) * day),
    ])
}

/// Counts every folder as fast as the machine allows.
async fn count_once(portal: &Portal, folders: u32, state: &Path) -> Result<Used> {
    let config = Config {
        strategy: "auto",
        every: 60,
        quiet_every: 3_600,
        ..Config::default()
    };
    let exporter = Exporter::start(|_| config.file(portal, state), &[])?;
    let begun = Instant::now();
    loop {
        tokio::time::sleep(PAUSE).await;
        let samples = Samples::of_exporter(&exporter).await?;
        let counted = counted(&samples);
        if counted == usize::try_from(folders)? {
            return Used::by(&samples, portal);
        }
        ensure!(
            begun.elapsed() < PATIENCE,
            "{counted} of {folders} folders are counted"
        );
    }
}

/// Watches an exporter that has its counts from the state. Returns what it had used before and after.
async fn watch(portal: &Portal, folders: u32, state: &Path) -> Result<(Used, Used)> {
    let config = Config {
        strategy: "auto",
        concurrency: 2,
        rate: RATE * PACE,
        every: 60 / u64::from(PACE),
        quiet_every: 600 / u64::from(PACE),
    };
    let exporter = Exporter::start(|_| config.file(portal, state), &[])?;
    let mut samples = Samples::of_exporter(&exporter).await?;
    while counted(&samples) < usize::try_from(folders)? {
        tokio::time::sleep(PAUSE).await;
        samples = Samples::of_exporter(&exporter).await?;
    }
    let before = Used::by(&samples, portal)?;
    tokio::time::sleep(WATCHED).await;
    let samples = Samples::of_exporter(&exporter).await?;
    Ok((before, Used::by(&samples, portal)?))
}

/// Folders whose counts are shown.
fn counted(samples: &Samples) -> usize {
    samples.of("kb_folder_files", "status=\"done\"").count()
}

impl Used {
    fn by(samples: &Samples, portal: &Portal) -> Result<Self> {
        let value = |name: &str| {
            let line = samples.0.lines().find_map(|line| line.strip_prefix(name));
            let value = line.with_context(|| format!("there is no {name}"))?;
            value.trim().parse::<f64>().context("no number")
        };
        Ok(Self {
            at: Instant::now(),
            processor: value("process_cpu_seconds_total ")?,
            resident_bytes: value("process_resident_memory_bytes ")?,
            requests: portal.world(|world| world.requests().count()),
        })
    }
}
