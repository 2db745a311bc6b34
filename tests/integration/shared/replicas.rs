//! Two processes with the same configuration: what one attempts, the other does not.

use std::collections::BTreeSet;

use kb_simulator::{NewFile, Status};
use serde_json::{Value, json};
use uuid::Uuid;

use super::ledger;
use super::scene::Shared;
use crate::reindex::limits::folder_of;
use crate::reindex::scene::{budget_left, rules, sent};
use crate::support::exporter::Exporter;
use kb_exposition::{Exposition, Sample};

/// Folders beside the first.
const MORE: u32 = 3;

/// Two processes over folders in which files failed, each for a reason of its own so that none waits for what comes of another.
struct Pair {
    shared: Shared,
    folders: Vec<Uuid>,
}

impl Pair {
    async fn with(budget: Value) -> Self {
        let shared = Shared::with("enforce", |config| {
            config["reindex"] = rules("enforce");
            config["reindex"]["budget"] = budget;
        })
        .await;
        let mut folders = vec![shared.folder];
        for number in 0..MORE {
            let folder = shared.portal.folder(&format!("Folder {number}"));
            for name in ["a.pdf", "b.pdf"] {
                let reason = crate::support::reasons::in_letters(1_000 + number);
                let file = NewFile::new(name, Status::Failed).because(reason.clone());
                shared.portal.add(folder, &file);
            }
            folders.push(folder);
        }
        shared.meet_long_ago().await;
        Self { shared, folders }
    }

    async fn start(&self) -> [Exporter; 2] {
        let (one, other) = tokio::join!(self.shared.start(), self.shared.start());
        [one, other]
    }

    /// Waits until both show that so many attempts were accepted, and lets both decide a few times more.
    async fn settle(&self, both: &[Exporter; 2], accepted: u64) -> Vec<Exposition> {
        for exporter in both {
            let shows = |metrics: &Exposition| attempts(metrics, "accepted") == accepted;
            exporter.metrics_when("all attempts are made", shows).await;
        }
        let mut metrics = Vec::new();
        for exporter in both {
            metrics.push(exporter.collections(3).await);
        }
        metrics
    }

    /// The folders that the portal was asked to reindex, none twice.
    fn asked(&self) -> BTreeSet<Uuid> {
        let asked = self.shared.portal.asked();
        let folders: Vec<_> = sent(&asked).map(|asked| folder_of(&asked.target)).collect();
        let distinct: BTreeSet<_> = folders.iter().copied().collect();
        assert_eq!(folders.len(), distinct.len(), "a folder twice: {folders:?}");
        distinct
    }
}

/// Attempts of all folders with a result.
fn attempts(metrics: &Exposition, result: &str) -> u64 {
    let labels = [("result", result)];
    let attempts = metrics.all("kb_reindex_attempts_total", &labels);
    attempts.map(Sample::count).sum()
}

#[tokio::test]
async fn two_processes_make_one_attempt_in_each_folder() {
    let pair = Pair::with(json!({"files": 1_000})).await;
    let both = pair.start().await;
    let folders = u64::from(MORE) + 1;
    pair.settle(&both, folders).await;
    assert_eq!(pair.asked(), pair.folders.iter().copied().collect());
    let written = ledger::attempts(&pair.shared.database);
    let written: Vec<_> = written.iter().map(|attempt| attempt.folder).collect();
    assert_eq!(written.len(), pair.folders.len());
    assert_eq!(pair.asked(), written.into_iter().collect());
    for exporter in both {
        exporter.stop().await;
    }
}

#[tokio::test]
async fn two_processes_spend_one_budget_of_files() {
    let pair = Pair::with(json!({"files": 5})).await;
    let both = pair.start().await;
    for metrics in pair.settle(&both, 2).await {
        assert_eq!(budget_left(&metrics), Some(1));
        assert_eq!(attempts(&metrics, "unknown"), 0);
    }
    let files = ledger::attempts(&pair.shared.database);
    let files: Vec<_> = files.iter().map(|attempt| attempt.files).collect();
    assert_eq!(files, [2, 2]);
    assert_eq!(pair.asked().len(), 2);
}
