//! The clock of the server is set: no cooldown ends early, and it is said.

use super::scene::{Shared, says};
use crate::support::postgres::Server;

#[tokio::test]
async fn a_step_of_the_clock_of_the_server_ends_no_cooldown_and_is_said() {
    for step in ["+2h", "-2h"] {
        let server = Server::with_clock().await;
        let shared = Shared::on(&server, "enforce", |_| {}).await;
        shared.meet_long_ago().await;
        let exporter = shared.start_active().await;
        shared.attempted(&exporter, "accepted").await;
        shared.helped_and_failed_anew(&exporter).await;
        shared.held(&exporter, "cooldown").await;
        server.clock().set(step);
        shared.held(&exporter, "ledger").await;
        assert!(says(
            &exporter,
            "the clock of the PostgreSQL server was set"
        ));
        exporter.collections(3).await;
        // A process that starts now does not know the clock from before.
        exporter.kill().await;
        let next = shared.start().await;
        shared.held(&next, "ledger").await;
        next.collections(3).await;
        assert_eq!(shared.sent(), 1, "{step}");
        next.stop().await;
    }
}
