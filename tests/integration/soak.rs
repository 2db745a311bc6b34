//! A long run in which everything goes wrong at random, and no number is ever wrong without its mark.

mod chance;
mod people;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kb_simulator::{Options, Simulator};

use crate::faults::oracle::Oracle;
use crate::faults::witness;
use crate::support::exporter::{Exporter, ended_collections};
use crate::support::portal::Portal;
use crate::support::random::Random;
use crate::support::wait::wait_for;
use crate::support::workspace::Workspace;
use kb_exposition::Exposition;

const KEY: &str = "kbk_soak_1f0e9d8c7b6a";

/// Counts are withdrawn when they are older.
const STALE_AFTER: f64 = 5.0;

/// Collections from the last fault until all is right.
const RECOVERED: u64 = 20;

/// Between two scrapes.
const SCRAPES: Duration = Duration::from_millis(40);

/// Times at which the faults change.
const CHANGES: usize = 12;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_number_is_ever_wrong_without_its_mark_when_every_page_is_read() {
    soak("full", Random::fixed(1, CHANGES)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_number_is_ever_wrong_without_its_mark_when_boundaries_are_counted() {
    soak("sorted", Random::fixed(2, CHANGES)).await;
}

/// The events are changes of the faults.
#[expect(clippy::print_stdout, reason = "shown when the test fails")]
pub(crate) async fn soak(strategy: &str, random: Random) {
    let portal = portal(random.seed).await;
    let workspace = workspace(&portal, strategy);
    let mut command = workspace.command();
    let exporter = Exporter::launch(command.args(["run", "--log.level", "debug"])).await;
    let mut oracle = Oracle::new(&portal.simulator());
    let people = people::People::start(&portal, random.seed);
    let mut weather = chance::Weather::new(&portal, random.seed);
    let mut scrapes = 0;
    while random.goes_on(weather.changes()) {
        weather.change();
        judge(&mut oracle, &exporter).await;
        scrapes += 1;
        if scrapes % 50 == 0 {
            witness::reads_well(&exporter, KEY).await;
        }
        tokio::time::sleep(SCRAPES).await;
    }
    portal.faults.clear();
    people.stop().await;
    give_all_folders_back(&portal);
    let before = ended_collections(&exporter.metrics().await);
    let last = wait_for("all is counted and right", async || {
        let metrics = judge(&mut oracle, &exporter).await;
        is_right(&portal, &metrics).then_some(metrics)
    })
    .await;
    let recovery = ended_collections(&last) - before;
    assert!(recovery <= RECOVERED, "{recovery} collections");
    let peak = witness::was_well(&exporter, KEY);
    let struck = portal.faults.struck();
    println!(
        "{} looks judged, {} at moving folders, {} marked; {struck} requests struck, {} changes, {scrapes} scrapes, peak {peak} MiB, recovery in {recovery} collections",
        oracle.judged,
        oracle.moved,
        oracle.marked,
        portal.world(|world| world.sequence()),
    );
    let enough = weather.changes() as u64 / 2;
    assert!(
        oracle.judged > enough && struck > enough,
        "nothing happened"
    );
    exporter.stop().await;
}

/// A portal whose files change only when the test wants it, so that nothing changes in the end.
async fn portal(seed: u64) -> Portal {
    let simulator = Simulator::new(Options {
        seed,
        speed: 0.0,
        folders: 7,
        files: 3_000,
        key: KEY.to_owned(),
        ..Options::default()
    });
    Portal::of(simulator, seed).await
}

fn workspace(portal: &Portal, strategy: &str) -> Workspace {
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
fn give_all_folders_back(portal: &Portal) {
    portal.world(|world| {
        let folders = world.folder_ids();
        world.key_folders(KEY, folders);
    });
}

/// What `/metrics` says now, which contradicts nothing.
async fn judge(oracle: &mut Oracle, exporter: &Exporter) -> Exposition {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let metrics = exporter.metrics().await;
    if let Err(contradiction) = oracle.judge(&metrics) {
        panic!("{contradiction}");
    }
    is_fresh(&metrics, now.as_secs_f64());
    metrics
}

/// No count of a folder that cannot be read is older than it may be.
fn is_fresh(metrics: &Exposition, now: f64) {
    let interval = metrics.value("kb_collection_interval_seconds", &[]);
    let oldest = STALE_AFTER.max(3.0 * interval.unwrap_or(0.0));
    for consistent in metrics.all("kb_folder_consistent", &[]) {
        let own = metrics.folder(&consistent.labels["folder_id"]);
        if own.value("kb_folder_up", &[]) == Some(1.0) {
            continue;
        }
        let counted = own.value("kb_folder_last_success_timestamp_seconds", &[]);
        let age = now - counted.unwrap_or(0.0);
        assert!(
            age <= oldest,
            "{:?} shows counts that are {age} s old",
            consistent.labels
        );
    }
}

/// Every folder of the key is counted as it is.
fn is_right(portal: &Portal, metrics: &Exposition) -> bool {
    let mut folders = portal.world(|world| world.folder_ids()).into_iter();
    metrics.value("kb_portal_up", &[]) == Some(1.0)
        && folders.all(|folder| {
            let own = metrics.folder(folder);
            own.value("kb_folder_up", &[]) == Some(1.0)
                && own.value("kb_folder_consistent", &[]) == Some(1.0)
                && own.by_status("kb_folder_files") == portal.counts(folder)
        })
}
