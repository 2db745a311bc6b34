//! Requests of one collection, by page and sorted by status.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use kb_simulator::faults::Faults;
use kb_simulator::{Counts, Served, Status, Switches};
use uuid::Uuid;

use crate::cases::{Case, State};
use crate::config::Config;
use crate::exporter::Exporter;
use crate::portal::{Portal, asked_folder};
use crate::samples::Samples;
use crate::table::{self, grouped, table};

/// Files of the folders.
const SIZES: [u64; 6] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// What state they are in.
const STATES: [State; 3] = [State::AllDone, State::NotDone(375), State::NotDone(100_000)];

/// Folders up to this many pages are read by page as well; for larger ones it is known what that takes.
const LARGEST_SCAN: u64 = 1_000;

/// Collections that end before one is read: by then the portal's sorting is trusted.
const SETTLED: u64 = 4;

/// What has not ended by then is given up.
const PATIENCE: Duration = Duration::from_mins(1);

/// Between two reads the metrics.
const PAUSE: Duration = Duration::from_millis(200);

/// Requests that the portal keeps in its log: more than a collection takes that is given up.
const LOG: usize = 400_000;

/// One collection of a folder.
struct Collection {
    /// How the folder was read, as the metric says.
    strategy: String,
    /// What the metric says that the folder took, and the list.
    requests: u64,
    /// The same by the portal's log, where it was read sorted.
    logged: Option<u64>,
    /// Whether the counts by status were those of the portal.
    exact: bool,
}

/// Measures folders of these sizes; of all sizes when there are none.
pub fn measure(sizes: &[u64]) -> Result<String> {
    let sizes = if sizes.is_empty() { &SIZES } else { sizes };
    let mut rows = Vec::new();
    for state in STATES {
        for &files in sizes {
            let case = Case { files, state };
            if let Some(counts) = case.counts() {
                rows.push(row(case, &counts)?);
            }
        }
    }
    let header = [
        "folder",
        "files",
        "every page",
        "sorted",
        "by the log",
        "times less",
        "read",
        "exact",
    ];
    let table = table(header, rows);
    Ok(format!(
        "{table}\nRequests of one collection with the list of folders; * is worked out, not run. Verification scans are not included."
    ))
}

fn row(case: Case, counts: &Counts) -> Result<[String; 8]> {
    let every_page = case.every_page();
    let scanned = if every_page <= LARGEST_SCAN + 1 {
        let scan = collect(counts, "full")?.context("a short scan took too long")?;
        grouped(scan.requests)
    } else {
        format!("{} *", grouped(every_page))
    };
    let given_up = format!("over {} s", PATIENCE.as_secs());
    let [sorted, logged, less, read, exact] = match collect(counts, "sorted")? {
        None => [&*given_up, "", "", "", ""].map(str::to_owned),
        Some(sorted) => [
            grouped(sorted.requests),
            sorted.logged.map_or_else(String::new, grouped),
            times(every_page, sorted.requests)?,
            sorted.strategy,
            if sorted.exact { "yes" } else { "NO" }.to_owned(),
        ],
    };
    let files = grouped(case.files);
    Ok([
        case.name(),
        files,
        scanned,
        sorted,
        logged,
        less,
        read,
        exact,
    ])
}

fn times(much: u64, than: u64) -> Result<String> {
    let real = |number| Ok::<_, anyhow::Error>(f64::from(u32::try_from(number)?));
    Ok(table::times(real(much)?, real(than)?))
}

/// Collects a portal with one folder, and a small one in which it can be seen that sorting works, until that is settled.
fn collect(counts: &Counts, strategy: &'static str) -> Result<Option<Collection>> {
    let portal = Portal::start(LOG, Switches::default(), Faults::new(1))?;
    let proof = [
        (Status::Done, 200),
        (Status::Failed, 30),
        (Status::Pending, 20),
    ];
    portal.world(|world| world.add_synthetic_folder("Proof", &proof.into()));
    let folder = portal.world(|world| world.add_synthetic_folder("Large", counts));
    let config = Config {
        strategy,
        every: 2,
        ..Config::default()
    };
    let exporter = Exporter::start(|folder| config.file(&portal, folder), &[])?;
    let Some(samples) = portal.wait(settled(&exporter))? else {
        return Ok(None);
    };
    let folder_label = format!("folder_id=\"{folder}\"");
    let mut taken = samples.of("kb_folder_collection_requests", &folder_label);
    let (labels, requests) = taken.next().context("the folder was not collected")?;
    Ok(Some(Collection {
        strategy: label(labels, "strategy").to_owned(),
        requests: requests + 1,
        logged: logged(&portal, folder),
        exact: exact(&samples, &folder_label, counts),
    }))
}

/// What the metrics say when some collections have ended; none when that takes too long.
async fn settled(exporter: &Exporter) -> Result<Option<Samples>> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        let samples = Samples::of_exporter(exporter).await?;
        let runs = samples.of("kb_collection_runs_total", "");
        let ended = runs.filter(|(labels, _)| !labels.contains("skipped"));
        if ended.map(|(_, runs)| runs).sum::<u64>() >= SETTLED {
            return Ok(Some(samples));
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(None)
}

/// Requests of the latest whole collection in the log: the list, and what was asked of the folder by status. Pages by name are those of a
/// verification scan beside it.
fn logged(portal: &Portal, folder: Uuid) -> Option<u64> {
    let requests = portal.requests_from(0);
    let lists = requests.iter().enumerate().rev();
    let mut lists = lists.filter(|(_, it)| is_list(it)).map(|(at, _)| at);
    let (end, begin) = (lists.next()?, lists.next()?);
    let of_folder = requests[begin..end]
        .iter()
        .filter(|request| asked_folder(request) == Some(folder));
    let by_status = of_folder.filter(|request| request.query.contains("indexStatus"));
    let read = by_status.count() as u64;
    (read > 0).then_some(1 + read)
}

fn exact(samples: &Samples, folder: &str, counts: &Counts) -> bool {
    let mut shown = samples.of("kb_folder_files", folder);
    shown.all(|(labels, files)| {
        let expected = counts.get(&Status::from(label(labels, "status")));
        files == expected.copied().unwrap_or(0)
    })
}

/// The value of a label.
fn label<'a>(labels: &'a str, name: &str) -> &'a str {
    let found = labels.split_once(&format!("{name}=\""));
    found
        .and_then(|(_, rest)| rest.split('"').next())
        .unwrap_or_default()
}

/// Whether a request asks for the list of folders, with which a collection begins.
fn is_list(request: &Served) -> bool {
    request.path.ends_with("/mine")
}
