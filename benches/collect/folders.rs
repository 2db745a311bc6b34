//! What one process needs for many folders: the first count, a scrape, and then a collection a minute.
//!
//! The first count has no rate limit: how long it takes at the default rate follows from its requests. Then the exporter is started again, as in
//! life but ten times as fast: 50 requests a second for 5, a collection every six seconds for one a minute.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use kb_exposition::Exposition;
use kb_simulator::Status;
use tempfile::TempDir;

use crate::exporter::{Config, Exporter};
use crate::portal::Portal;
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
        "ms of a scrape with gzip",
        "requests a day",
        "processor s a day",
    ];
    Ok(table(header, rows?).to_string())
}

fn row(folders: u32) -> Result<[String; 8]> {
    let portal = Portal::start(LOG)?;
    let counts = [(Status::Done, FILES)].into();
    for number in 0..folders {
        let name = format!("Folder {number:06}");
        portal.world(|world| world.add_synthetic_folder(&name, &counts));
    }
    let state = TempDir::new()?;
    let (first, scrape) = portal.wait(count_once(&portal, folders, state.path()))?;
    let (before, after) = portal.wait(watch(&portal, folders, state.path()))?;
    let day = DAY.as_secs_f64() / (after.at - before.at).as_secs_f64() / f64::from(PACE);
    let requests = f64::from(u32::try_from(after.requests - before.requests)?) * day;
    let hours = f64::from(u32::try_from(first.requests)?) / f64::from(RATE) / 3600.0;
    let resident = after.resident_bytes.max(first.resident_bytes);
    Ok([
        grouped(folders.into()),
        grouped(first.requests.try_into()?),
        format!("{hours:.1}"),
        format!("{:.0}", first.processor),
        format!("{:.0}", resident / f64::from(1 << 20)),
        scrape.as_millis().to_string(),
        format!("{requests:.0}"),
        format!("{:.0}", (after.processor - before.processor) * day),
    ])
}

/// Counts every folder as fast as the machine allows. Also how long a scrape takes then.
async fn count_once(portal: &Portal, folders: u32, state: &Path) -> Result<(Used, Duration)> {
    let config = Config {
        strategy: "auto",
        every: 60,
        quiet_every: 3_600,
        ..Config::default()
    };
    let exporter = Exporter::start(|_| config.file(portal, state))?;
    let metrics = until_counted(&exporter, folders).await?;
    let used = Used::by(&metrics, portal)?;
    let begun = Instant::now();
    exporter.scrape(true).await?;
    Ok((used, begun.elapsed()))
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
    let exporter = Exporter::start(|_| config.file(portal, state))?;
    let metrics = until_counted(&exporter, folders).await?;
    let before = Used::by(&metrics, portal)?;
    tokio::time::sleep(WATCHED).await;
    let metrics = exporter.metrics().await?;
    Ok((before, Used::by(&metrics, portal)?))
}

async fn until_counted(exporter: &Exporter, folders: u32) -> Result<Exposition> {
    let begun = Instant::now();
    loop {
        let metrics = exporter.metrics().await?;
        let counted = metrics.all("kb_folder_files", &[("status", "done")]);
        let counted = u32::try_from(counted.count())?;
        if counted == folders {
            return Ok(metrics);
        }
        ensure!(
            begun.elapsed() < PATIENCE,
            "{counted} of {folders} folders are counted"
        );
        tokio::time::sleep(PAUSE).await;
    }
}

impl Used {
    fn by(metrics: &Exposition, portal: &Portal) -> Result<Self> {
        let value = |name| metrics.value(name, &[]).context(name);
        Ok(Self {
            at: Instant::now(),
            processor: value("process_cpu_seconds_total")?,
            resident_bytes: value("process_resident_memory_bytes")?,
            requests: portal.world(|world| world.requests().count()),
        })
    }
}
