//! When folders are read, and that one in trouble changes nothing for the others.

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::wait::wait_for;
use crate::support::workspace::Workspace;
use kb_exposition::Exposition;

use kb_simulator::Status;
use serde_json::json;
use uuid::Uuid;

/// A portal with two folders of one file each.
async fn two_folders() -> (Portal, Uuid, Uuid) {
    let portal = Portal::start().await;
    let [slow, quick] = ["Slow", "Quick"].map(|name| {
        let folder = portal.folder(name);
        portal.file(folder, "a.pdf", Status::Done);
        folder
    });
    (portal, slow, quick)
}

fn done(metrics: &Exposition, folder: Uuid) -> Option<u64> {
    let own = metrics.folder(folder);
    own.count("kb_folder_files", &[("status", "done")])
}

fn up(metrics: &Exposition, folder: Uuid) -> Option<f64> {
    metrics.folder(folder).value("kb_folder_up", &[])
}

/// What `/metrics` says when this number of files of a folder is done.
async fn until_done(exporter: &Exporter, folder: Uuid, files: u64) -> Exposition {
    let is_done = |metrics: &Exposition| done(metrics, folder) == Some(files);
    exporter.metrics_when("files are done", is_done).await
}

/// What `/metrics` says when a folder is up or down.
async fn until_up(exporter: &Exporter, folder: Uuid, value: f64) -> Exposition {
    let is_up = |metrics: &Exposition| up(metrics, folder) == Some(value);
    exporter
        .metrics_when("the folder is up or down", is_up)
        .await
}

fn runs(metrics: &Exposition, result: &str) -> u64 {
    let runs = metrics.count("kb_collection_runs_total", &[("result", result)]);
    runs.unwrap()
}

#[tokio::test]
async fn a_cron_line_collects_again_and_again() {
    let (portal, slow, _) = two_folders().await;
    let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
        config["collect"]["schedule"] = "* * * * * *".into();
    });
    let exporter = Exporter::start(&workspace).await;
    exporter.collected().await;
    portal.file(slow, "b.pdf", Status::Done);
    let metrics = exporter.collected_again().await;
    assert_eq!(done(&metrics, slow), Some(2));
}

#[tokio::test]
async fn a_straggler_goes_on_beside_the_others_which_are_counted_again() {
    let (portal, slow, quick) = two_folders().await;
    portal.hold(&slow.to_string());
    let workspace = Workspace::each_second(&[("main", portal.base_url())]);
    let exporter = Exporter::start(&workspace).await;
    until_done(&exporter, quick, 1).await;
    portal.file(quick, "b.pdf", Status::Done);
    let metrics = until_done(&exporter, quick, 2).await;
    assert_eq!((done(&metrics, slow), up(&metrics, slow)), (None, None));
    assert_eq!(
        portal.requests_with(&slow.to_string()),
        1,
        "it is read once, not once more each time"
    );
    portal.heal();
    let metrics = until_done(&exporter, slow, 1).await;
    assert_eq!(up(&metrics, slow), Some(1.0));
}

#[tokio::test]
async fn a_collection_is_skipped_when_the_list_or_every_folder_is_still_being_read() {
    for (held, requests) in [("/mine", 1), ("/files", 2)] {
        let (portal, ..) = two_folders().await;
        portal.hold(held);
        let workspace = Workspace::each_second(&[("main", portal.base_url())]);
        let exporter = Exporter::start(&workspace).await;
        let are_skipped = |metrics: &Exposition| runs(metrics, "skipped") >= 2;
        let metrics = exporter.metrics_when("two are skipped", are_skipped).await;
        assert_eq!(runs(&metrics, "success"), 0);
        assert_eq!(portal.requests_with(held), requests, "each is read once");
        portal.heal();
        let go_on = |metrics: &Exposition| runs(metrics, "success") >= 2;
        exporter.metrics_when("collections go on", go_on).await;
    }
}

#[tokio::test]
async fn the_timeout_ends_a_folder_that_hangs_while_others_go_on() {
    let (portal, slow, quick) = two_folders().await;
    portal.hold(&slow.to_string());
    let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
        config["collect"]["schedule"] = "1s".into();
        config["collect"]["timeout"] = "2s".into();
    });
    let exporter = Exporter::start(&workspace).await;
    let metrics = until_up(&exporter, slow, 0.0).await;
    assert_eq!(
        (done(&metrics, quick), up(&metrics, quick)),
        (Some(1), Some(1.0))
    );
    let own = metrics.folder(slow);
    let labels = [("reason", "error")];
    assert_eq!(own.value("kb_folder_unavailable", &labels), Some(1.0));
    exporter
        .metrics_when("the collection is called partial", |metrics| {
            runs(metrics, "partial") >= 1
        })
        .await;
    portal.heal();
    until_up(&exporter, slow, 1.0).await;
}

/// A list and 20 reads or so fit into an interval.
#[tokio::test]
async fn how_many_folders_wait_for_their_turn_is_said_and_is_no_warning() {
    let portal = Portal::start().await;
    for number in 0..120 {
        let folder = portal.folder(&format!("Folder {number}"));
        portal.file(folder, "a.pdf", Status::Done);
    }
    let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
        config["collect"] = json!({
            "schedule": "1s",
            "max_requests_per_second": 22,
            "quiet_every": "2s",
            // Far less than a round.
            "stale_after": "1s",
        });
    });
    let exporter = Exporter::start(&workspace).await;
    let done = [("status", "done")];
    exporter
        .metrics_when("every folder is counted", |metrics| {
            metrics.all("kb_folder_files", &done).count() == 120
        })
        .await;
    let health = wait_for("folders wait", async || {
        let health = exporter.json("/health").await;
        let waits = health.to_string().contains("to be read, the first for");
        waits.then_some(health)
    })
    .await;
    let check = &health["checks"]["portal:main"][0];
    assert_eq!(
        (&health["status"], &check["status"]),
        (&json!("pass"), &json!("pass"))
    );
    let page = exporter.get("/").await.text().await.unwrap();
    assert!(page.contains("to be read, the first for"), "{page}");
}

#[tokio::test]
async fn a_request_under_way_does_not_keep_the_process_from_ending() {
    let (portal, ..) = two_folders().await;
    portal.hold("/files");
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let exporter = Exporter::start(&workspace).await;
    portal.until_asked("/files", 0).await;
    exporter.stop().await;
}
