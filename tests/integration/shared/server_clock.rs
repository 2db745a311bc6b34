//! The clock of the server is set: no limit ends early, and it is said.

use super::ledger;
use super::scene::{Shared, says};
use crate::support::exporter::Exporter;
use crate::support::postgres::Server;
use crate::support::wait::wait_for;

#[tokio::test]
async fn a_step_of_the_clock_of_the_server_ends_no_limit_and_is_said() {
    for step in ["+25h", "-2h"] {
        let server = Server::with_clock().await;
        let shared = Shared::on(&server, "enforce", |_| {}).await;
        shared.meet_long_ago().await;
        let exporter = shared.start_active().await;
        shared.attempted(&exporter, "accepted").await;
        shared.helped_and_failed_anew(&exporter).await;
        shared.held(&exporter, "cooldown").await;
        let other = shared.start().await;
        other.collected_again().await;
        let left = budget(&other).await;
        server.clock().set(step);
        for process in [&exporter, &other] {
            shared.held(process, "ledger").await;
        }
        // Whoever sees it first writes it down, and says so.
        let said = |process| says(process, "the clock of the PostgreSQL server was set");
        wait_for("the step is said", async || {
            (said(&exporter) || said(&other)).then_some(())
        })
        .await;
        exporter.collections(3).await;
        assert_eq!(budget(&exporter).await, left, "{step}");
        other.stop().await;
        assert_eq!(ledger::steps(&shared.database), 1, "both saw it");
        // A process that starts now does not know the clock from before.
        exporter.kill().await;
        let next = shared.start().await;
        shared.held(&next, "ledger").await;
        next.collections(3).await;
        assert_eq!(shared.sent(), 1, "{step}");
        next.stop().await;
    }
}

/// How many files may still be sent.
async fn budget(exporter: &Exporter) -> Option<f64> {
    let metrics = exporter.metrics().await;
    metrics.value("kb_reindex_budget_remaining_files", &[])
}
