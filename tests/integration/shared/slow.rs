//! A server that is slow, or far away: counting does not wait for it.

use std::time::Duration;

use kb_simulator::Status;

use super::scene::Shared;
use crate::support::exporter::Exporter;
use crate::support::postgres::Server;
use crate::support::postgres::proxy::Proxy;
use crate::support::workspace::Workspace;
use kb_exposition::{Exposition, Sample};

const FOLDERS: usize = 400;

/// An answer of the server takes twice as long.
const DELAY: Duration = Duration::from_secs(3);

/// Transactions of the state that ended, however they ended.
fn written(metrics: &Exposition) -> u64 {
    let count = "kb_state_write_duration_seconds_count";
    let written = metrics.all(count, &[("store", "state")]);
    written.map(Sample::count).sum()
}

/// Time that transactions of the state took.
fn took(metrics: &Exposition) -> f64 {
    let sum = "kb_state_write_duration_seconds_sum";
    metrics.value(sum, &[("store", "state")]).unwrap_or(0.0)
}

/// A process whose server takes long for each answer from now on, since it wrote something.
async fn slowed_down(shared: &Shared) -> (Exporter, Proxy, Workspace) {
    let proxy = Proxy::before(Server::shared().await.address()).await;
    let distant = shared.by(&shared.database.url_at(proxy.address()));
    let exporter = Exporter::start(&distant).await;
    exporter
        .metrics_when("the state is used", |metrics| written(metrics) > 0)
        .await;
    proxy.slow_down(DELAY);
    (exporter, proxy, distant)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn new_folders_are_counted_before_a_slow_server_has_stored_them() {
    let shared = Shared::new("off").await;
    let (exporter, proxy, _workspace) = slowed_down(&shared).await;
    let before = written(&exporter.metrics().await);
    for number in 1..FOLDERS {
        let folder = shared.portal.folder(&format!("Folder {number}"));
        shared.portal.file(folder, "a.pdf", Status::Failed);
    }
    let metrics = exporter
        .metrics_when("all folders are counted", |metrics| {
            metrics.all("kb_folder_up", &[]).count() == FOLDERS
        })
        .await;
    let ended = written(&metrics) - before;
    assert!(
        ended <= 1,
        "{ended} writes, of which one was under way before"
    );
    proxy.open();
    exporter.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_server_that_takes_seconds_for_each_answer_stops_no_count() {
    let shared = Shared::new("off").await;
    let (exporter, proxy, _workspace) = slowed_down(&shared).await;
    let before = written(&exporter.metrics().await);
    let id = shared.folder.to_string();
    for number in 0..5_u64 {
        let name = format!("late {number}.pdf");
        shared.portal.file(shared.folder, &name, Status::Failed);
        exporter
            .metrics_when("the file is counted", |metrics| {
                metrics.by_status("kb_folder_files", &id)["failed"] == 3 + number
            })
            .await;
        assert_eq!(exporter.status("/livez").await, 200);
    }
    let ended = written(&exporter.metrics().await) - before;
    assert!(ended < 5, "{ended} writes, one for each file");
    exporter
        .metrics_when("writes fail, or take long", |metrics| took(metrics) > 5.0)
        .await;
    proxy.open();
    exporter
        .metrics_when("all entries are stored", |metrics| {
            metrics.by_status("kb_folder_status_entries_total", &id)["failed"] == 5
        })
        .await;
    exporter.stop().await;
}
