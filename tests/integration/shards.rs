//! Several processes share the folders of a portal: each folder is counted by one of them, and a real Prometheus with the shipped rules and
//! the queries of the dashboards has the whole, also while processes are restarted and while their number changes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::dashboards;
use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::prometheus::Prometheus;
use crate::support::rules;
use crate::support::workspace::Workspace;

use futures_util::future::join_all;
use kb_exposition::Exposition;
use kb_simulator::Status;
use serde_json::{Value, json};
use uuid::Uuid;

const FOLDERS: usize = 4_000;

/// How much faster than in life time goes by for the rules: a minute is ten seconds.
const FASTER: u64 = 6;

/// What takes longer than this does not happen any more: the rules of so many folders are slow on a machine that is busy.
const DEADLINE: Duration = Duration::from_mins(3);

/// Between two looks at a condition.
const PAUSE: Duration = Duration::from_millis(500);

/// The boards of the queries below.
const KNOWLEDGE_BASE: &str = "kb-knowledge-base";
const EXPORTER: &str = "kb-exporter";

/// A portal, the processes that share its folders, and a server that scrapes them.
struct Story {
    portal: Portal,
    /// One for each process that ever ran, with its state.
    workspaces: Vec<Workspace>,
    running: BTreeMap<usize, Exporter>,
    /// The addresses that are scraped.
    targets: PathBuf,
    prometheus: Prometheus,
}

impl Story {
    async fn begin(processes: usize) -> Self {
        let portal = Portal::start().await;
        portal.world(|world| {
            for number in 0..FOLDERS {
                let folder = world.add_folder(&format!("Folder {number}"));
                world.add_files(folder, &Status::Done, 1).unwrap();
                if number % 10 == 0 {
                    world.add_files(folder, &Status::Pending, 1).unwrap();
                }
                if number % 100 == 0 {
                    world.add_files(folder, &Status::Flagged, 2).unwrap();
                }
            }
        });
        // Each process counts every folder once, when it starts.
        let workspace = |_| Workspace::new(&[("main", portal.base_url())]);
        let workspaces: Vec<_> = (0..processes).map(workspace).collect();
        let folder = tempfile::tempdir().unwrap();
        let targets = folder.path().join("targets.json");
        let rules = folder.path().join("rules.yml");
        fs::write(&rules, rules::faster(FASTER)).unwrap();
        fs::write(&targets, "[]").unwrap();
        let config = config(&rules, &targets);
        // As it is shipped, a value counts for five minutes.
        let prometheus = Prometheus::start(&config, folder, &["--query.lookback-delta=50s"]).await;
        Self {
            portal,
            workspaces,
            running: BTreeMap::new(),
            targets,
            prometheus,
        }
    }

    /// Starts processes as the shards with these indices of so many.
    async fn start(&mut self, indices: impl IntoIterator<Item = usize>, count: usize) {
        let started = indices.into_iter().map(async |index| {
            let mut command = self.workspaces[index].command();
            let [shard, of] = [index, count].map(|number| number.to_string());
            command.args(["run", "--shard.index", &shard, "--shard.count", &of]);
            (index, Exporter::launch(&mut command).await)
        });
        let started = join_all(started).await;
        self.running.extend(started);
        self.scrape();
    }

    /// Has those scraped that run. A new process is a new instance.
    fn scrape(&self) {
        let addresses = self
            .running
            .values()
            .map(|exporter| exporter.address().to_string());
        let targets = json!([{"targets": addresses.collect::<Vec<_>>()}]);
        let next = self.targets.with_extension("next");
        fs::write(&next, targets.to_string()).unwrap();
        fs::rename(next, &self.targets).unwrap();
    }

    /// What each process says of the folders that it counts.
    async fn metrics(&self) -> BTreeMap<usize, Exposition> {
        let metrics = self.running.iter();
        let metrics = metrics.map(async |(index, exporter)| (*index, exporter.metrics().await));
        join_all(metrics).await.into_iter().collect()
    }

