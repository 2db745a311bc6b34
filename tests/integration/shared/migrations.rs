//! The tables in the database: made once, and left as they are where they are of a newer version.

use serde_json::{Value, json};

use super::ledger::count;
use super::scene::{Shared, until_writable};
use crate::support::process::said;
use crate::support::wait::wait_for;

#[tokio::test]
async fn processes_that_start_at_once_make_the_tables_once() {
    let shared = Shared::new("enforce").await;
    let all = tokio::join!(
        shared.start(),
        shared.start(),
        shared.start(),
        shared.start()
    );
    let all = [all.0, all.1, all.2, all.3];
    wait_for("one reads the portal, and the others wait", async || {
        let (mut active, mut ready) = (0, 0);
        for exporter in &all {
            let metrics = exporter.metrics().await;
            active += usize::from(metrics.value("kb_portal_active", &[])? > 0.0);
            ready += usize::from(exporter.status("/readyz").await == 200);
        }
        (active == 1 && ready == all.len()).then_some(())
    })
    .await;
    for exporter in all {
        exporter.stop().await;
    }
    for table in ["version", "lease", "folder"] {
        assert_eq!(count(&shared.database, table), 1, "{table}");
    }
}

#[tokio::test]
async fn a_command_that_only_reads_makes_no_tables_and_reads_what_the_process_wrote() {
    let shared = Shared::new("enforce").await;
    let history = async || {
        let command = ["reindex", "history", "--output", "json"];
        shared.workspace.run(&command).await
    };
    let refused = said(&history().await);
    assert!(refused.contains("nothing is stored yet"), "{refused}");
    let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kb%'";
    assert_eq!(shared.database.value(schemas), "0");

    shared.meet_long_ago().await;
    let exporter = shared.start().await;
    shared.in_cooldown(&exporter).await;
    let printed: Value = serde_json::from_slice(&history().await.stdout).unwrap();
    let attempt = &printed["attempts"][0];
    for (key, value) in [
        ("folder", json!("Inbox")),
        ("result", json!("accepted")),
        ("requeued", json!(2)),
        ("outcome", json!("recovered")),
        ("files_recovered", json!(2)),
    ] {
        assert_eq!(attempt[key], value, "{printed}");
    }
    let forgiven = shared.forgive(&["--folder", "Inbox"], &[]);
    assert!(forgiven.contains("with its next collection"), "{forgiven}");
    wait_for("the folder is sent again", async || {
        (shared.sent() == 2).then_some(())
    })
    .await;
}

#[tokio::test]
async fn tables_of_a_newer_version_are_refused_and_left_as_they_are() {
    let shared = Shared::new("enforce").await;
    shared.meet_long_ago().await;
    shared.database.store("UPDATE version SET number = 9999");
    let before = shared.database.dump();
    let exporter = shared.start().await;
    until_writable(&exporter, false).await;
    assert!(exporter.lines_with("newer version") > 0);
    exporter.stop().await;
    assert_eq!(shared.database.dump(), before, "it was changed");
    assert_eq!(shared.sent(), 0);
}
