//! What is remembered from one collection to the next, and over the end of the process.

mod filters;
mod leaving;
mod restart;
mod saved;
pub(crate) mod turmoil;

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::workspace::Workspace;
use kb_exposition::Exposition;

use chrono::{DateTime, Duration, SubsecRound, Utc};
use kb_simulator::{Content, NewFile, Sent, Status};
use uuid::Uuid;

/// A portal with one folder, collected once a second.
struct Story {
    portal: Portal,
    folder: Uuid,
    workspace: Workspace,
    exporter: Exporter,
}

impl Story {
    /// Begins when the folder was counted for the first time.
    async fn begin(fill: impl FnOnce(&Portal, Uuid)) -> Self {
        let portal = Portal::start().await;
        let folder = portal.folder("Inbox");
        fill(&portal, folder);
        let workspace = Workspace::each_second(&[("main", portal.base_url())]);
        let exporter = Exporter::start(&workspace).await;
        exporter.collected().await;
        Self {
            portal,
            folder,
            workspace,
            exporter,
        }
    }

    fn id(&self) -> String {
        self.folder.to_string()
    }

    /// The folder's first file by name.
    fn file(&self) -> Uuid {
        self.portal.world(|world| world.file_ids(self.folder))[0]
    }

    /// Brings a file into a status and waits until a collection has seen it.
    async fn seen(&self, file: Uuid, status: Status) -> Exposition {
        self.portal.set(self.folder, file, status);
        self.exporter.collected_again().await
    }

    fn entries(&self, metrics: &Exposition, status: &str) -> u64 {
        let entries = metrics.by_status("kb_folder_status_entries_total", &self.id());
        entries[status]
    }

    fn oldest(&self, metrics: &Exposition, status: &str) -> Option<f64> {
        let labels = [("folder_id", &*self.id()), ("status", status)];
        metrics.value("kb_folder_oldest_file_timestamp_seconds", &labels)
    }

    /// Ends the process and starts it again, while the portal does not answer: what is shown then was stored on disk.
    async fn restarted(self, end: End) -> Self {
        self.restarted_after(end, || {}).await
    }

    /// The same after something was done between the two processes.
    async fn restarted_after(self, end: End, between: impl FnOnce()) -> Self {
        end.of(self.exporter).await;
        between();
        self.portal.hold("/mine");
        let exporter = Exporter::start(&self.workspace).await;
        Self { exporter, ..self }
    }

    /// Ends the process and goes on with another one that runs.
    async fn with_exporter(self, end: End, exporter: Exporter) -> Self {
        end.of(self.exporter).await;
        Self { exporter, ..self }
    }
}

/// How a process ends.
#[derive(Debug, Clone, Copy)]
enum End {
    Stopped,
    Killed,
}

impl End {
    async fn of(self, exporter: Exporter) {
        match self {
            Self::Stopped => exporter.stop().await,
            Self::Killed => exporter.kill().await,
        }
    }
}

#[tokio::test]
async fn a_file_that_fails_enters_once_however_often_it_is_seen() {
    let story = Story::begin(|portal, folder| {
        portal.file(folder, "a.pdf", Status::Done);
    })
    .await;
    let file = story.file();
    let metrics = story.seen(file, Status::Failed).await;
    assert_eq!(story.entries(&metrics, "failed"), 1);
    let metrics = story.exporter.collected_again().await;
    assert_eq!(story.entries(&metrics, "failed"), 1);
    assert_eq!(story.entries(&metrics, "done"), 0);
}

#[tokio::test]
async fn a_retry_that_fails_again_is_no_new_failure() {
    let story = Story::begin(|portal, folder| {
        portal.file(folder, "a.pdf", Status::Failed);
    })
    .await;
    let file = story.file();
    let metrics = story.seen(file, Status::Pending).await;
    assert_eq!(story.entries(&metrics, "pending"), 1);
    let metrics = story.seen(file, Status::Failed).await;
    assert_eq!(story.entries(&metrics, "failed"), 0);
    let metrics = story.seen(file, Status::Flagged).await;
    assert_eq!(story.entries(&metrics, "flagged"), 1);
}

#[tokio::test]
async fn one_failure_for_another_is_seen_though_the_count_stands_still() {
    let story = Story::begin(|portal, folder| {
        portal.file(folder, "a.pdf", Status::Failed);
        portal.file(folder, "b.pdf", Status::Done);
    })
    .await;
    story.portal.world(|world| {
        let files = world.file_ids(story.folder);
        let set = [(files[0], Status::Done), (files[1], Status::Failed)];
        for (file, status) in set {
            world.set_status(story.folder, file, status, None).unwrap();
        }
    });
    let metrics = story.exporter.collected_again().await;
    assert_eq!(story.entries(&metrics, "failed"), 1);
    let files = metrics.by_status("kb_folder_files", &story.id());
    assert_eq!((files["failed"], files["done"]), (1, 1));
}

#[tokio::test]
async fn a_file_that_is_replaced_and_fails_again_is_a_new_failure() {
    let story = Story::begin(|portal, folder| {
        let sent = vec![text_file(b"first")];
        portal
            .world(|world| world.upload(folder, sent, None))
            .unwrap();
    })
    .await;
    let first = story.file();
    let metrics = story.seen(first, Status::Failed).await;
    assert_eq!(story.entries(&metrics, "failed"), 1);
    // Replaced and failed in one step, so that no collection sees it in between.
    story.portal.world(|world| {
        let sent = vec![text_file(b"second")];
        world.upload(story.folder, sent, None).unwrap();
        let second = world.file_ids(story.folder)[0];
        assert_ne!(second, first);
        world
            .set_status(story.folder, second, Status::Failed, None)
            .unwrap();
    });
    let metrics = story.exporter.collected_again().await;
    assert_eq!(story.entries(&metrics, "failed"), 2);
    assert_eq!(
        metrics.by_status("kb_folder_files", &story.id())["failed"],
        1
    );
}

#[tokio::test]
async fn the_longest_waiting_file_is_known_by_its_upload_at_the_first_count_and_by_its_sight_later()
{
    let now = Utc::now().trunc_subsecs(3);
    let (old, older) = (now - Duration::hours(2), now - Duration::hours(3));
    let story = Story::begin(|portal, folder| {
        for created_at in [old, older] {
            portal.add(folder, &created(created_at, Status::Pending));
        }
    })
    .await;
    let metrics = story.exporter.metrics().await;
    assert_eq!(story.oldest(&metrics, "pending"), Some(seconds(older)));
    assert_eq!(story.oldest(&metrics, "failed"), None);
    assert_eq!(story.oldest(&metrics, "done"), None);
    let began = seconds(Utc::now());
    let file = story.file();
    let metrics = story.seen(file, Status::Failed).await;
    let since = story.oldest(&metrics, "failed").unwrap();
    assert!(since >= began, "{since} {began}");
    let metrics = story.exporter.collected_again().await;
    assert_eq!(story.oldest(&metrics, "failed"), Some(since));
}

fn text_file(content: &[u8]) -> Sent {
    Sent {
        filename: "note.txt".to_owned(),
        content_type: None,
        content: Content::from(content),
    }
}

fn created(created_at: DateTime<Utc>, status: Status) -> NewFile {
    NewFile {
        created_at: Some(created_at),
        status,
        ..NewFile::default()
    }
}

#[expect(clippy::cast_precision_loss, reason = "exact for centuries")]
fn seconds(time: DateTime<Utc>) -> f64 {
    time.timestamp_millis() as f64 / 1000.0
}
