//! How late a change is seen among thousands of folders under a rate limit.
//!
//! So that it does not take an hour, everything goes ten times as fast as it is shown: 200 requests a second for 20, a collection every six seconds
//! for one a minute. Times are shown as they would be at 20 requests a second.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use chrono::{DateTime, Utc};
use kb_simulator::faults::Faults;
use kb_simulator::{Served, Switches, UpdatedAt};
use uuid::Uuid;

use crate::config::Config;
use crate::exporter::Exporter;
use crate::portal::{Portal, asked_folder, let_one_fail};
use crate::table::{median, table, times};

/// Folders of the portal.
const FOLDERS: u32 = 5_000;

/// Files of the largest folder: a page, so that each count is one request.
const FILES: u32 = 100;

/// How much faster than shown it goes.
const PACE: u32 = 10;

/// Requests a second, as shown.
const RATE: u32 = 20;

/// Seconds from one collection to the next, as shown, and until a quiet folder is read again.
const EVERY: [u64; 2] = [60, 300];

/// Changes, one after the other in folders that were quiet until then.
const CHANGES: usize = 120;

/// Between two changes.
const PAUSE: Duration = Duration::from_millis(400);

/// Every folder was read by then, and every change has been seen or never will be.
const PATIENCE: Duration = Duration::from_mins(1);

/// Requests that the portal keeps in its log: all of a run.
const LOG: usize = 200_000;

/// A change of a folder.
struct Change {
    folder: Uuid,
    at: DateTime<Utc>,
    /// Its number in the portal's journal.
    sequence: u64,
}

/// Measures changes that the list of folders shows, and changes that it does not.
pub fn measure() -> Result<String> {
    let mut rows = Vec::new();
    for (name, switch) in [
        ("the list shows it", UpdatedAt::Files),
        ("the list does not", UpdatedAt::Folder),
    ] {
        let (late, in_turn) = run(switch)?;
        rows.push(row(
            &format!("{name}: every folder in turn *"),
            &in_turn,
            &in_turn,
        ));
        rows.push(row(&format!("{name}: kb-exporter"), &late, &in_turn));
    }
    let header = format!("s until a change is seen: {FOLDERS} folders, {RATE} requests a second");
    let header = [&*header, "median", "of in turn", "worst", "of in turn"];
    let table = table(header, rows);
    Ok(format!(
        "{table}\nRun {PACE} times as fast as shown; * is worked out from the same changes."
    ))
}

fn row(name: &str, late: &[Duration], in_turn: &[Duration]) -> [String; 5] {
    let middle = |times: &[Duration]| median(times).unwrap_or_default().as_secs_f64();
    let worst = |times: &[Duration]| times.iter().max().map_or(0.0, Duration::as_secs_f64);
    [
        name.to_owned(),
        format!("{:.0}", middle(late)),
        times(middle(late), middle(in_turn)),
        format!("{:.0}", worst(late)),
        times(worst(late), worst(in_turn)),
    ]
}

/// How late each change was seen, and would have been seen in turn.
fn run(switch: UpdatedAt) -> Result<(Vec<Duration>, Vec<Duration>)> {
    let switches = Switches {
        updated_at: switch,
        ..Switches::default()
    };
    let portal = Portal::start(LOG, switches, Faults::new(1))?;
    let folders = portal.add_folders(FOLDERS, |number| u64::from(number % FILES + 1));
    let config = Config {
        strategy: "auto",
        rate: RATE * PACE,
        every: EVERY[0] / u64::from(PACE),
        quiet_every: EVERY[1] / u64::from(PACE),
        ..Config::default()
    };
    let _exporter = Exporter::start(|folder| config.file(&portal, folder), &[])?;
    portal.wait(until_asked(&portal, &folders.iter().copied().collect()))?;
    let changes = portal.wait(change(&portal, &folders));
    let struck = changes.iter().map(|change| change.folder).collect();
    portal.wait(until_asked(&portal, &struck))?;
    let requests = portal.requests_from(0);
    Ok((seen(&changes, &requests)?, in_turn(&changes, &folders)))
}

/// Waits until each of some folders is asked for from now on.
async fn until_asked(portal: &Portal, folders: &BTreeSet<Uuid>) -> Result<()> {
    let begun = Instant::now();
    let mut left = folders.clone();
    let mut place = portal.world(|world| world.requests().count());
    while !left.is_empty() {
        ensure!(
            begun.elapsed() < PATIENCE,
            "{} folders are not asked for",
            left.len()
        );
        tokio::time::sleep(PAUSE).await;
        let requests = portal.requests_from(place);
        place += requests.len();
        for folder in requests.iter().filter_map(asked_folder) {
            left.remove(&folder);
        }
    }
    Ok(())
}

/// Lets a file of one folder after the other fail.
async fn change(portal: &Portal, folders: &[Uuid]) -> Vec<Change> {
    let mut random = fastrand::Rng::with_seed(1);
    let mut changes = Vec::new();
    for folder in random.choose_multiple(folders.iter().copied(), CHANGES) {
        tokio::time::sleep(PAUSE).await;
        let change = portal.world(|world| {
            let_one_fail(world, folder).map(|()| Change {
                folder,
                at: world.now(),
                sequence: world.sequence(),
            })
        });
        changes.extend(change.ok());
    }
    changes
}

/// How long after each change its folder was asked for.
fn seen(changes: &[Change], requests: &[Served]) -> Result<Vec<Duration>> {
    let mut asked: HashMap<Uuid, Vec<&Served>> = HashMap::new();
    for request in requests {
        if let Some(folder) = asked_folder(request) {
            asked.entry(folder).or_default().push(request);
        }
    }
    let mut late = Vec::new();
    for change in changes {
        let mut after = asked.get(&change.folder).into_iter().flatten();
        let first = after.find(|request| request.sequence >= change.sequence);
        let time = first.map(|request| (request.at - change.at).to_std());
        late.extend(time.transpose()?.map(|time| time * PACE));
    }
    ensure!(late.len() == changes.len(), "not every change was seen");
    Ok(late)
}

/// How long after each change its folder's turn comes, when every folder is asked for once in a cycle from the first change on.
fn in_turn(changes: &[Change], folders: &[Uuid]) -> Vec<Duration> {
    let gap = Duration::from_secs(1) / RATE;
    let cycle = gap * FOLDERS;
    let Some(begun) = changes.first().map(|change| change.at) else {
        return Vec::new();
    };
    let late = |change: &Change| {
        let place = folders.iter().position(|it| *it == change.folder)?;
        let turn = gap * u32::try_from(place).ok()?;
        let since = (change.at - begun).to_std().ok()? * PACE;
        let into_cycle =
            Duration::from_nanos(u64::try_from(since.as_nanos() % cycle.as_nanos()).ok()?);
        turn.checked_sub(into_cycle)
            .or_else(|| (cycle + turn).checked_sub(into_cycle))
    };
    changes.iter().filter_map(late).collect()
}
