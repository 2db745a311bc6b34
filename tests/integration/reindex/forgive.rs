//! What people forgive while the exporter runs.

use super::scene::Scene;
use crate::support::wait::until;

#[tokio::test]
async fn a_forgiven_folder_is_sent_again_before_its_cooldown_ends() {
    let scene = Scene::new("enforce").await;
    let exporter = scene.start_with_old_ledger().await;
    scene.in_cooldown(&exporter).await;
    let said = scene.forgive(&["--folder", "Inbox"], &[]);
    assert!(said.contains("with its next collection"), "{said}");
    until("the folder is sent again", async || scene.sent() == 2).await;
    scene.helped_and_failed_anew(&exporter).await;
    scene.held(&exporter, "cooldown").await;
    scene.sent_in_all(exporter, 2).await;
}

#[tokio::test]
async fn what_cannot_be_forgiven_is_said_and_changes_nothing() {
    let scene = Scene::new("enforce").await;
    let exporter = scene.start_with_old_ledger().await;
    scene.attempted(&exporter, "accepted").await;
    for (flags, says) in [
        (&["--portal", "mian"][..], "names that exist: \"main\""),
        (
            &["--portal", "main", "--folder", "Outbox"],
            "no attempt was ever made in a folder \"Outbox\"; names that exist: \"Inbox\"",
        ),
        (
            &["--portal", "main", "--class", "unspecifyed"],
            "was ever sent; names that exist: \"unspecified\"",
        ),
        (
            &["--portal", "main", "--folder", "Inbox", "--clock"],
            "cannot be used with",
        ),
    ] {
        let mut command = scene.workspace.command();
        let output = command.args(["reindex", "forgive"]).args(flags).output();
        let output = output.unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(says), "{said}");
    }
    scene.helped_and_failed_anew(&exporter).await;
    scene.held(&exporter, "cooldown").await;
}

#[tokio::test]
async fn a_class_is_forgiven_that_has_no_counters_of_its_own() {
    let scene = Scene::with("enforce", |config| {
        config["errors"]["max_classes"] = 1.into();
    })
    .await;
    scene.fail_for_a_reason("f.pdf");
    let exporter = scene.start_with_old_ledger().await;
    let metrics = scene.attempted(&exporter, "accepted").await;
    let counted = |class| {
        let labels = [("error", class), ("outcome", "recovered")];
        metrics.count("kb_reindex_class_files_total", &labels)
    };
    assert_eq!((counted("unspecified"), counted("other")), (None, Some(0)));
    for class in ["unspecified", "other"] {
        let said = scene.forgive(&["--class", class], &[]);
        assert!(said.starts_with("written to the ledger"), "{said}");
    }
}
