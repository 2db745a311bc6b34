//! A server is replaced by a copy that lost the last commits: no counter falls, and nothing enters twice.

use kb_simulator::Status;

use super::scene::Shared;
use crate::support::exporter::Exporter;
use crate::support::wait::wait_for;

/// Entries into `failed` of the scene's folder, when there are so many. They never fall.
async fn entered(shared: &Shared, exporter: &Exporter, expected: u64) {
    let id = shared.folder.to_string();
    let mut before = 0;
    wait_for(&format!("{expected} entries"), async || {
        let metrics = exporter.metrics().await;
        let entries = metrics.by_status("kb_folder_status_entries_total", &id);
        let now = entries.get("failed").copied()?;
        assert!(now >= before, "{now} was {before}");
        before = now;
        (now == expected).then_some(())
    })
    .await;
    let metrics = exporter.collections(3).await;
    let entries = metrics.by_status("kb_folder_status_entries_total", &id);
    assert_eq!(entries["failed"], expected);
}

fn fail(shared: &Shared, what: &str, files: u64) {
    for number in 0..files {
        let name = format!("{what} {number}.pdf");
        shared.portal.file(shared.folder, &name, Status::Failed);
    }
}

#[tokio::test]
async fn no_counter_falls_and_nothing_enters_twice_after_a_failover_to_an_older_copy() {
    let copy = "CREATE TABLE folder_copy AS SELECT * FROM kb_exporter.folder;
                CREATE TABLE file_copy AS SELECT * FROM kb_exporter.file";
    let clear = "DELETE FROM kb_exporter.folder; DELETE FROM kb_exporter.file;";
    let older = format!(
        "{clear} INSERT INTO kb_exporter.folder SELECT * FROM folder_copy;
         INSERT INTO kb_exporter.file SELECT * FROM file_copy"
    );
    for lost in [&older, clear] {
        let shared = Shared::new("off").await;
        let exporter = shared.start().await;
        exporter.collected().await;
        fail(&shared, "early", 3);
        entered(&shared, &exporter, 3).await;
        shared.database.sql(copy);
        fail(&shared, "late", 5);
        entered(&shared, &exporter, 8).await;

        shared.database.sql(&format!("BEGIN; {lost}; COMMIT"));
        fail(&shared, "after", 1);
        entered(&shared, &exporter, 9).await;
        exporter.kill().await;
        let exporter = shared.start().await;
        entered(&shared, &exporter, 9).await;

        // Another process knows what was lost, too.
        let other = shared.start().await;
        entered(&shared, &other, 9).await;
        shared.database.sql(&format!("BEGIN; {lost}; COMMIT"));
        fail(&shared, "again", 2);
        for one in [&exporter, &other] {
            entered(&shared, one, 11).await;
        }
        exporter.stop().await;
        other.stop().await;
    }
}
