//! A portal with one folder in which files failed, and an exporter with rules for them.

use std::ops::RangeBounds;
use std::path::PathBuf;
use std::time::Duration;

use kb_simulator::{NewFile, Status};
use serde_json::{Value, json};
use uuid::Uuid;

use super::ledger;
use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::server::Asked;
use crate::support::server::REINDEX_FAILED;
use crate::support::wait::until;
use crate::support::workspace::Workspace;
use kb_exposition::{Exposition, Sample};

/// Failed files of the folder.
pub(crate) const FAILED: u64 = 2;

/// Longer than any pause of [`rules`] that a new ledger makes.
pub(crate) const LONG_AGO: Duration = Duration::from_hours(2);

/// Reads of a folder before an attempt is made in it, of one page each.
pub(crate) const READS: usize = 1;

/// A portal that is collected once a second.
pub(crate) struct Scene {
    pub(crate) portal: Portal,
    pub(crate) folder: Uuid,
    pub(crate) workspace: Workspace,
}

/// Rules under which failed files may be sent back at once, and then not for an hour.
pub(crate) fn rules(mode: &str) -> Value {
    json!({"mode": mode, "min_age": "0s", "cooldown": "1h"})
}

/// Lets the failed files of the scene's folder be sent only with one that has a reason.
pub(crate) fn only_with_a_reason(config: &mut Value) {
    config["reindex"]["never_classes"] = json!(["unspecified"]);
}

impl Scene {
    /// A folder with done files and [`FAILED`] failed ones, under [`rules`].
    pub(crate) async fn new(mode: &str) -> Self {
        Self::with(mode, |_| {}).await
    }

