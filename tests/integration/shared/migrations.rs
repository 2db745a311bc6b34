//! The tables in the database: made once, and left as they are where they are of a newer version.

use kb_simulator::Status;

use super::ledger::count;
use super::scene::{Shared, says, until_writable};

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
    assert_eq!(count(&shared.database, "store"), 2, "state and ledger");
    for table in ["event", "folder"] {
        assert_eq!(count(&shared.database, table), 1, "{table}");
    }
}

#[tokio::test]
async fn tables_of_a_newer_version_are_refused_and_left_as_they_are() {
    let shared = Shared::new("enforce").await;
    shared.meet_long_ago().await;
    shared.database.store("UPDATE store SET version = 9999");
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
