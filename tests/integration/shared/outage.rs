//! The server stops, is killed or stands still: counting goes on, nothing is reindexed, and all comes back by itself.

use kb_simulator::Status;

use super::ledger;
use super::scene::{Shared, until_writable};
use crate::reindex::scene::only_with_a_reason;
use crate::support::exporter::Exporter;
use crate::support::postgres::Server;
use kb_exposition::Exposition;

/// Entries into `failed` of the scene's folder.
fn entries(shared: &Shared, metrics: &Exposition) -> u64 {
    let own = metrics.folder(shared.folder);
    own.by_status("kb_folder_status_entries_total")["failed"]
}

/// Failed files of the scene's folder.
fn failed(shared: &Shared, metrics: &Exposition) -> u64 {
    let own = metrics.folder(shared.folder);
    own.by_status("kb_folder_files")["failed"]
}

/// While the server is away: files are counted, the counters stand still, and an attempt that could be made is not.
async fn goes_on_without_server(shared: &Shared, exporter: &Exporter, name: &str) {
    let metrics = until_writable(exporter, false).await;
    let (counted, entered) = (failed(shared, &metrics), entries(shared, &metrics));
    shared.portal.file(shared.folder, name, Status::Failed);
    let metrics = exporter
        .metrics_when("the new file is counted", |metrics| {
            assert_eq!(entries(shared, metrics), entered, "counted, not stored");
            failed(shared, metrics) > counted
        })
        .await;
    assert_eq!(failed(shared, &metrics), counted + 1);
    shared.held(exporter, "ledger").await;
    for (path, status) in [
        ("/livez", 200),
        ("/readyz", 200),
        ("/health", 200),
        ("/", 200),
    ] {
        assert_eq!(exporter.status(path).await, status, "{path}");
    }
    let said = exporter.notes().await;
    for note in ["counters of entries do not change", "nothing is reindexed"] {
        assert!(said.contains(note), "{said}");
    }
}

/// When the server is there again, what was counted meanwhile is stored.
async fn comes_back(shared: &Shared, exporter: &Exporter, entered: u64) {
    until_writable(exporter, true).await;
    exporter
        .metrics_when("the entries are stored", |metrics| {
            assert!(entries(shared, metrics) <= entered);
            entries(shared, metrics) == entered
        })
        .await;
}

/// What the log says when an outage is over.
const END: &str = "state can be used: ";

/// Nothing may be attempted before a file has failed for a reason.
async fn patient(server: &Server) -> Shared {
    let shared = Shared::on(server, "enforce", only_with_a_reason).await;
    shared.meet_long_ago().await;
    shared
}

#[tokio::test]
async fn counting_goes_on_while_the_server_is_stopped_and_then_all_comes_back() {
    let server = Server::own().await;
    let shared = patient(&server).await;
    let exporter = shared.start().await;
    shared.held(&exporter, "nothing_eligible").await;
    let metrics = until_writable(&exporter, true).await;
    let entered = entries(&shared, &metrics);

    server.stop().await;
    goes_on_without_server(&shared, &exporter, "f.pdf").await;
    server.start().await;
    comes_back(&shared, &exporter, entered + 1).await;
    assert_eq!(shared.sent(), 0);
    assert_eq!(exporter.lines_with(END), 1);

    server.kill().await;
    goes_on_without_server(&shared, &exporter, "g.pdf").await;
    shared.fail_for_a_reason("h.pdf");
    exporter.collections(2).await;
    assert_eq!(shared.sent(), 0);
    server.start().await;
    comes_back(&shared, &exporter, entered + 3).await;
    assert_eq!(exporter.lines_with(END), 2);
    shared.attempted(&exporter, "accepted").await;
    assert_eq!(shared.sent(), 1);
    assert_eq!(ledger::outcomes(&shared.database), ["accepted"]);
    exporter.stop().await;
}

#[tokio::test]
async fn a_server_that_stands_still_holds_nothing_but_reindexing() {
    let server = Server::own().await;
    let shared = patient(&server).await;
    let exporter = shared.start().await;
    until_writable(&exporter, true).await;
    server.pause();
    // It takes a while until the process gives up.
    goes_on_without_server(&shared, &exporter, "f.pdf").await;
    shared.fail_for_a_reason("g.pdf");
    exporter.collections(2).await;
    assert_eq!(shared.sent(), 0);
    server.resume();
    shared.attempted(&exporter, "accepted").await;
    assert_eq!(shared.sent(), 1);
    assert_eq!(ledger::outcomes(&shared.database), ["accepted"]);
    // A process also ends while the server stands still, although its state cannot be closed.
    server.pause();
    exporter.signal("TERM");
    assert_eq!(exporter.ended().await.code(), Some(0));
    server.resume();
}
