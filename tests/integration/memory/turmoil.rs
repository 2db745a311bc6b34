//! Folders whose pages do not fit together while nothing fails: the counters of entries do not change, and one real failure is
//! one entry.

use kb_simulator::{Equals, Status};
use uuid::Uuid;

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::random::Random;
use crate::support::workspace::Workspace;
use kb_exposition::Exposition;

/// After so many collections it is known of every file that it was there, though each read misses one file in three.
const MANY: usize = 20;

/// Collections in which something that was counted once could be counted again.
const MORE: u64 = 4;

fn entered(metrics: &Exposition, folder: Uuid, status: &str) -> u64 {
    metrics.by_status("kb_folder_status_entries_total", &folder.to_string())[status]
}

/// Nothing fails during many collections, which are the events; then one file does, and that is one entry. `left_out`: failed files that
/// the first count left out, because as many changed while it was read.
async fn counts_one_failure(
    exporter: &Exporter,
    folder: Uuid,
    random: Random,
    left_out: u64,
    fail: impl FnOnce(),
) {
    let mut metrics = exporter.metrics().await;
    let mut collections = 0;
    while collections < MANY || random.goes_on(collections) {
        metrics = exporter.collections(1).await;
        collections += 1;
    }
    assert_eq!(entered(&metrics, folder, "failed"), left_out);
    assert_eq!(entered(&metrics, folder, "flagged"), 0);
    fail();
    exporter
        .metrics_when("the failure is counted", |metrics| {
            entered(metrics, folder, "failed") > left_out
        })
        .await;
    let metrics = exporter.collections(MORE).await;
    assert_eq!(entered(&metrics, folder, "failed"), left_out + 1);
    assert_eq!(entered(&metrics, folder, "flagged"), 0);
}

/// Files of one name, whose order is another one in each answer: pages overlap and leave files out.
pub(crate) async fn files_of_one_name(strategy: &str, random: Random) {
    let portal = Portal::with(|options| {
        options.switches.equals = Equals::Shifting;
        options.seed = random.seed;
    })
    .await;
    let folder = portal.folder("Scans");
    let mut last = None;
    for (status, files) in [
        (Status::Failed, 120),
        (Status::Flagged, 20),
        (Status::Done, 160),
    ] {
        for _ in 0..files {
            last = Some(portal.file(folder, "scan.pdf", status.clone()));
        }
    }
    let last = last.unwrap();
    let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
        config["collect"]["schedule"] = "1s".into();
        config["collect"]["strategy"] = strategy.into();
    });
    let exporter = Exporter::start(&workspace).await;
    exporter.collected().await;
    let fail = || portal.set(folder, last, Status::Failed);
    counts_one_failure(&exporter, folder, random, 0, fail).await;
}

#[tokio::test]
async fn files_of_one_name_in_another_order_each_time_enter_nothing_when_every_page_is_read() {
    files_of_one_name("full", Random::fixed(1, MANY)).await;
}

#[tokio::test]
async fn files_of_one_name_in_another_order_each_time_enter_nothing_when_boundaries_are_read() {
    files_of_one_name("sorted", Random::fixed(1, MANY)).await;
}
