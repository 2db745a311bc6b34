//! A database that goes while it is in use: nothing is sent, and all else goes on.

use std::fs;

use super::ledger;
use super::scene::{Scene, only_with_a_reason};

#[tokio::test]
async fn a_database_that_is_deleted_while_it_is_in_use_is_written_again_and_nothing_is_sent() {
    let scene = Scene::with("enforce", only_with_a_reason).await;
    let exporter = scene.start_with_old_ledger().await;
    scene.held(&exporter, "nothing_eligible").await;
    fs::remove_file(ledger::path(&scene.workspace)).unwrap();
    scene.fail_for_a_reason("f.pdf");
    scene.held(&exporter, "ledger").await;
    exporter.collected_again().await;
    let said = exporter.lines_with("the database lost what was written to it");
    assert_eq!(said, 1);
    exporter.stop().await;
    assert_eq!(scene.sent(), 0);
    let exporter = scene.start().await;
    let own = exporter.metrics().await.folder(scene.folder);
    let entries = own.by_status("kb_folder_status_entries_total");
    assert_eq!(entries["failed"], 1, "the counters were written, too");
    exporter.stop().await;
}
