//! What keeps eligible files from being sent.

use std::fs;

use super::ledger;
use super::scene::{LONG_AGO, Scene};

#[tokio::test]
async fn a_new_ledger_holds_everything_for_one_cooldown() {
    let scene = Scene::new("enforce").await;
    let exporter = scene.start().await;
    let metrics = scene.held(&exporter, "ledger").await;
    let name = "kb_reindex_next_allowed_timestamp_seconds";
    assert_eq!(scene.value(&metrics, name, None), Some(0.0), "no cooldown");
    let page = format!("/folders/main/{}", scene.folder);
    let page = exporter.get(&page).await.text().await.unwrap();
    assert!(page.contains("the portal is new in the ledger"), "{page}");
    exporter.collected_again().await;
    assert_eq!(scene.sent(), 0);
    exporter.stop().await;

    ledger::age(&scene.workspace, LONG_AGO);
    let exporter = scene.start().await;
    scene.attempted(&exporter, "accepted").await;
    exporter.stop().await;
}

#[tokio::test]
async fn a_kill_switch_file_is_looked_at_when_it_is_asked_for() {
    let (mut scene, file) = Scene::with_kill_switch().await;
    scene
        .workspace
        .change(|config| config["collect"]["schedule"] = "1h".into());
    let exporter = scene.start().await;
    scene.held(&exporter, "ledger").await;
    exporter.collected().await;
    for is_on in [true, false] {
        if is_on {
            fs::write(&file, "").unwrap();
        } else {
            fs::remove_file(&file).unwrap();
        }
        let metrics = exporter.metrics().await;
        let shown = metrics.value("kb_reindex_kill_switch", &[]);
        assert_eq!(shown, Some(f64::from(is_on)));
        let health = exporter.json("/health").await;
        let notes = health["checks"]["portal:main"][0]["output"].as_str();
        let is_noted = notes.is_some_and(|notes| notes.contains("the kill switch is on"));
        assert_eq!(
            (is_noted, &health["status"]),
            (is_on, &"pass".into()),
            "{health}"
        );
        let page = exporter.get("/").await.text().await.unwrap();
        assert_eq!(page.contains("the kill switch is on"), is_on);
    }
    exporter.stop().await;
}
