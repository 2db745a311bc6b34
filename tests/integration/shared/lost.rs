//! A server is replaced by a copy that lost the last commits: what a process knew is added again, and nothing is sent twice.

use super::ledger;
use super::scene::{Shared, until_active};
use crate::reindex::scene::fail_for_a_reason;

#[tokio::test]
async fn an_attempt_that_the_database_lost_is_added_again_and_not_made_again() {
    let copy = "CREATE TABLE lease_copy AS SELECT * FROM kb_exporter.lease";
    let older = "BEGIN; SET LOCAL search_path TO kb_exporter;
        DELETE FROM lease; INSERT INTO lease SELECT * FROM public.lease_copy;
        DELETE FROM attempt; DELETE FROM reindexed; COMMIT";
    let shared = Shared::new("enforce").await;
    shared.meet_long_ago().await;
    let first = shared.start_active().await;
    until_active(&first, true).await;
    shared.database.sql(copy);
    shared.in_cooldown(&first).await;

    shared.database.sql(older);
    shared.held(&first, "ledger").await;
    assert!(first.lines_with("the database lost what was written") > 0);
    let attempts = ledger::outcomes(&shared.database);
    assert_eq!(attempts, ["accepted"]);
    first.collections(3).await;
    assert_eq!(shared.sent(), 1);
    first.stop().await;

    // A process that was not there is held, too, in every folder, and for one cooldown.
    let other = shared.portal.folder("Outbox");
    fail_for_a_reason(&shared.portal, other, "late.pdf");
    let next = shared.start_active().await;
    shared.held(&next, "ledger").await;
    next.collections(3).await;
    next.stop().await;
    assert_eq!(shared.sent(), 1);
}
