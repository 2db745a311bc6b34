//! A server is replaced by a copy that lost the last commits: what a process knew is added again, and nothing is sent twice.

use super::ledger;
use super::scene::{Shared, says};
use crate::reindex::scene::fail_for_a_reason;
use crate::support::attempts::add;

#[tokio::test]
async fn an_attempt_that_the_database_lost_is_added_again_and_not_made_again() {
    // The log from before the attempt.
    let copy = "CREATE TABLE event_copy AS SELECT * FROM kb_exporter.event";
    // Nobody wrote to the copy; or another process did, and the numbers go on to where they were.
    for written_before in [0, 9] {
        let shared = Shared::new("enforce").await;
        shared.meet_long_ago().await;
        shared.database.sql(copy);
        let first = shared.start_active().await;
        shared.attempted(&first, "accepted").await;
        shared.helped_and_failed_anew(&first).await;
        shared.held(&first, "cooldown").await;
        let second = shared.start().await;
        shared.attempted(&second, "accepted").await;
        first.stop().await;

        let forgiven = r#"{"forgiven":{"at":1,"what":"clock"}}"#;
        let others: String = (0..written_before).map(|_| add(forgiven) + ";").collect();
        shared.database.sql(&format!(
            "BEGIN; SET LOCAL search_path TO kb_exporter; DELETE FROM event;
             INSERT INTO event SELECT * FROM public.event_copy; {others} COMMIT"
        ));
        shared.held(&second, "ledger").await;
        assert!(says(&second, "the database lost what was written"));
        let attempts = ledger::outcomes(&shared.database);
        assert_eq!(attempts, ["accepted"]);
        second.collections(3).await;
        assert_eq!(shared.sent(), 1);
        second.stop().await;

        // A process that was not there is held, too, in every folder, and for one cooldown.
        let other = shared.portal.folder("Outbox");
        fail_for_a_reason(&shared.portal, other, "late.pdf");
        let third = shared.start_active().await;
        shared.held(&third, "ledger").await;
        third.collections(3).await;
        third.stop().await;
        assert_eq!(shared.sent(), 1);
    }
}

#[tokio::test]
async fn commands_that_read_make_no_tables() {
    let shared = Shared::new("enforce").await;
    for command in ["history", "classes"] {
        let mut program = shared.workspace.command();
        let output = crate::support::process::run(program.args(["reindex", command]), "");
        let says = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{says}");
        assert!(says.contains("there is no reindex ledger yet"), "{says}");
    }
    let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kb%'";
    assert_eq!(shared.database.value(schemas), "0");
}
