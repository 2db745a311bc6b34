//! What keeps eligible files from being sent.

use std::fs;

use super::scene::Scene;
use serde_json::Value;

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
    // Its folder may be one that is not mounted.
    let folder = scene.workspace.path("missing");
    for (named, is_on) in [(folder.join("stop"), true), (file, false)] {
        let change = |config: &mut Value| {
            config["reindex"]["kill_switch_file"] = named.to_str().into();
        };
        scene.reconfigure(&exporter, change).await;
        let is_on = f64::from(is_on);
        exporter
            .until_value("kb_reindex_kill_switch", &[], is_on)
            .await;
    }
}
