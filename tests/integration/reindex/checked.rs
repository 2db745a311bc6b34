//! The one request directly before an attempt.

use kb_simulator::Status;
use kb_simulator::faults::Target;

use super::ledger;
use super::scene::{READS, Scene, decided, decisions, fail_for_a_reason};

#[tokio::test]
async fn a_page_without_a_failed_file_any_more_holds() {
    let scene = Scene::new("enforce").await;
    let exporter = scene.held_at_the_check(READS).await;
    scene.settle(&Status::Done);
    scene.portal.heal();
    let metrics = decided(&exporter, "hold", "counts", 1..=1).await;
    assert_eq!(decisions(&metrics, "trigger", "eligible"), Some(0));
    exporter.collected_again().await;
    exporter.stop().await;
    nothing_happened(&scene);
}

#[tokio::test]
async fn a_key_that_is_refused_for_a_moment_holds_no_longer_than_that() {
    let scene = Scene::new("enforce").await;
    let other = scene.portal.folder("Outbox");
    fail_for_a_reason(&scene.portal, other, "a.pdf");
    let exporter = scene.held_at_the_check(READS * 2).await;
    scene.portal.refuse(Target::Files, 401);
    decided(&exporter, "hold", "portal", 2..).await;
    assert_eq!(scene.sent(), 0);
    scene.portal.heal();
    decided(&exporter, "trigger", "eligible", 2..=2).await;
}

fn nothing_happened(scene: &Scene) {
    assert_eq!(scene.sent(), 0);
    let attempts = ledger::attempts(&scene.workspace);
    assert!(attempts.is_empty(), "{attempts:?}");
}
