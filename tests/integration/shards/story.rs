//! A portal with many folders, processes that share them, and a real Prometheus that scrapes them all.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use kb_exposition::Exposition;
use kb_simulator::Status;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::dashboards;
use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::postgres::Server;
use crate::support::prometheus::Prometheus;
use crate::support::rules;
use crate::support::workspace::Workspace;

pub(super) const FOLDERS: usize = 4_000;

/// How much faster than in life time goes by for the rules: a minute is ten seconds.
const FASTER: u64 = 6;

/// What takes longer than this does not happen any more: the rules of so many folders are slow on a machine that is busy.
const DEADLINE: Duration = Duration::from_mins(5);

/// Between two looks at a condition.
const PAUSE: Duration = Duration::from_millis(500);

/// The boards of the queries below.
const KNOWLEDGE_BASE: &str = "kb-knowledge-base";
const EXPORTER: &str = "kb-exporter";

/// One of the processes that share the folders: one of the replicas of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Process {
    pub shard: usize,
    pub replica: usize,
}

/// Where the processes store what they know.
enum State {
    /// Each shard has a folder, and no replicas.
    Folders(Vec<Workspace>),
    /// All processes share a database.
    Database(Workspace),
}

/// A portal, the processes that share its folders, and a server that scrapes them.
pub(super) struct Story {
    portal: Portal,
    state: State,
    pub running: BTreeMap<Process, Exporter>,
    /// The addresses that are scraped.
    targets: PathBuf,
    pub prometheus: Prometheus,
}

impl Story {
    /// Up to so many shards, each of which is one process with a folder for its state.
    pub async fn with_folders(shards: usize) -> Self {
        let portal = portal().await;
        // Each process counts every folder once, when it starts.
        let workspace = |_| Workspace::new(&[("main", portal.base_url())]);
        let state = State::Folders((0..shards).map(workspace).collect());
        Self::new(portal, state).await
    }

    /// Shards that share a database and may have replicas.
    pub async fn with_a_database() -> Self {
        let portal = portal().await;
        let database = Server::shared().await.database();
        let mut workspace = Workspace::new(&[("main", portal.base_url())]);
        let url = workspace.path("database-url");
        fs::write(&url, database.url()).unwrap();
        workspace.change(|config| {
            config["state"] = json!({"postgres_url_file": url});
            // The replica that goes on while the other one is restarted sees what changes.
            config["collect"]["schedule"] = "30s".into();
            config["collect"]["quiet_every"] = "1h".into();
        });
        Self::new(portal, State::Database(workspace)).await
    }

