//! Folders that are counted by the boundaries between statuses.

use kb_simulator::Status;
use serde_json::Value;
use uuid::Uuid;

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::tally::Tally;
use crate::support::workspace::Workspace;
use kb_exposition::Exposition;

/// The requests of a count by boundaries, at most: of a folder of any size in which every file is done, or 375 files have each other status.
pub(crate) const MOST_REQUESTS_IF_ALL_DONE: u64 = 3;
pub(crate) const MOST_REQUESTS_WITH_1_500_NOT_DONE: u64 = 24;

const WAITING: [Status; 4] = [
    Status::Failed,
    Status::Flagged,
    Status::Pending,
    Status::Processing,
];

/// Collects once a second, by boundaries.
fn workspace(portal: &Portal, change: impl FnOnce(&mut Value)) -> Workspace {
    Workspace::with(&[("main", portal.base_url())], |config| {
        config["collect"]["schedule"] = "1s".into();
        config["collect"]["strategy"] = "sorted".into();
        change(config);
    })
}

/// A folder that computes its rows.
fn synthetic(portal: &Portal, name: &str, waiting: u64, done: u64) -> Uuid {
    let waiting = WAITING.map(|status| (status, waiting));
    let counts = waiting.into_iter().chain([(Status::Done, done)]).collect();
    portal.world(|world| world.add_synthetic_folder(name, &counts))
}

/// A folder that computes its rows, of which some failed.
fn failed(portal: &Portal, name: &str, failed: u64, done: u64) -> Uuid {
    let counts = [(Status::Failed, failed), (Status::Done, done)].into();
    portal.world(|world| world.add_synthetic_folder(name, &counts))
}

fn is_exact(portal: &Portal, metrics: &Exposition, folder: Uuid) {
    let own = metrics.folder(folder);
    let shown = own.by_status("kb_folder_files");
    assert_eq!(shown, portal.counts(folder), "{folder}");
    assert_eq!(own.value("kb_folder_consistent", &[]), Some(1.0));
}

fn requests(metrics: &Exposition, folder: Uuid, strategy: &str) -> Option<u64> {
    let own = metrics.folder(folder);
    own.count("kb_folder_collection_requests", &[("strategy", strategy)])
}

/// Counts folders of any size until all rows were read that shall be, and holds the reads from then on to what they may cost beside the list.
#[tokio::test]
async fn a_folder_of_any_size_costs_what_is_not_done() {
    let portal = Portal::start().await;
    let folders = [
        (
            synthetic(&portal, "A million", 375, 998_500),
            MOST_REQUESTS_WITH_1_500_NOT_DONE,
        ),
        (
            synthetic(&portal, "A hundred million", 375, 99_998_500),
            MOST_REQUESTS_WITH_1_500_NOT_DONE,
        ),
        (
            synthetic(&portal, "All done", 0, 1_000_000),
            MOST_REQUESTS_IF_ALL_DONE,
        ),
        (failed(&portal, "Many failed", 15_000, 85_000), 130),
        (synthetic(&portal, "Much is wrong", 3_000, 600_000), 105),
        (synthetic(&portal, "Nothing is done", 3_000, 0), 105),
    ];
    // A scan of its few pages shows that the portal sorts.
    failed(&portal, "A few", 60, 400);
    let workspace = workspace(&portal, |_| {});
    let exporter = Exporter::start(&workspace).await;
    let metrics = exporter
        .metrics_when("reads by boundaries cost little", |metrics| {
            let took = |folder: &Uuid| requests(metrics, *folder, "sorted");
            let is_cheap =
                |(folder, most): &(Uuid, u64)| took(folder).is_some_and(|took| took <= *most);
            let mut consistent = metrics.all("kb_folder_consistent", &[]);
            folders.iter().all(is_cheap) && consistent.all(|sample| sample.count() == 1)
        })
        .await;
    for (folder, _) in folders {
        is_exact(&portal, &metrics, folder);
    }
}

#[tokio::test]
async fn what_only_a_full_read_tells_comes_beside_the_collections() {
    let portal = Portal::start().await;
    let folder = portal.folder("Inbox");
    let tally = Tally::fill(&portal, folder, 1_500);
    let workspace = workspace(&portal, |config| {
        config["collect"]["full_every"] = "1m".into();
    });
    let exporter = Exporter::start(&workspace).await;
    let metrics = exporter
        .metrics_when("counted by boundaries, and read in full", |metrics| {
            let sizes = metrics.all("kb_folder_size_bytes", &[]);
            requests(metrics, folder, "sorted").is_some() && sizes.count() == 5
        })
        .await;
    assert_eq!(Tally::shown(&metrics, folder), tally);
}