    /// The same with other settings.
    pub(crate) async fn with(mode: &str, change: impl FnOnce(&mut Value)) -> Self {
        let portal = Portal::start().await;
        if mode == "enforce" {
            portal.allow_reindex_failed();
        }
        let folder = portal.folder("Inbox");
        for name in ["a.pdf", "b.pdf", "c.pdf"] {
            portal.file(folder, name, Status::Done);
        }
        for name in ["d.pdf", "e.pdf"] {
            portal.file(folder, name, Status::Failed);
        }
        let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
            config["collect"]["schedule"] = "1s".into();
            config["reindex"] = rules(mode);
            change(config);
        });
        Self {
            portal,
            folder,
            workspace,
        }
    }

    /// Starts the exporter, whose ledger is new where it was never started.
    pub(crate) async fn start(&self) -> Exporter {
        Exporter::start(&self.workspace).await
    }

    /// Starts the exporter with a ledger that is so old that it holds nothing.
    pub(crate) async fn start_with_old_ledger(&self) -> Exporter {
        make_old_ledger(&self.workspace).await;
        self.start().await
    }

    /// The same under enforce, with a file that stops everything; it does not exist yet.
    pub(crate) async fn with_kill_switch() -> (Self, PathBuf) {
        let mut scene = Self::new("enforce").await;
        let file = scene.workspace.path("stop-reindex");
        let named = file.to_str().unwrap().to_owned();
        scene
            .workspace
            .change(|config| config["reindex"]["kill_switch_file"] = named.into());
        (scene, file)
    }

    /// An exporter that waits for the answer to the first request for files after these reads of folders, which is the one directly before its
    /// first attempt. No other collection begins meanwhile.
    pub(crate) async fn held_at_the_check(&self, reads: usize) -> Exporter {
        make_old_ledger(&self.workspace).await;
        self.portal.hold_after("/mine", 1);
        self.held_after("/files", reads).await
    }

    /// The same for the requests for a folder, while others are collected.
    pub(crate) async fn held_at_the_first_check(&self, folder: Uuid) -> Exporter {
        make_old_ledger(&self.workspace).await;
        self.held_after(&format!("{folder}/files"), READS).await
    }

    async fn held_after(&self, files: &str, reads: usize) -> Exporter {
        let folder_read = self.portal.hold_after(files, reads);
        let exporter = self.start().await;
        self.portal.until_asked(files, folder_read).await;
        exporter
    }

    /// Takes something back with the program, beside the one that runs; what it says.
    pub(crate) fn forgive(&self, flags: &[&str], environment: &[(&str, PathBuf)]) -> String {
        let mut command = self.workspace.command();
        command.args(["reindex", "forgive", "--portal", "main"]);
        let output = command
            .args(flags)
            .envs(environment.iter().cloned())
            .output();
        let output = output.unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        said
    }

    /// Adds a failed file of a class of its own, which [`only_with_a_reason`] lets be sent.
    pub(crate) fn fail_for_a_reason(&self, name: &str) -> Uuid {
        fail_for_a_reason(&self.portal, self.folder, name)
    }

    /// Lets the files that were reindexed be done, and fail anew when that was seen.
    pub(crate) async fn helped_and_failed_anew(&self, exporter: &Exporter) {
        let recovered = |metrics: &Exposition| -> u64 {
            let judged = metrics.all("kb_reindex_outcomes_total", &[("outcome", "recovered")]);
            judged.map(Sample::count).sum()
        };
        let before = recovered(&exporter.metrics().await);
        self.settle(&Status::Done);
        exporter
            .metrics_when("the attempt has recovered the files", |metrics| {
                recovered(metrics) > before
            })
            .await;
        self.settle(&Status::Failed);
    }

    /// Lets the first attempt help, and its files fail anew. What `/metrics` says when the cooldown holds these.
    pub(crate) async fn in_cooldown(&self, exporter: &Exporter) -> Exposition {
        self.attempted(exporter, "accepted").await;
        self.helped_and_failed_anew(exporter).await;
        self.held(exporter, "cooldown").await
    }

    /// Brings all files that failed, and were reindexed, into a status.
    pub(crate) fn settle(&self, status: &Status) {
        let files = self.portal.world(|world| world.file_ids(self.folder));
        for file in &files[3..] {
            self.portal.set(self.folder, *file, status.clone());
        }
    }

    /// Requests so far that reindex failed files.
    pub(crate) fn sent(&self) -> usize {
        sent(&self.portal.asked()).count()
    }

    /// Ends the exporter after one more collection. So many requests were sent by then.
    pub(crate) async fn sent_in_all(&self, exporter: Exporter, times: usize) {
        exporter.collected_again().await;
        exporter.stop().await;
        assert_eq!(self.sent(), times);
    }

    /// Changes the configuration of the running exporter, and waits until that is in use.
    pub(crate) async fn reconfigure(
        &mut self,
        exporter: &Exporter,
        change: impl FnOnce(&mut Value),
    ) {
        exporter.reconfigure(&mut self.workspace, change).await;
    }

    /// An exporter that waits for the answer to its first attempt.
    pub(crate) async fn held_at_the_answer(&self) -> Exporter {
        self.portal.hold(REINDEX_FAILED);
        let exporter = self.start_with_old_ledger().await;
        self.first_sent().await;
        exporter
    }

    /// Waits until the first attempt's request has come to the portal.
    pub(crate) async fn first_sent(&self) {
        until("the first attempt is under way", async || self.sent() == 1).await;
    }

    /// The one sample of the folder.
    pub(crate) fn value(
        &self,
        metrics: &Exposition,
        name: &str,
        label: Option<(&str, &str)>,
    ) -> Option<f64> {
        let own = metrics.folder(self.folder);
        own.value(name, label.as_slice())
    }

    /// What `/metrics` says when the one sample of the folder has a value.
    pub(crate) async fn until_value(
        &self,
        exporter: &Exporter,
        name: &str,
        label: Option<(&str, &str)>,
        value: f64,
    ) -> Exposition {
        let what = format!("{name} of {label:?} is {value}");
        let is_so = |metrics: &Exposition| self.value(metrics, name, label) == Some(value);
        exporter.metrics_when(&what, is_so).await
    }

    /// Attempts with a result.
    pub(crate) fn attempts(&self, metrics: &Exposition, result: &str) -> Option<f64> {
        let label = Some(("result", result));
        self.value(metrics, "kb_reindex_attempts_total", label)
    }

    /// Whether the folder is held for a reason, and no other.
    pub(crate) fn is_held(&self, metrics: &Exposition, reason: &str) -> bool {
        self.value(metrics, "kb_reindex_hold", None) == Some(1.0)
            && self.value(metrics, "kb_reindex_hold", Some(("reason", reason))) == Some(1.0)
    }

    /// What `/metrics` says when the folder is held for a reason.
    pub(crate) async fn held(&self, exporter: &Exporter, reason: &str) -> Exposition {
        let what = format!("the folder is held: {reason}");
        exporter
            .metrics_when(&what, |metrics| self.is_held(metrics, reason))
            .await
    }

    /// What `/metrics` says when there was one attempt with a result.
    pub(crate) async fn attempted(&self, exporter: &Exporter, result: &str) -> Exposition {
        let label = Some(("result", result));
        self.until_value(exporter, "kb_reindex_attempts_total", label, 1.0)
            .await
    }
}

