//! Folders that leave: their counts go, and what became of them stays for a while.

use super::{End, Status, Story};
use kb_exposition::Exposition;

use uuid::Uuid;

const KEY: &str = "kbk_demo";

/// A story with a second folder, which has one file.
pub(super) async fn with_another() -> (Story, Uuid) {
    let story = Story::begin(|portal, folder| {
        portal.file(folder, "a.pdf", Status::Done);
        let other = portal.folder("Other");
        portal.file(other, "b.pdf", Status::Done);
    })
    .await;
    let other = story.portal.world(|world| world.folder_ids())[1];
    (story, other)
}

/// Every name of which a folder has a series.
pub(super) fn families_of(metrics: &Exposition, folder: Uuid) -> Vec<String> {
    let own = metrics.folder(folder).samples.into_iter();
    own.map(|sample| sample.name).collect()
}

/// The key may use the first folder alone.
fn lose_all_but_the_first(story: &Story) {
    let first = story.folder;
    story.portal.world(|world| world.key_folders(KEY, [first]));
}

/// The folder has no counts, and says why.
fn has_left(metrics: &Exposition, folder: Uuid, reason: &str) {
    assert_eq!(
        families_of(metrics, folder),
        ["kb_folder_unavailable", "kb_folder_up"]
    );
    let own = metrics.folder(folder);
    assert_eq!(own.value("kb_folder_up", &[]), Some(0.0));
    let labels = [("reason", reason), ("folder", "Other")];
    let unavailable = own.value("kb_folder_unavailable", &labels);
    assert_eq!(unavailable, Some(1.0), "{reason}");
}

/// The other folder is what it was, and no collection was called less than a success.
fn changes_nothing_else(story: &Story, metrics: &Exposition) {
    let own = metrics.folder(story.folder);
    assert_eq!(own.by_status("kb_folder_files")["done"], 1);
    assert_eq!(own.value("kb_folder_up", &[]), Some(1.0));
    for result in ["partial", "failure"] {
        let runs = metrics.count("kb_collection_runs_total", &[("result", result)]);
        assert_eq!(runs, Some(0), "{result}");
    }
}

#[tokio::test]
async fn a_folder_that_leaves_the_set_of_the_key_loses_its_counts_and_keeps_the_reason() {
    let (story, other) = with_another().await;
    lose_all_but_the_first(&story);
    let metrics = story.exporter.collected_again().await;
    has_left(&metrics, other, "unlisted");
    changes_nothing_else(&story, &metrics);
    assert_eq!(metrics.count("kb_portal_folders", &[]), Some(1));
    let story = story.restarted(End::Killed).await;
    has_left(&story.exporter.metrics().await, other, "unlisted");
    story.portal.heal();
    has_left(&story.exporter.collected().await, other, "unlisted");
}

#[tokio::test]
async fn a_folder_that_comes_back_goes_on_where_it_was() {
    let (story, other) = with_another().await;
    let entered = |metrics: &Exposition| {
        let entries = metrics
            .folder(other)
            .by_status("kb_folder_status_entries_total");
        entries.get("failed") == Some(&1)
    };
    let file = story.portal.world(|world| world.file_ids(other))[0];
    story.portal.set(other, file, Status::Failed);
    let exporter = &story.exporter;
    exporter.metrics_when("the file entered", entered).await;
    lose_all_but_the_first(&story);
    has_left(&story.exporter.collected_again().await, other, "unlisted");
    story.portal.world(|world| world.grant(KEY, other));
    let metrics = story.exporter.collected_again().await;
    assert!(entered(&metrics));
    let own = metrics.folder(other);
    assert_eq!(own.by_status("kb_folder_files")["failed"], 1);
    assert_eq!(metrics.all("kb_folder_unavailable", &[]).count(), 0);
}
