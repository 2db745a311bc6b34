//! What survives the end of the process, in order or not.

use super::{End, Status, Story};
use crate::support::exporter::Exporter;

const ENDS: [End; 2] = [End::Stopped, End::Killed];

#[tokio::test]
async fn counters_and_times_survive_however_the_process_ends() {
    for end in ENDS {
        let story = Story::with_one_file().await;
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
        let since = story.oldest(&before, "failed");
        assert!(since.is_some() && story.oldest(&after, "failed") == since);
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
async fn stored_counts_are_shown_at_once_with_their_time_until_the_folder_is_read() {
    const COUNTED: &str = "kb_folder_last_success_timestamp_seconds";
    let story = Story::begin(|portal, folder| {
        portal.file(folder, "a.pdf", Status::Done);
        portal.file(folder, "b.pdf", Status::Failed);
    })
    .await;
    story.exporter.collected_again().await;
    let story = story.restarted(End::Stopped).await;
    let metrics = story.exporter.metrics().await;
    let files = metrics.folder(story.folder).by_status("kb_folder_files");
    assert_eq!((files["done"], files["failed"]), (1, 1));
    let errors = metrics.all("kb_folder_file_errors", &[("error", "unspecified")]);
    assert_eq!(errors.count(), 1);
    assert!(story.oldest(&metrics, "failed").is_some());
    assert_eq!(metrics.value("kb_folder_consistent", &[]), Some(1.0));
    assert_eq!(metrics.value("kb_folder_up", &[]), Some(1.0));

    story.portal.heal();
    let read = story.exporter.collected().await;
    assert_eq!(read.value("kb_folder_up", &[]), Some(1.0));
    assert!(read.value(COUNTED, &[]) > metrics.value(COUNTED, &[]));
}

#[tokio::test]
async fn a_failure_during_the_restart_is_seen_after_it() {
    let story = Story::with_one_file().await;
    let file = story.file();
    let story = story.restarted(End::Stopped).await;
    story.portal.set(story.folder, file, Status::Failed);
    story.portal.heal();
    let metrics = story.exporter.collected().await;
    assert_eq!(story.entries(&metrics, "failed"), 1);
}

#[tokio::test]
async fn a_second_process_waits_for_the_state_folder_and_goes_on_when_the_first_ends() {
    for end in ENDS {
        let story = Story::with_one_file().await;
        story.seen(story.file(), Status::Failed).await;
        let second = Exporter::start(&story.workspace).await;
        let standby = second.until_value("kb_portal_active", &[], 0.0).await;
        assert_eq!(standby.all("kb_portal_up", &[]).count(), 0);
        assert_eq!(second.status("/readyz").await, 200);
        let health = second.json("/health").await;
        let holder = format!("process {} on", story.exporter.pid());
        let named = health["checks"]["portal:main"][0]["holder"].to_string();
        assert!(named.contains(&holder), "{health}");
        let late = story.portal.file(story.folder, "b.pdf", Status::Failed);
        let of_first = story.exporter.collected_again().await;
        assert_eq!(story.entries(&of_first, "failed"), 2, "{end:?}");

        let story = story.with_exporter(end, second).await;
        story.portal.set(story.folder, late, Status::Flagged);
        let metrics = story.exporter.until_writable(&["state"], true).await;
        assert_eq!(story.entries(&metrics, "failed"), 2, "{end:?}");
        let metrics = story.exporter.collected_again().await;
        assert_eq!(story.entries(&metrics, "failed"), 2, "{end:?}");
        assert_eq!(story.entries(&metrics, "flagged"), 1, "{end:?}");
    }
}
