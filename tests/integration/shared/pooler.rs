//! A pooler between the processes and the server, which gives each transaction another connection.

use kb_simulator::Status;

use super::ledger;
use super::scene::{Shared, until_active, until_writable};
use crate::reindex::scene::only_with_a_reason;
use crate::support::exporter::Exporter;
use crate::support::postgres::Server;
use crate::support::postgres::bouncer::Bouncer;
use kb_exposition::Exposition;

#[tokio::test]
async fn two_processes_share_everything_through_pgbouncer() {
    let server = Server::shared().await;
    let bouncer = Bouncer::before(server).await;
    let shared = Shared::with("enforce", only_with_a_reason).await;
    let pooled = shared.by(&shared.database.url_at(bouncer.address()));
    // The tables are made through the pooler as well.
    let exporter = Exporter::start(&pooled).await;
    until_writable(&exporter, true).await;
    exporter.collected().await;
    exporter.stop().await;
    ledger::age(&shared.database, crate::reindex::scene::LONG_AGO);

    let first = Exporter::start(&pooled).await;
    until_active(&first, true).await;
    let second = Exporter::start(&pooled).await;
    until_active(&second, false).await;
    shared.held(&first, "nothing_eligible").await;
    shared.portal.file(shared.folder, "f.pdf", Status::Failed);
    let entered = |metrics: &Exposition| {
        let own = metrics.folder(shared.folder);
        own.by_status("kb_folder_status_entries_total")["failed"] == 1
    };
    first
        .metrics_when("one file failed since the first count", entered)
        .await;
    shared.fail_for_a_reason("g.pdf");
    shared.attempted(&first, "accepted").await;
    until_writable(&first, true).await;
    first.stop().await;
    until_active(&second, true).await;
    let metrics = second.collections(3).await;
    assert_eq!(shared.attempts(&metrics, "accepted"), Some(1.0));
    assert_eq!(shared.sent(), 1);
    assert_eq!(ledger::outcomes(&shared.database), ["accepted"]);
}
