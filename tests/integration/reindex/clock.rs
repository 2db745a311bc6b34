//! The wall clock is set while the program runs, by Debian's `libfaketime`.

use std::fs;
use std::path::PathBuf;

use super::scene::{Scene, fail_for_a_reason, make_old_ledger};
use crate::support::exporter::Exporter;

/// The clock of the processes that are started with it.
pub(crate) struct Clock {
    file: PathBuf,
    library: PathBuf,
}

impl Clock {
    /// The right one, as long as it is not set.
    pub(crate) fn of(scene: &Scene) -> Self {
        let clock = Self {
            file: scene.workspace.path("clock"),
            library: library(),
        };
        clock.set("+0");
        clock
    }

    /// Sets the clock so much before or after the right time.
    pub(crate) fn set(&self, offset: &str) {
        // A reader must never find an empty file.
        let new = self.file.with_extension("new");
        fs::write(&new, offset).unwrap();
        fs::rename(new, &self.file).unwrap();
    }

    /// What makes a process use this clock.
    fn environment(&self) -> [(&'static str, PathBuf); 4] {
        [
            ("LD_PRELOAD", self.library.clone()),
            ("FAKETIME_TIMESTAMP_FILE", self.file.clone()),
            ("FAKETIME_NO_CACHE", "1".into()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".into()),
        ]
    }

    /// Starts a scene's exporter with this clock.
    pub(crate) async fn start(&self, scene: &Scene) -> Exporter {
        let mut command = scene.workspace.command();
        Exporter::launch(command.envs(self.environment()).arg("run")).await
    }
}

fn library() -> PathBuf {
    let triples = fs::read_dir("/usr/lib").unwrap().flatten();
    let mut found = triples.map(|triple| triple.path().join("faketime/libfaketimeMT.so.1"));
    let found = found.find(|library| library.exists());
    found.expect("libfaketime is not installed: use tests/run")
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
    scene.held(&exporter, "cooldown").await;
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
