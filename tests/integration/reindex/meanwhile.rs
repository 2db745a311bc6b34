//! What changes while the portal takes its time with an answer: what holds then decides, not what held before.

use std::fs;

use kb_simulator::Status;
use kb_simulator::faults::Target;
use serde_json::{Value, json};

use super::ledger;
use super::scene::{Scene, decided};
use crate::support::server::REINDEX_FAILED;
use crate::support::sqlite::Sqlite;
use crate::support::wait::until;

#[tokio::test]
async fn a_kill_switch_file_that_appears_during_the_check_stops_attempts_until_it_is_removed() {
    let (scene, file) = Scene::with_kill_switch().await;
    let exporter = scene.held_at_the_first_check(scene.folder).await;
    fs::write(&file, "").unwrap();
    scene.portal.heal();
    scene.held(&exporter, "kill_switch").await;
    exporter.collected_again().await;
    assert_eq!(scene.sent(), 0);
    fs::remove_file(&file).unwrap();
    scene.attempted(&exporter, "accepted").await;
    scene.sent_in_all(exporter, 1).await;
}

#[tokio::test]
async fn a_reload_to_off_during_the_check_stops_the_attempt() {
    let mut scene = Scene::new("enforce").await;
    let exporter = scene.held_at_the_first_check(scene.folder).await;
    let off = |config: &mut Value| config["reindex"]["mode"] = "off".into();
    scene.reconfigure(&exporter, off).await;
    scene.portal.heal();
    decided(&exporter, "hold", "off", 2..).await;
    scene.sent_in_all(exporter, 0).await;
}

#[tokio::test]
async fn a_program_that_is_stopped_during_the_check_sends_nothing_any_more() {
    let scene = Scene::new("enforce").await;
    let exporter = scene.held_at_the_first_check(scene.folder).await;
    exporter.stop().await;
    scene.portal.heal();
    assert_eq!(scene.sent(), 0);
}

#[tokio::test]
async fn a_folder_that_is_processed_late_is_decided_from_its_latest_counts() {
    let scene = Scene::with("enforce", |config| {
        config["reindex"]["max_backlog"] = 1.into();
    })
    .await;
    let outbox = scene.portal.folder("Outbox");
    scene.portal.file(outbox, "a.pdf", Status::Failed);
    // The first one has fewer files, so it is processed first.
    let [first, second] = [outbox, scene.folder];
    let exporter = scene.held_at_the_first_check(first).await;
    for name in ["x.pdf", "y.pdf"] {
        scene.portal.file(second, name, Status::Pending);
    }
    exporter
        .metrics_when("the backlog is known", |metrics| {
            let files = metrics.folder(second).by_status("kb_folder_files");
            files.get("pending") == Some(&2)
        })
        .await;
    exporter.collected_again().await;
    scene.portal.heal();
    decided(&exporter, "hold", "backlog", 1..).await;
    exporter.stop().await;
    let sent: Vec<_> = scene.portal.asked();
    let to_second = format!("{second}{REINDEX_FAILED}");
    assert!(!sent.iter().any(|asked| asked.target.ends_with(&to_second)));
}

#[tokio::test]
async fn a_portal_that_is_taken_out_and_put_back_does_not_send_again_what_was_under_way() {
    let mut scene = Scene::new("enforce").await;
    let exporter = scene.held_at_the_answer().await;
    let mut main = json!(null);
    let take_out = |config: &mut Value| {
        main = config["portals"][0].clone();
        config["portals"][0]["name"] = "other".into();
        config["portals"][0]["folders"] = json!({"include": ["none"]});
    };
    scene.reconfigure(&exporter, take_out).await;
    let put_back = |config: &mut Value| config["portals"][0] = main;
    scene.reconfigure(&exporter, put_back).await;
    scene.portal.heal();
    // Nobody waited for the answer for long.
    scene.attempted(&exporter, "unknown").await;
    scene.sent_in_all(exporter, 1).await;
}

#[tokio::test]
async fn an_outcome_that_the_disk_refuses_is_written_later() {
    let scene = Scene::new("enforce").await;
    let exporter = scene.held_at_the_answer().await;
    let mut locked = Sqlite::open(&ledger::path(&scene.workspace)).await;
    locked.sql("BEGIN IMMEDIATE").await;
    scene.portal.refuse(Target::ReindexFailed, 403);
    exporter
        .until_logged("the reindex ledger cannot be written")
        .await;
    locked.sql("ROLLBACK").await;
    let metrics = scene.attempted(&exporter, "refused").await;
    assert_eq!(scene.attempts(&metrics, "unknown"), Some(0.0));
    scene.sent_in_all(exporter, 1).await;
}

#[tokio::test]
async fn a_key_that_may_not_reindex_is_tried_once_in_a_collection() {
    let scene = Scene::new("enforce").await;
    for name in ["Outbox", "Archive"] {
        let folder = scene.portal.folder(name);
        scene.portal.file(folder, "a.pdf", Status::Failed);
    }
    let exporter = scene.held_at_the_answer().await;
    let decisions = async || {
        let metrics = exporter.metrics().await;
        let decisions = metrics.all("kb_reindex_decisions_total", &[]);
        decisions.map(|sample| sample.value).sum::<f64>()
    };
    let before = decisions().await;
    scene.portal.refuse(Target::ReindexFailed, 403);
    until("each folder was tried", async || scene.sent() == 3).await;
    // Each folder is decided on after each collection: the first two attempts were followed by three decisions each.
    let between = decisions().await - before;
    assert!(between >= 6.0, "{between}");
}

/// The state moves to another folder while the portal does not answer: neither the reload nor the end of the process waits for that.
#[tokio::test]
async fn a_reload_that_moves_the_state_and_a_stop_do_not_wait_for_an_answer_of_the_portal() {
    for stops_at_once in [false, true] {
        let mut scene = Scene::new("enforce").await;
        let exporter = scene.held_at_the_answer().await;
        let elsewhere = scene.workspace.path("elsewhere");
        scene
            .workspace
            .change(|config| config["state"]["path"] = json!(elsewhere));
        exporter.signal("HUP");
        if !stops_at_once {
            until("the new folder is in use", async || {
                elsewhere.join("state.db").exists()
            })
            .await;
            exporter.collected_again().await;
        }
        exporter.stop().await;
        assert_eq!(scene.sent(), 1);
        let attempts = ledger::attempts(&scene.workspace);
        assert_eq!(attempts[0].outcome, "unknown");
    }
}
