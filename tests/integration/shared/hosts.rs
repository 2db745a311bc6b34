//! A URL with several hosts, of which one takes writes.

use super::scene::{Shared, says, until_writable};
use crate::support::exporter::Exporter;
use crate::support::postgres::Server;

/// A URL with these ports of loopback, in this order.
fn with_ports(url: &str, ports: &[u16]) -> String {
    let hosts = vec!["127.0.0.1"; ports.len()].join(",");
    let ports: Vec<String> = ports.iter().map(u16::to_string).collect();
    let ports = ports.join(",");
    format!("{url}&host={hosts}&port={ports}&target_session_attrs=read-write")
}

#[tokio::test]
async fn a_host_that_is_down_or_takes_no_writes_is_passed_over() {
    let shared = Shared::new("dry_run").await;
    let standby = Server::own().await;
    let there = shared.database.namesake_on(&standby);
    for statement in [
        "ALTER SYSTEM SET default_transaction_read_only = on",
        "SELECT pg_reload_conf()",
    ] {
        there.sql(statement);
    }
    let down = Server::own().await;
    down.stop().await;
    let ports = [&down, &standby, Server::shared().await].map(|server| server.address().port());
    let url = with_ports(&shared.database.url(), &ports);
    let workspace = shared.by(&url);
    let mut command = workspace.command();
    let exporter = Exporter::launch(command.args(["run", "--log.level", "trace"])).await;
    until_writable(&exporter, true).await;
    exporter.collected_again().await;
    assert_eq!(
        shared
            .database
            .value("SELECT count(*) > 0 FROM kb_exporter.lease"),
        "t"
    );
    let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kb%'";
    assert_eq!(there.value(schemas), "0");
    for secret in ["8d1c97e2", "postgres://", "d.pdf"] {
        assert!(!says(&exporter, secret), "{secret}");
    }
    exporter.stop().await;
}
