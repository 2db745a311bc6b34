//! Folders that the configuration excludes, by a name that they got later or by a reload, and that come back.

use super::leaving::{families_of, with_another};
use super::{End, Status, Story};
use kb_exposition::Exposition;

use serde_json::{Value, json};
use uuid::Uuid;

/// Excludes names from the only portal; nothing with an empty list.
fn exclude(patterns: &'static [&'static str]) -> impl FnOnce(&mut Value) {
    move |config| config["portals"][0]["folders"] = json!({"exclude": patterns})
}

impl Story {
    /// Lets the running program read another configuration.
    async fn reload(&mut self, change: impl FnOnce(&mut Value)) {
        self.exporter.reconfigure(&mut self.workspace, change).await;
    }

    fn rename(&self, folder: Uuid, name: &str) {
        let renamed = self.portal.world(|world| world.rename_folder(folder, name));
        renamed.unwrap();
    }

    /// One file of a folder failed, and that was seen.
    async fn fails(&self, folder: Uuid) {
        let file = self.portal.world(|world| world.file_ids(folder))[0];
        self.portal.set(folder, file, Status::Failed);
        self.failed_once(folder).await;
    }

    /// What `/metrics` says when one failure of a folder is counted.
    async fn failed_once(&self, folder: Uuid) -> Exposition {
        let labels = [("folder_id", &*folder.to_string()), ("status", "failed")];
        let entries = "kb_folder_status_entries_total";
        self.exporter.until_value(entries, &labels, 1.0).await
    }

    async fn vanishes(&self, folder: Uuid) {
        let vanished = |metrics: &Exposition| families_of(metrics, folder).is_empty();
        self.exporter
            .metrics_when("the folder has no series", vanished)
            .await;
    }

    /// The folder is counted and has the counters that it had.
    async fn is_back(&self, folder: Uuid) {
        let id = folder.to_string();
        let labels = [("folder_id", &*id)];
        self.exporter
            .until_value("kb_folder_up", &labels, 1.0)
            .await;
        let metrics = self.failed_once(folder).await;
        let mut unavailable = metrics.all("kb_folder_unavailable", &[]);
        assert!(unavailable.next().is_none());
    }
}

#[tokio::test]
async fn a_folder_that_is_renamed_out_of_the_filter_is_not_collected_any_more() {
    let (mut story, other) = with_another().await;
    story.fails(other).await;
    story.reload(exclude(&["Archive *"])).await;
    story.rename(other, "Archive 2026");
    story.vanishes(other).await;
    let id = other.to_string();
    let asked = story.portal.requests_with(&id);
    story.exporter.collected_again().await;

    let story = story.restarted(End::Killed).await;
    let metrics = story.exporter.metrics().await;
    assert_eq!(families_of(&metrics, other), [""; 0]);
    story.portal.heal();
    let metrics = story.exporter.collected_again().await;
    assert_eq!(families_of(&metrics, other), [""; 0]);
    assert_eq!(story.portal.requests_with(&id), asked);

    story.rename(other, "Other");
    story.is_back(other).await;
}
