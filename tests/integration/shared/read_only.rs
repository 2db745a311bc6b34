//! A server that takes no writes from a connection that was made before: as after a failover behind one address.

use kb_exposition::Exposition;
use kb_simulator::Status;

use super::scene::{Shared, until_writable};
use crate::support::exporter::Exporter;
use crate::support::postgres::Server;

/// Lets one more file fail, and waits until its entry is shown, and so stored.
async fn stores_one_more(shared: &Shared, exporter: &Exporter) {
    let id = shared.folder.to_string();
    let entries = |metrics: &Exposition| {
        metrics
            .by_status("kb_folder_status_entries_total", &id)
            .get("failed")
            .copied()
    };
    let counted = exporter
        .metrics_when("the folder is counted", |metrics| {
            entries(metrics).is_some()
        })
        .await;
    shared
        .portal
        .file(shared.folder, "late.pdf", Status::Failed);
    exporter
        .metrics_when("the entry is shown", |metrics| {
            entries(metrics) > entries(&counted)
        })
        .await;
    until_writable(exporter, true).await;
}

#[tokio::test]
async fn a_process_leaves_a_connection_that_takes_no_writes_any_more() {
    let server = Server::own().await;
    let shared = Shared::on(&server, "dry_run", |_| {}).await;
    let exporter = shared.start().await;
    until_writable(&exporter, true).await;
    let name = shared.database.value("SELECT current_database()");
    // Connections that are made from now on take writes, and those that are there do not.
    for statement in [
        &format!("ALTER DATABASE {name} SET default_transaction_read_only = off"),
        "ALTER SYSTEM SET default_transaction_read_only = on",
        "SELECT pg_reload_conf()",
    ] {
        shared.database.sql(statement);
    }
    stores_one_more(&shared, &exporter).await;
    exporter.stop().await;
}
