//! What survives the end of the process, in order or not.

use super::{End, Status, Story};
use crate::support::exporter::Exporter;

const ENDS: [End; 2] = [End::Stopped, End::Killed];

#[tokio::test]
async fn counters_and_times_survive_however_the_process_ends() {
    for end in ENDS {
        let story = Story::begin(|portal, folder| {
            portal.file(folder, "a.pdf", Status::Done);
        })
        .await;
        story.seen(story.file(), Status::Failed).await;
        let arrived = story.portal.file(story.folder, "b.pdf", Status::Pending);
        story.exporter.collected_again().await;
        let before = story.seen(arrived, Status::Done).await;
        let story = story.restarted(end).await;
        let after = story.exporter.metrics().await;
        for (status, entries) in [("failed", 1), ("pending", 1), ("done", 1)] {
            assert_eq!(story.entries(&before, status), entries, "{end:?} {status}");
            assert_eq!(story.entries(&after, status), entries, "{end:?} {status}");
        }
        assert_eq!(
            before.count("kb_folder_indexing_seconds_count", &[]),
            Some(1)
        );
        for name in [
            "kb_folder_indexing_seconds_count",
            "kb_folder_indexing_seconds_sum",
        ] {
            assert_eq!(
                after.value(name, &[]),
                before.value(name, &[]),
                "{end:?} {name}"
            );
        }
        // Collections went on while the one before was read.
        let success = "kb_collection_last_success_timestamp_seconds";
        let (restored, seen) = (after.value(success, &[]), before.value(success, &[]));
        assert!(
            restored.is_some() && restored >= seen,
            "{end:?}: {restored:?} {seen:?}"
        );
    }
}

#[tokio::test]
async fn counts_are_not_shown_from_before_the_restart() {
    let story = Story::begin(|portal, folder| {
        portal.file(folder, "a.pdf", Status::Done);
    })
    .await;
    let story = story.restarted(End::Stopped).await;
    let metrics = story.exporter.metrics().await;
    assert_eq!(metrics.all("kb_folder_files", &[]).count(), 0);
    assert_eq!(metrics.all("kb_folder_up", &[]).count(), 0);
}

#[tokio::test]
async fn a_failure_that_was_seen_before_the_restart_is_not_new_after_it() {
    for end in ENDS {
        let story = Story::begin(|portal, folder| {
            portal.file(folder, "a.pdf", Status::Done);
            portal.file(folder, "b.pdf", Status::Failed);
        })
        .await;
        let metrics = story.seen(story.file(), Status::Failed).await;
        let since = story.oldest(&metrics, "failed");
        let story = story.restarted(end).await;
        story.portal.heal();
        let metrics = story.exporter.collected_again().await;
        assert_eq!(story.entries(&metrics, "failed"), 1, "{end:?}");
        assert_eq!(story.oldest(&metrics, "failed"), since, "{end:?}");
    }
}

#[tokio::test]
async fn a_failure_during_the_restart_is_seen_after_it() {
    let story = Story::begin(|portal, folder| {
        portal.file(folder, "a.pdf", Status::Done);
    })
    .await;
    let file = story.file();
    let story = story.restarted(End::Stopped).await;
    story.portal.set(story.folder, file, Status::Failed);
    story.portal.heal();
    let metrics = story.exporter.collected().await;
    assert_eq!(story.entries(&metrics, "failed"), 1);
}

#[tokio::test]
async fn a_state_folder_is_held_by_one_process_and_the_other_one_says_so() {
    let story = Story::begin(|portal, folder| {
        portal.file(folder, "a.pdf", Status::Done);
    })
    .await;
    let second = Exporter::start(&story.workspace).await;
    second.collected().await;
    story.portal.set(story.folder, story.file(), Status::Failed);
    let of_second = second.collected_again().await;
    let of_first = story.exporter.collected_again().await;
    assert_eq!(story.entries(&of_first, "failed"), 1);
    assert_eq!(story.entries(&of_second, "failed"), 0, "stands still");
    assert_eq!(
        of_second.by_status("kb_folder_files", &story.id())["failed"],
        1
    );
    let health = second.json("/health").await;
    assert_eq!(health["status"], "warn");
    let output = health["checks"]["portal:main"][0]["output"].to_string();
    assert!(
        output.contains("counters of entries stand still"),
        "{output}"
    );
}
