//! The clock of a machine is wrong or set: times in a shared ledger are those of the server.

use super::ledger;
use super::scene::Shared;
use crate::reindex::clock::Clock;
use crate::reindex::scene::LONG_AGO;

#[tokio::test]
async fn a_clock_that_is_set_neither_ends_a_cooldown_nor_prolongs_it() {
    let shared = Shared::new("enforce").await;
    shared.meet_long_ago().await;
    let clock = Clock::of(&shared);
    let exporter = clock.start(&shared).await;
    shared.attempted(&exporter, "accepted").await;
    shared.helped_and_failed_anew(&exporter).await;
    shared.held(&exporter, "cooldown").await;

    clock.set("+25h");
    exporter.collected_again().await;
    shared.held(&exporter, "cooldown").await;
    exporter.stop().await;
    let exporter = clock.start(&shared).await;
    exporter.collected_again().await;
    shared.held(&exporter, "cooldown").await;
    clock.set("-25h");
    exporter.collected_again().await;
    shared.held(&exporter, "cooldown").await;
    exporter.stop().await;
    assert_eq!(shared.sent(), 1);

    // The cooldown has ended on the server.
    ledger::age(&shared.database, LONG_AGO);
    let exporter = clock.start(&shared).await;
    exporter
        .metrics_when("the next attempt is made", |metrics| {
            shared.attempts(metrics, "accepted") == Some(2.0)
        })
        .await;
    exporter.stop().await;
    assert_eq!(shared.sent(), 2);
}