    async fn new(portal: Portal, state: State) -> Self {
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
            state,
            running: BTreeMap::new(),
            targets,
            prometheus,
        }
    }

    /// Starts processes, of so many shards in all.
    pub async fn start(&mut self, processes: &[Process], shards: usize) {
        let started = processes.iter().map(async |process| {
            let workspace = match &self.state {
                State::Folders(workspaces) => &workspaces[process.shard],
                State::Database(workspace) => workspace,
            };
            let mut command = workspace.command();
            let [shard, of] = [process.shard, shards].map(|number| number.to_string());
            command.args(["run", "--shard.index", &shard, "--shard.count", &of]);
            (*process, Exporter::launch(&mut command).await)
        });
        let started = join_all(started).await;
        self.running.extend(started);
        self.scrape();
    }

    /// Ends two processes, one of them without a word.
    pub async fn lose(&mut self, stopped: Process, killed: Process) {
        self.running.remove(&stopped).unwrap().stop().await;
        self.running.remove(&killed).unwrap().kill().await;
        self.scrape();
        let running = self.running.len() as u64;
        self.shows(
            "the others are scraped",
            &[("count(up)".to_owned(), running)],
        )
        .await;
    }

    /// Ends all processes.
    pub async fn stop(&mut self) {
        let running = std::mem::take(&mut self.running);
        join_all(running.into_values().map(Exporter::stop)).await;
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
    async fn metrics(&self) -> BTreeMap<Process, Exposition> {
        let metrics = self.running.iter();
        let metrics = metrics.map(async |(process, exporter)| (*process, exporter.metrics().await));
        join_all(metrics).await.into_iter().collect()
    }

    /// Waits until every process has counted its folders.
    async fn are_ready(&self) {
        let begun = Instant::now();
        for (process, exporter) in &self.running {
            while exporter.status("/readyz").await != 200 {
                assert!(begun.elapsed() < DEADLINE, "{process:?} is not ready");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    /// The shard that counts each folder. Fails where several do, and where not all replicas of it do.
    pub async fn owners(&self) -> BTreeMap<String, usize> {
        self.are_ready().await;
        let mut counted_by: BTreeMap<String, Vec<Process>> = BTreeMap::new();
        for (process, metrics) in self.metrics().await {
            for folder in metrics.all("kb_folder_up", &[]) {
                let id = folder.labels["folder_id"].clone();
                counted_by.entry(id).or_default().push(process);
            }
        }
        let owner = |(folder, counted_by): (String, Vec<Process>)| {
            let shard = counted_by[0].shard;
            let replicas = self.running.keys().filter(|process| process.shard == shard);
            let replicas: Vec<_> = replicas.copied().collect();
            assert_eq!(counted_by, replicas, "{folder}");
            (folder, shard)
        };
        counted_by.into_iter().map(owner).collect()
    }

    /// The files that entered `failed`, as each process says that counts the folder.
    pub async fn entries(&self, folder: &str) -> Vec<u64> {
        self.are_ready().await;
        let labels = [("folder_id", folder), ("status", "failed")];
        let metrics = self.metrics().await;
        let entries =
            |metrics: &Exposition| metrics.count("kb_folder_status_entries_total", &labels);
        metrics.values().filter_map(entries).collect()
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
    pub fn fail(&self, folder: &str) {
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

    /// No alert fired of those that a wrong sum would bring, or a shard that is missing for a while, and never did more files enter a status.
    pub async fn nobody_was_told(&self, entries: u64) {
        let alerts = "KbFailedSpike|KbFlaggedSpike|KbPortalSpike|KbErrorClassSurge|KbFolderLost|KbFolderUnavailable";
        for series in [
            format!("count_over_time(ALERTS{{alertname=~'{alerts}'}}[1h])"),
            "count_over_time(ALERTS{alertname='KbShardMissing', alertstate='firing'}[1h])"
                .to_owned(),
            format!("max_over_time(kb:portal_entries:increase15m[1h]) > {entries}"),
        ] {
            let found = self.prometheus.query(&series).await;
            assert!(found.is_empty(), "{found:#?}");
        }
    }

    /// Waits until the dashboards and the rules have what the portal has.
    pub async fn shows_the_truth(&self, entries: u64) {
        let truth = self.truth();
        let files = |status: Status| truth.get(&status).copied().unwrap_or_default();
        let waiting = files(Status::Pending) + files(Status::Processing);
        let panel = |board, title| dashboards::query(board, title);
        let shards: BTreeSet<_> = self.running.keys().map(|process| process.shard).collect();
        let expected = [
            (panel(KNOWLEDGE_BASE, "Done"), files(Status::Done)),
            (panel(KNOWLEDGE_BASE, "Failed"), files(Status::Failed)),
            (panel(KNOWLEDGE_BASE, "Flagged"), files(Status::Flagged)),
            (panel(KNOWLEDGE_BASE, "Waiting"), waiting),
            (panel(KNOWLEDGE_BASE, "Folders not counted"), 0),
            (panel(EXPORTER, "Folders"), FOLDERS as u64),
            (panel(EXPORTER, "Portals not read"), 0),
            (panel(EXPORTER, "Shards"), shards.len() as u64),
            (
                "sum(max by (portal, folder_id) (kb_folder_status_entries_total{status='failed'}))"
                    .to_owned(),
                entries,
            ),
        ];
        self.shows("the dashboards show the truth", &expected).await;
        self.rules_show_the_truth().await;
    }

    pub async fn rules_show_the_truth(&self) {
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

/// A portal in which files of many folders wait, and files of some are flagged.
async fn portal() -> Portal {
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
    portal
}
