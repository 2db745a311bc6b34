//! Servers that take no writes: one of several in a URL, and one that stopped to take them, as after a failover behind one address.

use kb_exposition::Exposition;
use kb_simulator::Status;

use super::scene::{Shared, until_writable};
use crate::support::exporter::Exporter;
use crate::support::postgres::Server;
use crate::support::postgres::database::Database;

/// A URL with these ports of loopback, in this order.
fn with_ports(url: &str, ports: &[u16]) -> String {
    let hosts = vec!["127.0.0.1"; ports.len()].join(",");
    let ports: Vec<String> = ports.iter().map(u16::to_string).collect();
    let ports = ports.join(",");
    format!("{url}&host={hosts}&port={ports}&target_session_attrs=read-write")
}

/// From now on, a server takes no writes but in databases that say otherwise.
fn refuse_writes(database: &Database) {
    for statement in [
        "ALTER SYSTEM SET default_transaction_read_only = on",
        "SELECT pg_reload_conf()",
    ] {
        database.sql(statement);
    }
}

/// Lets one more file fail, and waits until its entry is shown, and so stored.
async fn stores_one_more(shared: &Shared, exporter: &Exporter) {
    let entries = |metrics: &Exposition| {
        let own = metrics.folder(shared.folder);
        let entries = own.by_status("kb_folder_status_entries_total");
        entries.get("failed").copied()
    };
    let counted = exporter.collected_again().await;
    let file = shared
        .portal
        .file(shared.folder, "late.pdf", Status::Failed);
    exporter
        .metrics_when(&format!("the entry of {file} is shown"), |metrics| {
            entries(metrics) > entries(&counted)
        })
        .await;
    until_writable(exporter, true).await;
}

#[tokio::test]
async fn a_host_or_a_connection_that_takes_no_writes_is_passed_over() {
    let [down, standby, server] = [
        Server::own().await,
        Server::own().await,
        Server::own().await,
    ];
    down.stop().await;
    let shared = Shared::on(&server, "dry_run", |_| {}).await;
    let there = shared.database.namesake_on(&standby);
    refuse_writes(&there);
    let ports = [&down, &standby, &server].map(|server| server.address().port());
    let workspace = shared.by(&with_ports(&shared.database.url(), &ports));
    let mut command = workspace.command();
    let exporter = Exporter::launch(command.args(["run", "--log.level", "trace"])).await;
    until_writable(&exporter, true).await;
    stores_one_more(&shared, &exporter).await;
    let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kb%'";
    assert_eq!(shared.database.value(schemas), "1");
    assert_eq!(there.value(schemas), "0");

    // Connections that are made from now on take writes, and those that are there do not.
    let name = shared.database.value("SELECT current_database()");
    let takes = format!("ALTER DATABASE {name} SET default_transaction_read_only = off");
    shared.database.sql(&takes);
    refuse_writes(&shared.database);
    stores_one_more(&shared, &exporter).await;
    for secret in ["8d1c97e2", "postgres://", "d.pdf"] {
        assert_eq!(exporter.lines_with(secret), 0, "{secret}");
    }
}
