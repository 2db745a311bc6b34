//! A server that is slow, or far away: counting does not wait for it.

use std::time::{Duration, Instant};

use kb_simulator::Status;
use serde_json::Value;

use super::scene::Shared;
use crate::support::exporter::Exporter;
use crate::support::postgres::Server;
use crate::support::postgres::proxy::Proxy;
use crate::support::workspace::Workspace;
use kb_exposition::Exposition;

const FOLDERS: usize = 400;

/// How long the first collection takes, in seconds.
async fn counted(workspace: &Workspace, folders: usize) -> (Exporter, f64) {
    let exporter = Exporter::start(workspace).await;
    let metrics = exporter.collected().await;
    assert_eq!(metrics.all("kb_folder_up", &[]).count(), folders);
    let took = metrics.value("kb_collection_duration_seconds", &[]);
    (exporter, took.unwrap())
}

/// Time that transactions of the state took.
fn written(metrics: &Exposition) -> f64 {
    let sum = "kb_state_write_duration_seconds_sum";
    metrics.value(sum, &[("store", "state")]).unwrap_or(0.0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn folders_are_counted_as_fast_with_a_server_that_is_far_away() {
    // Each is counted once.
    let once = |config: &mut Value| config["collect"]["schedule"] = "1h".into();
    let shared = Shared::with("off", once).await;
    for number in 1..FOLDERS {
        let folder = shared.portal.folder(&format!("Folder {number}"));
        shared.portal.file(folder, "a.pdf", Status::Failed);
    }
    let (exporter, near) = counted(&shared.workspace, FOLDERS).await;
    exporter.stop().await;

    let other = Server::shared().await.database();
    let proxy = Proxy::before(Server::shared().await.address()).await;
    proxy.slow_down(Duration::from_millis(50));
    let distant = shared.by(&other.url_at(proxy.address()));
    let (exporter, far) = counted(&distant, FOLDERS).await;
    // Each transaction takes about a second.
    let limit = near * 1.3 + 0.5;
    assert!(far < limit, "{far} s, and {near} s with a near one");
    exporter
        .metrics_when("the time of the writes is shown", |metrics| {
            written(metrics) > 0.5
        })
        .await;
    exporter.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_server_that_takes_seconds_for_each_answer_stops_no_count() {
    let shared = Shared::new("off").await;
    let proxy = Proxy::before(Server::shared().await.address()).await;
    let distant = shared.by(&shared.database.url_at(proxy.address()));
    let exporter = Exporter::start(&distant).await;
    let state = [("store", "state")];
    exporter
        .metrics_when("the state is used", |metrics| {
            metrics.value("kb_state_writable", &state) == Some(1.0)
        })
        .await;
    proxy.slow_down(Duration::from_secs(3));
    let id = shared.folder.to_string();
    for number in 0..5_u64 {
        let name = format!("late {number}.pdf");
        shared.portal.file(shared.folder, &name, Status::Failed);
        let asked = Instant::now();
        exporter
            .metrics_when("the file is counted", |metrics| {
                metrics.by_status("kb_folder_files", &id)["failed"] == 3 + number
            })
            .await;
        assert!(
            asked.elapsed() < Duration::from_secs(5),
            "{:?}",
            asked.elapsed()
        );
        assert_eq!(exporter.status("/livez").await, 200);
    }
    exporter
        .metrics_when("writes fail, or take long", |metrics| {
            written(metrics) > 5.0
        })
        .await;
    proxy.open();
    exporter
        .metrics_when("all entries are stored", |metrics| {
            metrics.by_status("kb_folder_status_entries_total", &id)["failed"] == 5
        })
        .await;
    exporter.stop().await;
}
