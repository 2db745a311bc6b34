//! The wall clock is set while the program runs, by Debian's `libfaketime`.

use super::scene::{Scene, fail_for_a_reason, make_old_ledger};
use crate::support::exporter::Exporter;

pub(crate) use crate::support::clock::Clock;

impl Clock {
    /// The clock of a scene's processes.
    pub(crate) fn of(scene: &Scene) -> Self {
        Self::in_file(scene.workspace.path("clock"))
    }

    /// Starts a scene's exporter with this clock.
    pub(crate) async fn start(&self, scene: &Scene) -> Exporter {
        let mut command = scene.workspace.command();
        Exporter::launch(command.envs(self.environment()).arg("run")).await
    }
}

#[tokio::test]
async fn a_clock_that_is_set_forward_ends_no_cooldown_also_after_a_restart() {
    let scene = Scene::new("enforce").await;
    make_old_ledger(&scene.workspace).await;
    let clock = Clock::of(&scene);
    let exporter = clock.start(&scene).await;
    scene.attempted(&exporter, "accepted").await;
    scene.helped_and_failed_anew(&exporter).await;
    scene.held(&exporter, "cooldown").await;

    clock.set("+25h");
    exporter.collected_again().await;
    scene.held(&exporter, "cooldown").await;
    exporter.stop().await;
    let exporter = clock.start(&scene).await;
    scene.held(&exporter, "cooldown").await;
    exporter.collected_again().await;
    exporter.stop().await;
    assert_eq!(scene.sent(), 1);
}

#[tokio::test]
async fn a_clock_that_was_behind_at_the_start_and_is_set_right_moves_no_times() {
    let scene = Scene::new("enforce").await;
    make_old_ledger(&scene.workspace).await;
    let clock = Clock::of(&scene);
    clock.set("-400d");
    let exporter = clock.start(&scene).await;
    scene.held(&exporter, "clock").await;
    clock.set("+0");
    scene.attempted(&exporter, "accepted").await;
    exporter.stop().await;
    assert_eq!(scene.sent(), 1);
}

#[tokio::test]
async fn a_clock_that_is_set_back_holds_until_somebody_says_that_it_is_right() {
    let mut scene = Scene::new("off").await;
    make_old_ledger(&scene.workspace).await;
    scene.portal.writes().allow_reindex_failed();
    scene
        .workspace
        .change(|config| config["reindex"] = super::scene::rules("enforce"));
    let clock = Clock::of(&scene);
    clock.set("-3h");
    let exporter = clock.start(&scene).await;
    scene.held(&exporter, "clock").await;
    exporter.collected_again().await;
    assert_eq!(scene.sent(), 0);
    scene.forgive(&["--clock"], &clock.environment());
    // The portal counts as met just now.
    scene.held(&exporter, "ledger").await;
    exporter.stop().await;
}

#[tokio::test]
async fn a_small_step_holds_nothing_for_long() {
    let scene = Scene::new("enforce").await;
    make_old_ledger(&scene.workspace).await;
    let other = scene.portal.folder("Outbox");
    let clock = Clock::of(&scene);
    let exporter = clock.start(&scene).await;
    scene.attempted(&exporter, "accepted").await;
    clock.set("+7");
    exporter.collected_again().await;
    fail_for_a_reason(&scene.portal, other, "late.pdf");
    let labels = [("folder", "Outbox"), ("result", "accepted")];
    exporter
        .metrics_when("the other folder is sent", |metrics| {
            metrics.value("kb_reindex_attempts_total", &labels) == Some(1.0)
        })
        .await;
    let set = |line: &String| line.contains("the clock was set");
    assert!(exporter.output().iter().any(set), "it was not noticed");
    exporter.stop().await;
}
