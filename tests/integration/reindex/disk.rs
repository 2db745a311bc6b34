//! A ledger that cannot be used: nothing is sent, all else goes on, and the file stays as it is.

use std::fs;

use kb_exposition::Exposition;
use kb_simulator::Status;

use super::ledger;
use super::scene::{Scene, make_old_ledger, only_with_a_reason};
use crate::support::sqlite;

/// Whether the state and the ledger are writable.
fn writable(metrics: &Exposition) -> [Option<f64>; 2] {
    ["state", "ledger"].map(|store| metrics.value("kb_state_writable", &[("store", store)]))
}

#[tokio::test]
async fn a_ledger_of_a_newer_version_holds_everything() {
    let scene = Scene::new("enforce").await;
    make_old_ledger(&scene.workspace).await;
    let file = ledger::path(&scene.workspace);
    sqlite::sql(&file, "UPDATE store SET version = 9999");
    let before = fs::read(&file).unwrap();
    let exporter = scene.start().await;
    let metrics = scene.held(&exporter, "ledger").await;
    assert_eq!(writable(&metrics), [Some(1.0), Some(0.0)]);
    let added = scene.portal.file(scene.folder, "z.pdf", Status::Failed);
    let metrics = exporter.collected_again().await;
    let failed = &metrics.by_status("kb_folder_files", &scene.folder.to_string())["failed"];
    assert_eq!(*failed, 3, "{added} is counted");
    assert!(scene.is_held(&metrics, "ledger"));
    let logged =
        |line: &String| line.contains("nothing is reindexed") && line.contains("newer version");
    assert!(
        exporter.output().iter().any(logged),
        "the log does not say it"
    );
    exporter.stop().await;
    assert!(fs::read(&file).unwrap() == before, "it was changed");
    assert_eq!(scene.sent(), 0);
}

#[tokio::test]
async fn a_ledger_that_is_taken_away_while_it_is_in_use_holds_everything() {
    for directory_instead in [false, true] {
        let scene = Scene::with("enforce", only_with_a_reason).await;
        let exporter = scene.start_with_old_ledger().await;
        scene.held(&exporter, "nothing_eligible").await;
        let file = ledger::path(&scene.workspace);
        fs::remove_file(&file).unwrap();
        if directory_instead {
            fs::create_dir(&file).unwrap();
        }
        scene.fail_for_a_reason("f.pdf");
        scene.held(&exporter, "ledger").await;
        let metrics = exporter.collected_again().await;
        assert_eq!(writable(&metrics), [Some(1.0), Some(0.0)]);
        let logged = |line: &&String| line.contains("removed or replaced while it was in use");
        assert_eq!(exporter.output().iter().filter(logged).count(), 1);
        exporter.stop().await;
        assert_eq!(scene.sent(), 0);
        assert_eq!(file.exists(), directory_instead, "it was made anew");
    }
}

#[tokio::test]
async fn a_second_process_on_the_same_state_folder_holds_until_the_first_has_ended() {
    let scene = Scene::new("enforce").await;
    let first = scene.start_with_old_ledger().await;
    scene.attempted(&first, "accepted").await;
    scene.settle(&Status::Failed);
    let second = scene.start().await;
    scene.held(&second, "ledger").await;
    let metrics = second.collected_again().await;
    assert_eq!(writable(&metrics), [Some(0.0); 2]);
    assert_eq!(writable(&first.metrics().await), [Some(1.0); 2]);
    let logged = |line: &String| {
        line.contains("nothing is reindexed") && line.contains("in use by another process")
    };
    assert!(
        second.output().iter().any(logged),
        "the log does not say it"
    );
    first.stop().await;
    let metrics = second
        .metrics_when("the second process has the ledger", |metrics| {
            writable(metrics) == [Some(1.0); 2] && !scene.is_held(metrics, "ledger")
        })
        .await;
    assert_eq!(scene.attempts(&metrics, "accepted"), Some(1.0), "as stored");
    second.collected_again().await;
    second.stop().await;
    assert_eq!(scene.sent(), 1);
}
