//! Requests of one collection, by page and sorted by status.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use kb_exposition::{Exposition, Sample};
use kb_simulator::{Counts, Status};

use crate::exporter::{Config, Exporter};
use crate::portal::Portal;
use crate::table::{grouped, table};

/// Files of the folders.
const SIZES: [u64; 4] = [10_000, 1_000_000, 10_000_000, 100_000_000];

/// How many of them are in each of the four statuses but done.
const NOT_DONE: [u64; 3] = [0, 375, 100_000];

/// Rows of a page.
const PAGE_ROWS: u64 = 100;

/// Collections that end before one is read: by then the portal's sorting is trusted.
const SETTLED: u64 = 4;

/// What has not ended by then is given up.
const PATIENCE: Duration = Duration::from_mins(1);

/// Between two reads of the metrics.
const PAUSE: Duration = Duration::from_millis(200);

pub fn measure() -> Result<String> {
    let mut rows = Vec::new();
    for each in NOT_DONE {
        for files in SIZES.into_iter().filter(|files| *files > 4 * each) {
            rows.push([
                grouped(files),
                grouped(4 * each),
                grouped(files.div_ceil(PAGE_ROWS) + 1),
                grouped(sorted(files, each)?),
            ]);
        }
    }
    let header = ["files", "not done", "every page", "sorted"];
    let table = table(header, rows);
    Ok(format!(
        "{table}\nRequests of one collection with the list of folders."
    ))
}

/// Requests of a collection of a portal with one folder, and a small one in which it can be seen that sorting works, when that is settled.
fn sorted(files: u64, each: u64) -> Result<u64> {
    let portal = Portal::start(0)?;
    let proof = [
        (Status::Done, 200),
        (Status::Failed, 30),
        (Status::Pending, 20),
    ];
    let mut counts: Counts = Status::KNOWN.map(|status| (status, each)).into();
    counts.insert(Status::Done, files - 4 * each);
    counts.retain(|_, files| *files > 0);
    let folder = portal.world(|world| {
        world.add_synthetic_folder("Proof", &proof.into());
        world.add_synthetic_folder("Large", &counts)
    });
    let config = Config {
        strategy: "sorted",
        every: 2,
        ..Config::default()
    };
    let exporter = Exporter::start(|folder| config.file(&portal, folder))?;
    let metrics = portal.wait(settled(&exporter))?;
    let folder = folder.to_string();
    let shown = metrics.by_status("kb_folder_files", &folder);
    for (status, files) in counts {
        let shown = status.name().and_then(|name| shown.get(name));
        ensure!(shown == Some(&files), "{status:?}: {shown:?} of {files}");
    }
    let labels = [("folder_id", &*folder), ("strategy", "sorted")];
    let requests = metrics.count("kb_folder_collection_requests", &labels);
    Ok(requests.map_or(0, |requests| requests + 1))
}

/// What the metrics say when some collections have ended.
async fn settled(exporter: &Exporter) -> Result<Exposition> {
    let begun = Instant::now();
    loop {
        let metrics = exporter.metrics().await?;
        let runs = metrics.all("kb_collection_runs_total", &[]);
        let ended = runs.filter(|run| run.labels["result"] != "skipped");
        if ended.map(Sample::count).sum::<u64>() >= SETTLED {
            return Ok(metrics);
        }
        ensure!(begun.elapsed() < PATIENCE, "it took too long");
        tokio::time::sleep(PAUSE).await;
    }
}
