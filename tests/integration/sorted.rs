//! Folders that are counted by the boundaries between statuses.

use std::collections::BTreeMap;

use kb_simulator::{Position, SortParameters, Status, Switches};
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

async fn portal(change: impl FnOnce(&mut Switches)) -> Portal {
    Portal::with(|options| change(&mut options.switches)).await
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

/// The portal's own counts, as the exposition words them.
fn held(portal: &Portal, folder: Uuid) -> BTreeMap<String, u64> {
    let counts = portal.world(|world| world.counts(folder)).unwrap();
    let words = ["pending", "processing", "done", "failed", "flagged"];
    let mut held = BTreeMap::from(words.map(|word| (word.to_owned(), 0)));
    for (status, files) in counts {
        let named = Status::KNOWN.iter().position(|known| *known == status);
        let word = named.map_or("unknown", |at| words[at]);
        *held.entry(word.to_owned()).or_default() += files;
    }
    held
}

fn is_exact(portal: &Portal, metrics: &Exposition, folder: Uuid) {
    let id = folder.to_string();
    let labels = [("folder_id", id.as_str())];
    let shown = metrics.by_status("kb_folder_files", &id);
    assert_eq!(shown, held(portal, folder), "{id}");
    assert_eq!(metrics.value("kb_folder_consistent", &labels), Some(1.0));
}

fn requests(metrics: &Exposition, folder: Uuid, strategy: &str) -> Option<u64> {
    let id = folder.to_string();
    let labels = [("folder_id", id.as_str()), ("strategy", strategy)];
    metrics.count("kb_folder_collection_requests", &labels)
}

/// Counts folders of any size until all rows were read that shall be, and holds the reads from then on to what they may cost beside the list.
async fn costs_little(change: impl FnOnce(&mut Switches)) {
    let portal = portal(change).await;
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
    let workspace = workspace(&portal, |config| {
        config["collect"]["quiet_every"] = "1s".into();
    });
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
async fn a_folder_of_any_size_costs_what_is_not_done() {
    costs_little(|_| {}).await;
}

/// Counts exactly, and says that the portal does not sort.
async fn is_not_believed(change: impl FnOnce(&mut Switches)) {
    let exporter = counts_are_exact(change).await;
    let health = exporter.json("/health").await;
    let said = health["checks"]["portal:main"][0]["output"].to_string();
    assert!(said.contains("does not sort by status"), "{said}");
}

/// Counts exactly, and by the boundaries.
async fn is_believed(change: impl FnOnce(&mut Switches)) {
    let exporter = counts_are_exact(change).await;
    let metrics = exporter.metrics().await;
    let refuted = metrics.value("kb_portal_sorting", &[("state", "refuted")]);
    assert_eq!(refuted, Some(0.0));
    let sorted = metrics.all("kb_folder_collection_requests", &[("strategy", "sorted")]);
    assert!(sorted.count() > 0);
}

/// Counts folders in which a portal that sorts otherwise could be believed, three times.
async fn counts_are_exact(change: impl FnOnce(&mut Switches)) -> Exporter {
    let portal = portal(change).await;
    let quarantined = Status::Other("quarantined".into());
    let contents: [&[(Status, usize)]; 5] = [
        &[(Status::Done, 700), (Status::Failed, 450)],
        &[(Status::Done, 1_200)],
        &[
            (Status::Failed, 3),
            (Status::Done, 900),
            (quarantined.clone(), 120),
        ],
        &[(quarantined, 240), (Status::Done, 20)],
        &[(Status::Pending, 600)],
    ];
    let mut folders = Vec::new();
    for (number, content) in contents.into_iter().enumerate() {
        let folder = portal.folder(&format!("Folder {number}"));
        for (status, files) in content {
            portal
                .world(|world| world.add_files(folder, status, *files))
                .unwrap();
        }
        folders.push(folder);
    }
    let mixed = portal.folder("Mixed");
    Tally::fill(&portal, mixed, 1_200);
    folders.push(mixed);
    let workspace = workspace(&portal, |_| {});
    let exporter = Exporter::start(&workspace).await;
    for _ in 0..2 {
        // What boundaries counted is marked when the portal turns out not to sort.
        let metrics = exporter
            .metrics_when("every folder is counted without a mark", |metrics| {
                let consistent = metrics.all("kb_folder_consistent", &[]);
                consistent.filter(|sample| sample.count() == 1).count() == folders.len()
            })
            .await;
        for folder in &folders {
            is_exact(&portal, &metrics, *folder);
        }
        exporter.collected_again().await;
    }
    exporter
}

#[tokio::test]
async fn a_portal_that_ignores_what_it_is_to_sort_by_is_read_in_full() {
    is_not_believed(|switches| switches.sort_parameters = SortParameters::ByIgnored).await;
    is_not_believed(|switches| switches.sort_parameters = SortParameters::Ignored).await;
}

#[tokio::test]
async fn a_portal_that_ignores_the_direction_is_counted_by_boundaries() {
    is_believed(|switches| switches.sort_parameters = SortParameters::OrderIgnored).await;
}

#[tokio::test]
async fn unknown_statuses_that_are_last_in_both_directions_are_counted() {
    is_believed(|switches| switches.unnamed_statuses = Position::LastEitherWay).await;
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
