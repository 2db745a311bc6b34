//! Folders whose pages do not fit together while nothing fails: the counters of entries do not change, and one real failure is
//! one entry.

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use kb_simulator::{Equals, NewFile, Options, Simulator, Status};
use uuid::Uuid;

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::random::Random;
use crate::support::server::Server;
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

/// A portal in which the first file goes and another one comes at the end whenever the second page is asked for: the
/// totals agree, no row is met twice, and the row that moved from the second page to the first is not shown.
async fn shifting_pages(simulator: &Simulator, folder: Uuid) -> Server {
    let world = simulator.clone();
    let shift = move |request: Request, next: Next| {
        let asked = request.uri().query().unwrap_or_default();
        if asked.split('&').any(|parameter| parameter == "page=2") {
            world.with(|world| {
                let first = world.file_ids(folder)[0];
                world.delete_file(folder, first).unwrap();
                let arrived = NewFile::new(format!("z {first}"), Status::Done);
                world.add_file(folder, &arrived).unwrap();
            });
        }
        next.run(request)
    };
    Server::start(simulator.router().layer(from_fn(shift))).await
}

#[tokio::test]
async fn files_that_pages_leave_out_while_others_come_and_go_enter_once_at_most() {
    let simulator = Simulator::empty(Options {
        speed: 0.0,
        ..Options::default()
    });
    let folder = simulator.with(|world| world.add_folder("Inbox"));
    let mut files = Vec::new();
    for number in 0..300 {
        let status = if (100..200).contains(&number) {
            Status::Failed
        } else {
            Status::Done
        };
        let file = NewFile::new(format!("file {number:03}"), status);
        files.push(simulator.with(|world| world.add_file(folder, &file).unwrap()));
    }
    let server = shifting_pages(&simulator, folder).await;
    let portal = format!("http://{}", server.address());
    let workspace = Workspace::with(&[("main", portal)], |config| {
        config["collect"]["schedule"] = "1s".into();
        config["collect"]["concurrency"] = 1.into();
    });
    let exporter = Exporter::start(&workspace).await;
    let metrics = exporter.collected().await;
    assert_eq!(metrics.value("kb_folder_consistent", &[]), Some(1.0));
    let shown = metrics.by_status("kb_folder_files", &folder.to_string());
    assert_eq!(shown["failed"], 99, "one is left out");
    counts_one_failure(&exporter, folder, Random::fixed(1, MANY), 1, || {
        simulator.with(|world| {
            let failed = world.set_status(folder, files[290], Status::Failed, Some("a reason"));
            failed.unwrap();
        });
    })
    .await;
}
