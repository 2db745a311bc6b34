//! What each mode does: send, pretend, nothing.

use kb_simulator::Status;
use serde_json::Value;

use super::scene::{FAILED, Scene, budget_left, decided, decisions};

#[tokio::test]
async fn enforce_sends_failed_files_back_once_and_judges_by_what_becomes_of_them() {
    let scene = Scene::new("enforce").await;
    let exporter = scene.start_with_old_ledger().await;
    let metrics = scene.attempted(&exporter, "accepted").await;
    let requeued = scene.value(&metrics, "kb_reindex_files_requeued_total", None);
    assert_eq!(requeued, Some(2.0));
    assert_eq!(budget_left(&metrics), Some(5_000 - FAILED));
    assert_eq!(scene.sent(), 1);
    let counts = scene.portal.world(|world| world.counts(scene.folder));
    assert_eq!(counts.unwrap()[&Status::Pending], FAILED);

    scene.settle(&Status::Done);
    let outcome = Some(("outcome", "recovered"));
    let metrics = scene
        .until_value(&exporter, "kb_reindex_outcomes_total", outcome, 1.0)
        .await;
    let recovered = scene.value(&metrics, "kb_reindex_files_recovered_total", None);
    assert_eq!(recovered, Some(2.0));

    // What fails now is as good as new, and still has to wait.
    scene.settle(&Status::Failed);
    let metrics = exporter
        .metrics_when("the new failures are seen", |metrics| {
            scene.value(metrics, "kb_reindex_eligible_files", None) == Some(2.0)
                && scene.is_held(metrics, "cooldown")
        })
        .await;
    assert_eq!(decisions(&metrics, "trigger", "eligible"), Some(1));
    exporter.collected_again().await;
    assert_eq!(scene.sent(), 1);
}

#[tokio::test]
async fn dry_run_shows_what_would_be_sent_now_and_charges_and_sends_nothing() {
    let mut scene = Scene::new("dry_run").await;
    let exporter = scene.start_with_old_ledger().await;
    let metrics = decided(&exporter, "dry_run", "eligible", 2..).await;
    assert_eq!(decisions(&metrics, "trigger", "eligible"), Some(0));
    assert_eq!(budget_left(&metrics), Some(5_000));
    assert_eq!(scene.attempts(&metrics, "accepted"), Some(0.0));
    assert_eq!(scene.value(&metrics, "kb_reindex_hold", None), None);
    let said = exporter.lines_with("failed files would be reindexed now");
    assert_eq!(said, 1, "once");
    assert_eq!(scene.sent(), 0);
    assert!(super::ledger::attempts(&scene.workspace).is_empty());

    scene.portal.allow_reindex_failed();
    let enforce = |config: &mut Value| config["reindex"]["mode"] = "enforce".into();
    scene.reconfigure(&exporter, enforce).await;
    let metrics = scene.attempted(&exporter, "accepted").await;
    assert_eq!(budget_left(&metrics), Some(5_000 - FAILED));
    exporter.collected_again().await;
    assert_eq!(scene.sent(), 1);
}

#[tokio::test]
async fn files_that_were_deleted_are_not_taken_for_recovered_where_done_files_are_only_counted() {
    let scene = Scene::with("enforce", |config| {
        config["collect"]["strategy"] = "sorted".into();
    })
    .await;
    scene.portal.world(|world| {
        world.add_files(scene.folder, &Status::Done, 5_000).unwrap();
    });
    let exporter = scene.start_with_old_ledger().await;
    scene.attempted(&exporter, "accepted").await;
    scene.portal.world(|world| {
        for file in world.file_ids(scene.folder)[3..5].to_vec() {
            world.delete_file(scene.folder, file).unwrap();
        }
    });
    let outcome = Some(("outcome", "inconclusive"));
    let metrics = scene
        .until_value(&exporter, "kb_reindex_outcomes_total", outcome, 1.0)
        .await;
    let recovered = scene.value(&metrics, "kb_reindex_files_recovered_total", None);
    assert_eq!(recovered, Some(0.0));
}
