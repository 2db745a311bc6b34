//! What a scrape of `/metrics` costs with 10,000 folders.
//!
//! ```text
//! cargo bench --bench exposition
//! ```
//!
//! Two portals with 5,000 folders each, with counts and classes of error as they are after many collections. Each row is one form: its size, the
//! median of its times, how often that is the time that writing the text alone takes, and by how much the most memory of the process grew.

mod portals;
#[expect(dead_code, reason = "other benchmarks have other figures")]
#[path = "../support/table.rs"]
mod table;

use std::convert::Infallible;
use std::env;
use std::fs;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use axum::body::Body;
use axum::http::header::ACCEPT_ENCODING;
use axum::http::{Request, Response};
use futures_util::TryStreamExt as _;
use kb_exporter::clock::Moment;
use kb_exporter::http::site::compression;
use kb_exporter::metrics::{self, ConfigFacts, Events};
use kb_exporter::model::PortalName;
use kb_exporter::snapshot::Snapshot;
use tokio::runtime::{Builder, Runtime};
use tower::{Layer as _, ServiceExt as _};

use portals::portal;
use table::table;

/// Folders, of all portals together.
const FOLDERS: usize = 10_000;

const PORTALS: [&str; 2] = ["main", "archive"];

const ROUNDS: usize = 11;

fn main() -> Result<()> {
    // Cargo says `--bench` when it benches, and not when it only tries whether everything runs.
    if !env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let runtime = Builder::new_multi_thread().build();
    let runtime = runtime.context("the runtime cannot be started")?;
    let snapshot = Arc::new(snapshot()?);
    let mut scrapes = Vec::new();
    for (name, coding) in [("gzip", "gzip"), ("plain", "identity")] {
        let before = peak_kib()?;
        let (mut times, mut bytes) = (Vec::new(), 0);
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            bytes = scrape(&runtime, &snapshot, coding)?;
            times.push(begun.elapsed());
        }
        scrapes.push((name, bytes, median(times), peak_kib()? - before));
    }
    let mut written = Vec::new();
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        metrics::render(&Events::new()?, CONFIG, &snapshot, Moment::now())?;
        written.push(begun.elapsed());
    }
    let written = median(written);
    let rows = scrapes.iter().map(|(name, bytes, time, grown)| {
        [
            (*name).to_owned(),
            format!("{bytes}"),
            format!("{}", time.as_millis()),
            format!("{:.2}", time.div_duration_f64(written)),
            format!("{grown}"),
        ]
    });
    let header = ["", "bytes", "ms", "of writing the text", "KiB more"];
    writeln!(io::stdout().lock(), "{}", table(header, rows))?;
    Ok(())
}

const CONFIG: ConfigFacts = ConfigFacts {
    reload_successful: true,
    loaded: kb_exporter::model::Timestamp::from_millis(0),
};

fn snapshot() -> Result<Snapshot> {
    let portals = PORTALS.map(|name| {
        let name = PortalName::new(name).context("no name of a portal")?;
        Ok(Arc::new(portal(name, FOLDERS / PORTALS.len())))
    });
    Ok(Snapshot {
        portals: portals.into_iter().collect::<Result<_>>()?,
        ..Snapshot::default()
    })
}

/// Scrapes once, and returns the number of bytes.
fn scrape(runtime: &Runtime, snapshot: &Arc<Snapshot>, coding: &str) -> Result<usize> {
    let bytes = runtime.block_on(async {
        let pieces = metrics::scrape(snapshot, &Events::new()?, CONFIG, Moment::now())?;
        let body = Body::from_stream(pieces);
        let mut body = Some(body);
        let answer = tower::service_fn(move |_| {
            let body = body.take().unwrap_or_default();
            async { Ok::<_, Infallible>(Response::new(body)) }
        });
        let request = Request::builder()
            .header(ACCEPT_ENCODING, coding)
            .body(())?;
        let response = compression().layer(answer).oneshot(request).await?;
        let pieces = Body::new(response.into_body()).into_data_stream();
        let bytes = pieces.try_fold(0, async |sum, piece| Ok(sum + piece.len()));
        anyhow::Ok(bytes.await?)
    });
    bytes.context("the scrape failed")
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// The most memory that the process had until now.
fn peak_kib() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let line = line.context("the system does not say how much memory was used")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
