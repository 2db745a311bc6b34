//! TLS and passwords: a server that cannot be trusted, or does not accept the password, is refused with a reason, and no secret is shown.

use super::scene::{Shared, until_writable, write_url};
use crate::support::certificates::Certificates;
use crate::support::exporter::Exporter;
use crate::support::postgres::Server;

/// A part of the password that a URL does not escape.
const SECRET: &str = "8d1c97e2";

/// Neither the log nor any page shows the password.
async fn nothing_is_shown(exporter: &Exporter) {
    assert_eq!(exporter.lines_with(SECRET), 0);
    for path in ["/metrics", "/health", "/"] {
        let text = exporter.get(path).await.text().await.unwrap();
        assert!(!text.contains(SECRET), "{path}: {text}");
    }
}

/// A process cannot use the database for a reason that it says; with the right URL, which is read again, it can.
async fn refused(shared: &Shared, url: &str, reason: &str) {
    let workspace = shared.by(url);
    let mut command = workspace.command();
    let exporter = Exporter::launch(command.args(["run", "--log.level", "trace"])).await;
    let metrics = until_writable(&exporter, false).await;
    assert_eq!(metrics.value("kb_portal_active", &[]), Some(0.0));
    assert_eq!(exporter.status("/livez").await, 200);
    assert_eq!(exporter.status("/readyz").await, 503);
    assert_eq!(exporter.json("/health").await["status"], "fail");
    assert!(exporter.lines_with(reason) > 0, "{reason}");
    nothing_is_shown(&exporter).await;
    write_url(&workspace.path("database-url"), &shared.database.url());
    until_writable(&exporter, true).await;
    nothing_is_shown(&exporter).await;
    exporter.stop().await;
}

#[tokio::test]
async fn a_server_is_trusted_by_its_certificate_alone() {
    let folder = tempfile::tempdir().unwrap();
    Certificates::in_folder(folder.path());
    let server = Server::with_tls(folder.path()).await;
    let shared = Shared::on(&server, "dry_run", |_| {}).await;
    let trusting = |authority: &str| {
        let authority = folder.path().join(authority);
        let parameters = format!("sslmode=verify-full&sslrootcert={}", authority.display());
        String::from(shared.database.url_with(&parameters))
    };
    let workspace = shared.by(&trusting("ca.crt"));
    let exporter = Exporter::start(&workspace).await;
    until_writable(&exporter, true).await;
    let plain = shared.database.value(
        "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
         WHERE usename = 'exporter' AND NOT ssl",
    );
    assert_eq!(plain, "0", "connections that are not encrypted");
    nothing_is_shown(&exporter).await;
    exporter.stop().await;

    refused(&shared, &trusting("stranger.crt"), "certificate").await;
    let by_the_system = shared.database.url_with("sslmode=verify-full");
    refused(&shared, by_the_system.as_str(), "certificate").await;
}

#[tokio::test]
async fn a_wrong_password_is_refused_and_no_password_is_shown() {
    let shared = Shared::new("dry_run").await;
    assert!(shared.database.url().contains(SECRET));
    let wrong = shared.database.url().replace("p%40", "q%40");
    refused(&shared, &wrong, "password authentication failed").await;
}
