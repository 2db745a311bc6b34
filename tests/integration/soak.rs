//! A long run in which everything goes wrong at random, and no number is ever wrong without its mark.
//!
//! `KB_SOAK_SECONDS` (45) says how long, `KB_SOAK_SEED` (random) what happens. The seed is printed; what the program does with it is its
//! own affair, so that a seed does not repeat a run to the last detail.

mod chance;
mod people;

use std::env;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use kb_simulator::{Options, Simulator};

use crate::faults::ailing::Ailing;
use crate::faults::oracle::Oracle;
use crate::faults::witness;
use crate::support::exporter::Exporter;
use crate::support::wait::wait_for;
use crate::support::workspace::Workspace;
use kb_exposition::Exposition;

const KEY: &str = "kbk_soak_1f0e9d8c7b6a";

/// Counts are withdrawn when they are older.
const STALE_AFTER: f64 = 5.0;

/// Two intervals, and what a busy machine and a pace that was slowed down take.
const RECOVERED: Duration = Duration::from_secs(40);

/// Between two scrapes.
const SCRAPES: Duration = Duration::from_millis(40);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_number_is_ever_wrong_without_its_mark_when_every_page_is_read() {
    soak("full").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_number_is_ever_wrong_without_its_mark_when_borders_are_counted() {
    soak("sorted").await;
}

#[expect(clippy::print_stdout, reason = "shown when the test fails")]
async fn soak(strategy: &str) {
    let seconds: u64 = setting("KB_SOAK_SECONDS").unwrap_or(45);
    let seed = setting("KB_SOAK_SEED").unwrap_or_else(|| fastrand::u64(..));
    println!("KB_SOAK_SECONDS={seconds} KB_SOAK_SEED={seed}");
    let portal = portal(seed).await;
    let workspace = workspace(&portal, strategy);
    let mut command = workspace.command();
    let exporter = Exporter::launch(command.args(["run", "--log.level", "debug"])).await;
    let mut oracle = Oracle::new(&portal.simulator, "soak");
    let people = people::People::start(&portal, seed);
    let mut weather = chance::Weather::new(&portal, seed);
    let begun = Instant::now();
    let mut scrapes = 0;
    while begun.elapsed() < Duration::from_secs(seconds) {
        weather.change();
        judge(&mut oracle, &exporter.metrics().await, seed);
        scrapes += 1;
        if scrapes % 50 == 0 {
            witness::reads_well(&exporter, KEY).await;
        }
        tokio::time::sleep(SCRAPES).await;
    }
    portal.faults.clear();
    people.stop().await;
    give_all_folders_back(&portal);
    let ended = Instant::now();
    wait_for("all is counted and right", async || {
        let metrics = exporter.metrics().await;
        judge(&mut oracle, &metrics, seed);
        is_right(&portal, &metrics).then_some(())
    })
    .await;
    let recovery = ended.elapsed();
    assert!(
        recovery < RECOVERED,
        "recovered after {recovery:?}, seed {seed}"
    );
    let peak = witness::was_well(&exporter, KEY);
    println!(
        "{} looks judged, {} at moving folders, {} marked; {} requests struck, {} changes, {scrapes} scrapes, peak {peak} MiB, recovery {recovery:?}",
        oracle.judged,
        oracle.moved,
        oracle.marked,
        portal.faults.struck(),
        portal.world(|world| world.sequence()),
    );
    assert!(
        oracle.judged > seconds / 2 && portal.faults.struck() > seconds / 2,
        "nothing happened"
    );
    exporter.stop().await;
}

fn setting(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is no number: {text}")),
    )
}

/// A portal whose files change only when the test wants it, so that nothing changes in the end.
async fn portal(seed: u64) -> Ailing {
    let simulator = Simulator::new(Options {
        seed,
        speed: 0.0,
        folders: 7,
        files: 3_000,
        key: KEY.to_owned(),
        ..Options::default()
    });
    Ailing::serve(simulator, seed).await
}

fn workspace(portal: &Ailing, strategy: &str) -> Workspace {
    let workspace = Workspace::with(&[("soak", portal.base_url())], |config| {
        let collect = &mut config["collect"];
        collect["strategy"] = strategy.into();
        collect["schedule"] = "1s".into();
        collect["timeout"] = "3s".into();
        collect["stale_after"] = "5s".into();
        // A read takes long enough for something to change meanwhile.
        collect["max_requests_per_second"] = 50.into();
        collect["concurrency"] = 2.into();
        collect["max_pages_per_folder"] = 100.into();
        config["request"] =
            serde_json::json!({"timeout": "500ms", "connect_timeout": "500ms", "retries": 1});
    });
    std::fs::write(workspace.path("key"), KEY).unwrap();
    workspace
}

/// The key may use every folder that exists.
fn give_all_folders_back(portal: &Ailing) {
    portal.world(|world| {
        let folders = world.folder_ids();
        world.key_folders(KEY, folders);
    });
}

fn judge(oracle: &mut Oracle, metrics: &Exposition, seed: u64) {
    let judged = oracle.judge(metrics).and_then(|()| is_fresh(metrics));
    if let Err(contradiction) = judged {
        panic!("seed {seed}: {contradiction}");
    }
}

/// No count is older than it may be.
fn is_fresh(metrics: &Exposition) -> Result<(), String> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs_f64();
    let interval = metrics.value("kb_collection_interval_seconds", &[]);
    let oldest = STALE_AFTER.max(3.0 * interval.unwrap_or(0.0)) + 2.0;
    for consistent in metrics.all("kb_folder_consistent", &[]) {
        let id = [("folder_id", consistent.labels["folder_id"].as_str())];
        let counted = metrics.value("kb_folder_last_success_timestamp_seconds", &id);
        let age = now - counted.unwrap_or(0.0);
        if age > oldest {
            return Err(format!("{id:?} shows counts that are {age} s old"));
        }
    }
    Ok(())
}

/// Every folder of the key is counted as it is.
fn is_right(portal: &Ailing, metrics: &Exposition) -> bool {
    let mut folders = portal.world(|world| world.folder_ids()).into_iter();
    metrics.value("kb_portal_up", &[]) == Some(1.0)
        && folders.all(|folder| {
            let id = folder.to_string();
            let labels = [("folder_id", id.as_str())];
            metrics.value("kb_folder_up", &labels) == Some(1.0)
                && metrics.value("kb_folder_consistent", &labels) == Some(1.0)
                && metrics.by_status("kb_folder_files", &id) == portal.counts(folder)
        })
}