    /// The process that counts each folder. Fails where several do.
    async fn owners(&self) -> BTreeMap<String, usize> {
        let mut owners = BTreeMap::new();
        for (index, metrics) in self.metrics().await {
            for folder in metrics.all("kb_folder_up", &[]) {
                let id = folder.labels["folder_id"].clone();
                let other = owners.insert(id, index);
                assert_eq!(other, None, "a folder is counted twice");
            }
        }
        owners
    }

    /// Files of the portal by status.
    fn truth(&self) -> BTreeMap<Status, u64> {
        self.portal.world(|world| {
            let mut truth = BTreeMap::new();
            for folder in world.folder_ids() {
                for (status, files) in world.counts(folder).unwrap() {
                    *truth.entry(status).or_default() += files;
                }
            }
            truth
        })
    }

    /// Has the first file of a folder fail.
    fn fail(&self, folder: &str) {
        let folder = Uuid::parse_str(folder).unwrap();
        let files = self.portal.world(|world| world.file_ids(folder));
        self.portal.set(folder, files[0], Status::Failed);
    }

    /// The value of a query that has one; 0 where it has none.
    async fn value(&self, query: &str) -> f64 {
        let result = self.prometheus.query(query).await;
        assert!(result.len() <= 1, "{query}: {result:?}");
        let value = result
            .first()
            .and_then(|sample| sample["value"][1].as_str());
        value.map_or(0.0, |value| value.parse().unwrap())
    }

