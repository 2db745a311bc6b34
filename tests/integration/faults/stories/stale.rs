//! A fault that lasts: counts are shown, and withdrawn when they are too old.

use kb_simulator::faults::{Fault, RetryAfter, Target};

use super::{counted, scene};
use crate::support::exporter::Exporter;

#[tokio::test]
async fn counts_that_are_too_old_are_withdrawn_and_come_back() {
    let (portal, folders, workspace) = scene(|config| {
        config["collect"]["stale_after"] = "3s".into();
    })
    .await;
    let exporter = Exporter::start(&workspace).await;
    counted(&exporter, &portal).await;
    let fault = Fault::Status(500, RetryAfter::Absent);
    portal.strike(Target::Folder(folders[0]), fault);
    let [struck, beside] = folders;
    let labels = [("folder_id", &*struck.to_string())];
    let metrics = exporter.until_value("kb_folder_up", &labels, 0.0).await;
    let own = metrics.folder(struck);
    let last = own.by_status("kb_folder_files");
    assert_eq!(last, portal.counts(folders[0]), "the last counts stay");
    let success = "kb_folder_last_success_timestamp_seconds";
    let counted_at = own.value(success, &[]);
    assert!(counted_at.is_some());
    let metrics = exporter
        .metrics_when("the struck folder's counts are withdrawn", |metrics| {
            let own = metrics.folder(struck);
            own.by_status("kb_folder_files").is_empty()
        })
        .await;
    let own = metrics.folder(struck);
    for name in [
        "kb_folder_consistent",
        "kb_folder_collection_duration_seconds",
    ] {
        assert_eq!(own.value(name, &[]), None, "{name}");
    }
    assert_eq!(own.value("kb_folder_up", &[]), Some(0.0));
    assert_eq!(own.value(success, &[]), counted_at);
    for lasting in ["kb_folder_size_bytes", "kb_folder_status_entries_total"] {
        assert_eq!(own.by_status(lasting).len(), 5, "{lasting}");
    }
    assert_eq!(
        metrics.folder(beside).by_status("kb_folder_files"),
        portal.counts(folders[1])
    );
    let health = exporter.json("/health").await;
    let check = format!("folder:main:{struck}");
    assert_eq!(health["checks"][&check][0]["stale"], true);
    portal.faults.clear();
    counted(&exporter, &portal).await;
}
