//! `kb-exporter reindex classes`.

use kb_simulator::Status;
use serde_json::json;

use super::scene::Scene;

#[tokio::test]
async fn the_command_shows_the_numbers_that_decide() {
    let scene = Scene::new("enforce").await;
    // With the class that they will have later, too.
    scene.settle(&Status::Failed);
    let exporter = scene.start_with_old_ledger().await;
    scene.in_cooldown(&exporter).await;
    exporter.collected_again().await;
    let mut command = scene.workspace.command();
    command.args(["reindex", "classes", "--output", "json"]);
    let output = command.output().unwrap();
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let (portal, class) = (&said["portals"][0], &said["classes"][0]);
    assert_eq!(
        (&portal["tries_left"], &portal["tries"]),
        (&json!(1), &json!(2))
    );
    let newest = (&class["newest_recovered"], &class["newest"]);
    assert_eq!(newest, (&json!(2), &json!(2)), "{said}");
}
