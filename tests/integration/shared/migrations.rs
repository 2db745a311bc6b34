//! The tables in the database: made once, and left as they are where they are of a newer version.

use kb_simulator::Status;

use super::ledger::count;
use super::scene::{Shared, says, until_writable};

/// The tables with the versions of the others.
const VERSIONS: [&str; 2] = ["kb_exporter.store", "kb_ledger.schema_version"];

#[tokio::test]
async fn processes_that_start_at_once_make_the_tables_once() {
    let shared = Shared::new("enforce").await;
    let all = tokio::join!(
        shared.start(),
        shared.start(),
        shared.start(),
        shared.start()
    );
    for exporter in [all.0, all.1, all.2, all.3] {
        until_writable(&exporter, true).await;
        exporter.collected().await;
        exporter.stop().await;
    }
    for versions in VERSIONS {
        assert_eq!(count(&shared.database, versions), 1, "{versions}");
    }
    for table in ["kb_ledger.ledger", "kb_ledger.portal", "kb_exporter.folder"] {
        assert_eq!(count(&shared.database, table), 1, "{table}");
    }
}

#[tokio::test]
async fn tables_of_a_newer_version_are_refused_and_left_as_they_are() {
    let shared = Shared::new("enforce").await;
    shared.meet_long_ago().await;
    for versions in VERSIONS {
        let newer = format!("UPDATE {versions} SET version = 9999");
        shared.database.sql(&newer);
    }
    let before = shared.database.dump();
    let exporter = shared.start().await;
    until_writable(&exporter, false).await;
    shared.held(&exporter, "ledger").await;
    shared.portal.file(shared.folder, "f.pdf", Status::Failed);
    let id = shared.folder.to_string();
    exporter
        .metrics_when("the new file is counted", |metrics| {
            metrics.by_status("kb_folder_files", &id)["failed"] == 3
        })
        .await;
    assert!(says(&exporter, "newer version"), "{:#?}", exporter.output());
    exporter.stop().await;
    assert_eq!(shared.database.dump(), before, "it was changed");
    assert_eq!(shared.sent(), 0);
}
