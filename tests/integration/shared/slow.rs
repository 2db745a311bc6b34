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