    /// Waits until each of some queries has its value.
    async fn shows(&self, what: &str, expected: &[(String, u64)]) {
        let begun = Instant::now();
        loop {
            let mut wrong = Vec::new();
            for (query, expected) in expected {
                let value = self.value(query).await;
                #[expect(clippy::cast_precision_loss, reason = "small numbers")]
                if (value - *expected as f64).abs() > f64::EPSILON {
                    wrong.push(format!("{value}, not {expected}: {query}"));
                }
            }
            if wrong.is_empty() {
                return;
            }
            assert!(
                begun.elapsed() < DEADLINE,
                "not within {DEADLINE:?}: {what}: {wrong:#?}"
            );
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Waits until the dashboards and the rules have what the portal has.
    async fn shows_the_truth(&self, entries: u64) {
        let truth = self.truth();
        let files = |status: Status| truth.get(&status).copied().unwrap_or_default();
        let waiting = files(Status::Pending) + files(Status::Processing);
        let panel = |board, title| dashboards::query(board, title);
        let expected = [
            (panel(KNOWLEDGE_BASE, "Done"), files(Status::Done)),
            (panel(KNOWLEDGE_BASE, "Failed"), files(Status::Failed)),
            (panel(KNOWLEDGE_BASE, "Flagged"), files(Status::Flagged)),
            (panel(KNOWLEDGE_BASE, "Waiting"), waiting),
            (panel(KNOWLEDGE_BASE, "Folders not counted"), 0),
            (panel(EXPORTER, "Folders"), FOLDERS as u64),
            (panel(EXPORTER, "Portals not read"), 0),
            (panel(EXPORTER, "Shards"), self.running.len() as u64),
            (
                "sum(max by (portal, folder_id) (kb_folder_status_entries_total{status='failed'}))"
                    .to_owned(),
                entries,
            ),
        ];
        self.shows("the dashboards show the truth", &expected).await;
        self.rules_show_the_truth().await;
    }

    async fn rules_show_the_truth(&self) {
        let truth = self.truth();
        let files = |status: Status| truth.get(&status).copied().unwrap_or_default();
        let waiting = files(Status::Pending) + files(Status::Processing);
        let expected = [
            ("count(kb:folder_name)".to_owned(), FOLDERS as u64),
            ("count(kb:folder_counted)".to_owned(), FOLDERS as u64),
            ("sum(kb:folder_backlog:files)".to_owned(), waiting),
        ];
        self.shows("the rules show the truth", &expected).await;
    }
}

fn config(rules: &Path, targets: &Path) -> Value {
    json!({
        "global": {"scrape_interval": "5s", "scrape_timeout": "5s", "evaluation_interval": "5s"},
        "rule_files": [rules],
        "scrape_configs": [{
            "job_name": "kb-exporter",
            "file_sd_configs": [{"files": [targets], "refresh_interval": "1s"}],
        }],
    })
}

/// The files that entered `failed`, as the process says that counts the folder.
fn entries(metrics: &BTreeMap<usize, Exposition>, folder: &str) -> u64 {
    let labels = [("folder_id", folder), ("status", "failed")];
    let mut counters = metrics
        .values()
        .filter_map(|metrics| metrics.count("kb_folder_status_entries_total", &labels));
    counters.next().unwrap()
}

#[tokio::test]
async fn shards_are_together_what_one_process_would_be_while_they_restart_and_while_their_number_changes()
 {
    let mut story = Story::begin(8).await;
    story.start(0..8, 8).await;
    story.shows_the_truth(0).await;
    let eight = story.owners().await;
    assert_eq!(eight.len(), FOLDERS);
    let owned_by = |owners: &BTreeMap<String, usize>, index| -> Vec<String> {
        let owned = owners.iter().filter(|(_, owner)| **owner == index);
        owned.map(|(folder, _)| folder.clone()).collect()
    };
    for index in 0..8 {
        let owned = owned_by(&eight, index).len();
        assert!(
            (400..600).contains(&owned),
            "shard {index} has {owned} folders"
        );
    }

    // Two end, one of them without a word, and what fails meanwhile is counted when they are back.
    let [stays, moves] = [1, 7].map(|index| owned_by(&eight, index).swap_remove(0));
    story.running.remove(&1).unwrap().stop().await;
    story.running.remove(&7).unwrap().kill().await;
    story.scrape();
    let six_are_scraped = [("count(up)".to_owned(), 6)];
    story.shows("six are scraped", &six_are_scraped).await;
    story.rules_show_the_truth().await;
    story.fail(&stays);
    story.fail(&moves);
    story.start([1, 7], 8).await;
    story.shows_the_truth(2).await;
    assert_eq!(story.owners().await, eight);

    // Six go on with the folders of eight.
    for (_, exporter) in std::mem::take(&mut story.running) {
        exporter.stop().await;
    }
    let [stays_too, moves_too] = [2, 6].map(|index| owned_by(&eight, index).swap_remove(0));
    story.fail(&stays_too);
    story.fail(&moves_too);
    story.start(0..6, 6).await;
    story.shows_the_truth(2).await;
    let six = story.owners().await;
    assert_eq!(six.len(), FOLDERS);
    for (folder, owner) in &eight {
        assert!(
            *owner >= 6 || six[folder] == *owner,
            "{folder} need not move"
        );
    }
    let metrics = story.metrics().await;
    let counters = [&stays, &stays_too, &moves, &moves_too].map(|folder| entries(&metrics, folder));
    assert_eq!(counters, [1, 1, 0, 0], "a folder that moves begins anew");

    // Nobody was told of anything.
    let alerts = "KbFailedSpike|KbFlaggedSpike|KbPortalSpike|KbErrorClassSurge|KbFolderLost|KbFolderUnavailable";
    for series in [
        format!("count_over_time(ALERTS{{alertname=~'{alerts}'}}[1h])"),
        "count_over_time(ALERTS{alertname='KbShardMissing', alertstate='firing'}[1h])".to_owned(),
        "max_over_time(kb:portal_entries:increase15m[1h]) > 2".to_owned(),
    ] {
        let found = story.prometheus.query(&series).await;
        assert!(found.is_empty(), "{found:#?}");
    }
    for (_, exporter) in story.running {
        exporter.stop().await;
    }
}
