//! A folder that leaves while an attempt in it is still open.

use std::time::Duration;

use super::ledger;
use super::scene::{FAILED, Scene};
use crate::support::wait::wait_for;

#[tokio::test]
async fn an_attempt_in_a_folder_that_vanishes_is_inconclusive_in_time_and_given_back() {
    let scene = Scene::new("enforce").await;
    let exporter = scene.start_with_old_ledger().await;
    scene.attempted(&exporter, "accepted").await;
    let deleted = scene
        .portal
        .world(|world| world.delete_folder(scene.folder));
    deleted.unwrap();
    exporter
        .metrics_when("the folder is gone", |metrics| {
            let gone = Some(("reason", "gone"));
            scene.value(metrics, "kb_folder_unavailable", gone) == Some(1.0)
        })
        .await;
    exporter.collected_again().await;
    exporter.stop().await;
    // It may come back until then.
    let open = &ledger::attempts(&scene.workspace)[0];
    assert_eq!(open.outcome, "accepted");
    assert_eq!(open.verdict, None);
    assert_eq!(ledger::tries(&scene.workspace), FAILED);

    // What is not heard of for a day is unknown.
    ledger::age(&scene.workspace, Duration::from_hours(24));
    let exporter = scene.start().await;
    wait_for("the attempt is judged", async || {
        let attempts = ledger::attempts(&scene.workspace);
        (attempts[0].verdict.as_deref() == Some("inconclusive")).then_some(())
    })
    .await;
    assert_eq!(ledger::tries(&scene.workspace), 0, "given back");
    exporter.stop().await;
    assert_eq!(scene.sent(), 1);
}