/// Adds a failed file to a folder, of another class than those of the scene.
pub(crate) fn fail_for_a_reason(portal: &Portal, folder: Uuid, name: &str) -> Uuid {
    let file = NewFile::new(name, Status::Failed).because("timed out");
    portal.add(folder, &file)
}

/// Lets the exporter make a ledger, in which it meets its one portal, and that ledger grow old.
pub(crate) async fn make_old_ledger(workspace: &Workspace) {
    let exporter = Exporter::start(workspace).await;
    until("the portal is met", async || ledger::has_met(workspace, 1)).await;
    exporter.stop().await;
    ledger::age(workspace, LONG_AGO);
}

/// Those requests that reindex failed files.
pub(crate) fn sent(asked: &[Asked]) -> impl Iterator<Item = &Asked> {
    let asked = asked.iter();
    asked.filter(|asked| asked.target.ends_with(REINDEX_FAILED))
}

/// Fails where not all failed files of some folders are shown.
pub(crate) fn failed_files_are_shown(portal: &Portal, folders: &[Uuid], metrics: &Exposition) {
    for folder in folders {
        let counts = portal.world(|world| world.counts(*folder)).unwrap();
        let failed = counts.get(&Status::Failed).copied().unwrap_or(0);
        let shown = metrics.folder(folder).by_status("kb_folder_files");
        assert_eq!(shown["failed"], failed, "{folder}");
    }
}

/// Decisions of one kind with a reason.
pub(crate) fn decisions(metrics: &Exposition, decision: &str, reason: &str) -> Option<u64> {
    let labels = [("decision", decision), ("reason", reason)];
    metrics.count("kb_reindex_decisions_total", &labels)
}

/// What `/metrics` says when there is this number of decisions of one kind with a reason.
pub(crate) async fn decided(
    exporter: &Exporter,
    decision: &str,
    reason: &str,
    times: impl RangeBounds<u64>,
) -> Exposition {
    let what = format!("{decision} is decided: {reason}");
    let is_so = |metrics: &Exposition| {
        decisions(metrics, decision, reason).is_some_and(|made| times.contains(&made))
    };
    exporter.metrics_when(&what, is_so).await
}

/// Files that remain of a portal's budget.
pub(crate) fn budget_of(metrics: &Exposition, portal: &str) -> Option<u64> {
    metrics.count("kb_reindex_budget_remaining_files", &[("portal", portal)])
}

/// Files that remain of the budget.
pub(crate) fn budget_left(metrics: &Exposition) -> Option<u64> {
    metrics.count("kb_reindex_budget_remaining_files", &[])
}
