//! Rules that are changed while the program runs.

use super::scene::{Scene, rules};
use crate::support::exporter::Exporter;
use serde_json::Value;

#[tokio::test]
async fn a_reload_triggers_nothing_and_takes_effect_with_the_next_decision() {
    let mut scene = Scene::new("off").await;
    let exporter = scene.start_with_old_ledger().await;
    exporter.collected_again().await;
    // No collection comes to its end from here on.
    let lists = scene.portal.requests_with("/mine");
    scene.portal.hold("/mine");
    scene.portal.until_asked("/mine", lists).await;
    scene.portal.allow_reindex_failed();
    use_mode(&mut scene, &exporter, "enforce").await;
    assert_eq!(scene.sent(), 0);
    assert_eq!(scene.portal.requests_with("/mine"), lists + 1);

    scene.portal.heal();
    scene.attempted(&exporter, "accepted").await;
    assert_eq!(scene.sent(), 1);
}

/// Reloads with another mode, and waits until it is shown.
async fn use_mode(scene: &mut Scene, exporter: &Exporter, mode: &str) {
    let change = |config: &mut Value| config["reindex"] = rules(mode);
    scene.reconfigure(exporter, change).await;
    let shown = Some(("mode", mode));
    scene
        .until_value(exporter, "kb_reindex_mode", shown, 1.0)
        .await;
}

#[tokio::test]
async fn a_switch_to_off_works_although_another_portal_has_lost_its_certificates() {
    let mut scene = Scene::new("enforce").await;
    let missing = scene.workspace.path("ca.pem");
    let certificate = rcgen::generate_simple_self_signed(["portal.example".to_owned()]).unwrap();
    std::fs::write(&missing, certificate.cert.pem()).unwrap();
    scene.workspace.change(|config| {
        let mut other = config["portals"][0].clone();
        other["name"] = "other".into();
        other["base_url"] = "http://127.0.0.1:9".into();
        other["ca_file"] = serde_json::json!(missing);
        config["portals"].as_array_mut().unwrap().push(other);
    });
    let exporter = scene.start().await;
    scene.held(&exporter, "ledger").await;
    std::fs::remove_file(&missing).unwrap();
    use_mode(&mut scene, &exporter, "off").await;
    scene.sent_in_all(exporter, 0).await;
}
