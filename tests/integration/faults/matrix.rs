//! Many trials in one process, step by step: before, during and after.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::json;
use uuid::Uuid;

use super::table::Row;
use super::trial::{Trial, is_up, successes};
use super::witness;
use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::wait::{DEADLINE, until};
use crate::support::workspace::Workspace;
use kb_exposition::Exposition;

/// Between two scrapes.
const PAUSE: Duration = Duration::from_secs(1);

/// Most counts of the portal that no fault strikes, during two counts of the other folders that are not struck, or until those that are struck are
/// counted again. Two or three are usual; a pace that was halved down to one request in two seconds takes four more to come back. A busy
/// machine delays all of them.
const MOST_COUNTS: u64 = 14;

/// The portal that no fault strikes.
const WELL: &str = "well";

/// What is published, by portal.
type Published = BTreeMap<String, Exposition>;

/// Tries each row at a portal of its own, all of them in one process; panics where a promise is broken.
#[expect(clippy::print_stdout, reason = "shown when the test fails")]
pub(super) async fn run(rows: Vec<Row>, request_timeout: &str) {
    let decoy = Portal::start().await;
    let mut matrix = Matrix::start(rows, request_timeout).await;
    matrix
        .until("all is counted at first", Trial::is_all_right)
        .await;
    for trial in &matrix.trials {
        trial.strike(decoy.address());
    }
    matrix.until("as expected", Trial::is_as_expected).await;
    matrix.are_noted().await;
    matrix.others_keep_their_pace().await;
    witness::reads_well(&matrix.exporter, &matrix.key_stem).await;
    matrix.recovers().await;
    witness::reads_well(&matrix.exporter, &matrix.key_stem).await;
    let peak = witness::was_well(&matrix.exporter, &matrix.key_stem);
    println!("{} faults, peak memory {peak} MiB", matrix.trials.len());
    matrix.exporter.stop().await;
    assert_eq!(decoy.requests_with("/"), 0, "a redirect was followed");
}

struct Matrix {
    trials: Vec<Trial>,
    _well: Portal,
    exporter: Exporter,
    /// What all keys begin with; each portal has its own.
    key_stem: String,
    _workspace: Workspace,
}

impl Matrix {
    async fn start(rows: Vec<Row>, request_timeout: &str) -> Self {
        let key_stem = format!("kbk_{}", Uuid::from_u128(fastrand::u128(..)).simple());
        let key = |number: usize| format!("{key_stem}_{number}");
        let mut trials = Vec::new();
        for (number, row) in rows.into_iter().enumerate() {
            trials.push(Trial::start(row, &key(number), number).await);
        }
        let well = Portal::keyed(&key(trials.len())).await;
        well.mixed_folder("Well", 30);
        let sick = trials
            .iter()
            .map(|trial| (trial.portal.as_str(), trial.base_url()));
        let portals: Vec<_> = sick.chain([(WELL, well.base_url())]).collect();
        let mut workspace = Workspace::new(&portals);
        let key_files: Vec<_> = (0..portals.len())
            .map(|number| workspace.path(&format!("key-{number}")))
            .collect();
        for (number, file) in key_files.iter().enumerate() {
            std::fs::write(file, key(number)).unwrap();
        }
        workspace.change(|config| {
            for (number, file) in key_files.iter().enumerate() {
                config["portals"][number]["api_key_file"] = json!(file);
            }
            config["collect"]["schedule"] = "5s".into();
            config["collect"]["concurrency"] = 2.into();
            config["collect"]["max_folders"] = 6.into();
            config["collect"]["max_pages_per_folder"] = 5.into();
            config["request"] =
                json!({"timeout": request_timeout, "retries": 1, "max_body_bytes": 1 << 20});
        });
        let mut command = workspace.command();
        let exporter = Exporter::launch(command.args(["run", "--log.level", "debug"])).await;
        Self {
            trials,
            _well: well,
            exporter,
            key_stem,
            _workspace: workspace,
        }
    }

    /// Scrapes, and holds what comes against the journals.
    async fn scrape(&mut self) -> Published {
        let published = self.exporter.metrics().await.by_portal();
        for trial in &mut self.trials {
            trial.judge(&published[&trial.portal]);
        }
        published
    }

    /// Scrapes until a condition held once for each trial, and the portal without a fault was counted again.
    async fn until(
        &mut self,
        what: &str,
        holds: impl Fn(&Trial, &Exposition) -> bool,
    ) -> Published {
        let begun = Instant::now();
        let mut left: Vec<_> = (0..self.trials.len()).collect();
        let before = successes(&self.scrape().await[WELL]);
        loop {
            let published = self.scrape().await;
            let trials = &self.trials;
            left.retain(|&number| !holds(&trials[number], &published[&trials[number].portal]));
            let well = &published[WELL];
            if left.is_empty() && is_up(well) && successes(well) > before {
                return published;
            }
            let names = left.iter().map(|&number| trials[number].name());
            assert!(
                begun.elapsed() < DEADLINE,
                "{what}, not within {DEADLINE:?}: {:#?}",
                names.collect::<Vec<_>>()
            );
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// A person is notified, where that is expected.
    async fn are_noted(&self) {
        until("/health has each note", async || {
            let health = self.exporter.json("/health").await;
            let is_noted = |trial: &Trial| {
                let check = format!("portal:{}", trial.portal);
                let said = health["checks"][check][0]["output"].to_string();
                trial.note().is_none_or(|note| said.contains(note))
            };
            self.trials.iter().all(is_noted)
        })
        .await;
    }

    /// Other folders are counted as often as those of the other portal.
    async fn others_keep_their_pace(&mut self) {
        let begun = self.scrape().await;
        let mut last = begun.clone();
        for _ in 0..2 {
            let before = last;
            last = self
                .until("the others are counted again", |trial, metrics| {
                    trial.others_were_counted(metrics, &before[&trial.portal])
                })
                .await;
        }
        took_few_counts(&begun[WELL], &last[WELL]);
    }

    /// The faults end, and all is counted again.
    async fn recovers(&mut self) {
        let before = self.scrape().await;
        for trial in &self.trials {
            trial.heal();
        }
        let after = self
            .until("all is counted again", Trial::is_all_right)
            .await;
        took_few_counts(&before[WELL], &after[WELL]);
    }
}

fn took_few_counts(before: &Exposition, after: &Exposition) {
    let counts = successes(after) - successes(before);
    assert!(counts <= MOST_COUNTS, "{WELL} was counted {counts} times");
}
