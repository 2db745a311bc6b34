//! The wall clock is set while the program runs, by Debian's `libfaketime`.

use super::ledger;
use super::scene::{LONG_AGO, Scene, budget_left, make_old_ledger};
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
async fn a_clock_that_is_set_forward_ends_no_cooldown_and_no_window_of_the_budget() {
    let scene = Scene::new("enforce").await;
    make_old_ledger(&scene.workspace).await;
    let clock = Clock::of(&scene);
    let exporter = clock.start(&scene).await;
    let before = scene.in_cooldown(&exporter).await;

    clock.set("+25h");
    exporter.collected_again().await;
    let metrics = scene.held(&exporter, "cooldown").await;
    assert_eq!(budget_left(&metrics), budget_left(&before));
    exporter.stop().await;
    // The next process cannot know how much of the cooldown has passed.
    let exporter = clock.start(&scene).await;
    scene.held(&exporter, "ledger").await;
    scene.sent_in_all(exporter, 1).await;
}

/// A scene whose ledger has an attempt, and files that failed since.
async fn with_an_attempt() -> Scene {
    let scene = Scene::new("enforce").await;
    let exporter = scene.start_with_old_ledger().await;
    scene.in_cooldown(&exporter).await;
    exporter.stop().await;
    scene
}

#[tokio::test]
async fn a_clock_that_is_behind_at_the_start_holds_until_somebody_says_that_it_is_right() {
    let scene = with_an_attempt().await;
    let clock = Clock::of(&scene);
    clock.set("-3h");
    let exporter = clock.start(&scene).await;
    scene.held(&exporter, "clock").await;
    exporter.collected_again().await;
    scene.forgive(&["--clock"], &clock.environment());
    // The attempt counts as made just now, and so does the beginning of the ledger.
    scene.held(&exporter, "ledger").await;
    scene.sent_in_all(exporter, 1).await;
}

/// Set forward by a year while the process runs, and right again at the next start.
#[tokio::test]
async fn a_clock_that_was_ahead_for_a_while_holds_for_a_cooldown_at_most() {
    let scene = with_an_attempt().await;
    let clock = Clock::of(&scene);
    let exporter = clock.start(&scene).await;
    scene.held(&exporter, "cooldown").await;
    clock.set("+365d");
    exporter.collected_again().await;
    exporter.stop().await;
    clock.set("+0");
    let exporter = clock.start(&scene).await;
    scene.held(&exporter, "ledger").await;
    exporter.stop().await;
    ledger::age(&scene.workspace, LONG_AGO);
    let exporter = clock.start(&scene).await;
    let accepted = Some(("result", "accepted"));
    scene
        .until_value(&exporter, "kb_reindex_attempts_total", accepted, 2.0)
        .await;
}
