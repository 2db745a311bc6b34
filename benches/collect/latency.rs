//! How fast a portal is scanned that takes its time to answer.
//!
//! Beside the scan, a client that does nothing but keep as many requests in flight shows how exactly this machine and its clock measure that time.

use std::time::Duration;

use anyhow::{Context, Result};
use kb_simulator::faults::{Fault, Faults, LineFault, Scope, Target};
use kb_simulator::{Counts, Served, Status, Switches};
use uuid::Uuid;

use crate::bare_client::read_pages;
use crate::cases::PAGE_ROWS;
use crate::config::Config;
use crate::portal::{Portal, asked_folder};
use crate::scan::scan;
use crate::table::{median, seconds, table};

/// How long the portal takes to answer.
const LATENCY: Duration = Duration::from_millis(50);

/// One answer in so many takes longer, when they are not all alike.
const RARELY: (u32, Duration) = (10, Duration::from_millis(250));

/// Requests in flight.
const CONCURRENCY: u32 = 8;

/// Pages of the folder.
const PAGES: u32 = 1_000;

/// How often both are measured, by turns.
const RUNS: usize = 3;

/// Measures scans of one folder, with answers that are all alike and with some that are late.
pub fn measure() -> Result<String> {
    let faults = Faults::new(1);
    let portal = Portal::start(20 * PAGES as usize, Switches::default(), faults.clone())?;
    let counts: Counts = [(Status::Done, u64::from(PAGES) * PAGE_ROWS)].into();
    let folder = portal.world(|world| world.add_synthetic_folder("Large", &counts));
    let mut rows = Vec::new();
    for (name, rarely) in [("alike", None), ("some late", Some(RARELY))] {
        answer_late(&faults, LATENCY, rarely);
        let mean = rarely.map_or(LATENCY, |(one_in, late)| {
            (LATENCY * (one_in - 1) + late) / one_in
        });
        rows.extend(compare(&portal, folder, name, mean)?);
    }
    let header = format!(
        "{PAGES} pages, {} ms latency (some late: one in {} takes {} ms), {CONCURRENCY} in flight",
        LATENCY.as_millis(),
        RARELY.0,
        RARELY.1.as_millis()
    );
    let header = [
        &*header,
        "median s",
        "least–most",
        "of what is allowed",
        "of the bare client",
    ];
    Ok(table(header, rows).to_string())
}

/// From now on every request for files is answered so much later, and one in so many later by the other time.
fn answer_late(faults: &Faults, by: Duration, rarely: Option<(u32, Duration)>) {
    let late = |by| Fault::Line(LineFault::Late(by));
    faults.clear();
    // The first that fits strikes.
    if let Some((one_in, by)) = rarely {
        let scope = Scope::chance(Target::Files, f64::from(one_in).recip());
        faults.add(scope, late(by));
    }
    faults.add(Scope::each(Target::Files), late(by));
}

/// Measures the scan and the bare client by turns; `latency` is what an answer takes on average.
fn compare(
    portal: &Portal,
    folder: Uuid,
    name: &str,
    latency: Duration,
) -> Result<[[String; 5]; 3]> {
    let (mut scans, mut clients) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        scans.push(took(portal, || scan(portal, &Config::default()).map(drop))?);
        let read = || portal.wait(read_pages(&portal.url, folder, PAGES.into(), CONCURRENCY));
        clients.push(took(portal, read)?);
    }
    let allowed = latency * (1 + (PAGES - 1).div_ceil(CONCURRENCY));
    let client = median(&clients).unwrap_or_default();
    let row = |who: &str, times: &[Duration]| {
        let time = median(times).unwrap_or_default();
        let least = times.iter().min().copied().unwrap_or_default();
        let most = times.iter().max().copied().unwrap_or_default();
        [
            format!("{name}: {who}"),
            seconds(time),
            format!("{}–{}", seconds(least), seconds(most)),
            percent(allowed.as_secs_f64(), time.as_secs_f64()),
            percent(client.as_secs_f64(), time.as_secs_f64()),
        ]
    };
    Ok([
        row("what latency and concurrency allow", &[allowed]),
        row("bare client", &clients),
        row("kb-exporter scan", &scans),
    ])
}

/// How long it takes from the first request for files to the answer to the last.
fn took(portal: &Portal, read: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let before = portal.world(|world| world.requests().count());
    read()?;
    let requests = portal.requests_from(before);
    let mut files = requests.iter().filter(|it| asked_folder(it).is_some());
    let at = |request: Option<&Served>| request.map(|it| it.at).context("nothing was read");
    let (first, last) = (at(files.next())?, at(files.next_back())?);
    Ok((last - first).to_std()? + LATENCY)
}

/// A part of something.
fn percent(part: f64, of: f64) -> String {
    format!("{:.1} %", 100.0 * part / of)
}
