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

use super::Size;
use crate::dashboards;
use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::postgres::Server;
use crate::support::prometheus::Prometheus;
use crate::support::rules;
use crate::support::workspace::Workspace;

/// How much faster than in life time goes by for the rules: a minute is ten seconds.
const FASTER: u64 = 6;

/// What takes longer than this does not happen any more: the rules of thousands of folders are slow on a machine that is busy.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Each shard has a folder.
    Private,
    /// All shards, of two replicas each, have one database.
    Shared,
}

impl State {
    pub(super) fn replicas(self) -> usize {
        match self {
            Self::Private => 1,
            Self::Shared => 2,
        }
    }

    /// What each shard is started with.
    async fn workspaces(self, size: &Size, portal: &Portal) -> Vec<Workspace> {
        let portals = [("main", portal.base_url())];
        // Each process counts every folder once, when it starts.
        let mut workspaces: Vec<_> = (0..size.shards).map(|_| Workspace::new(&portals)).collect();
        if self == Self::Shared {
            let database = Server::shared().await.database();
            for workspace in &mut workspaces {
                let url = workspace.path("database-url");
                fs::write(&url, database.url()).unwrap();
                workspace.change(|config| {
                    config["state"] = json!({"postgres_url_file": url});
                    // The replica that goes on while the other one is restarted sees what changes.
                    config["collect"]["schedule"] = size.schedule.into();
                    config["collect"]["quiet_every"] = "1h".into();
                });
            }
        }
        workspaces
    }
}

/// A portal, the processes that share its folders, and a server that scrapes them.
pub(super) struct Story {
    size: &'static Size,
    replicas: usize,
    portal: Portal,
    /// By shard.
    workspaces: Vec<Workspace>,
    running: BTreeMap<Process, Exporter>,
    /// The addresses that are scraped.
    targets: PathBuf,
    prometheus: Prometheus,
}

impl Story {
    pub async fn new(size: &'static Size, state: State) -> Self {
        let portal = portal(size.folders).await;
        let folder = tempfile::tempdir().unwrap();
        let targets = folder.path().join("targets.json");
        let rules = folder.path().join("rules.yml");
        fs::write(&rules, rules::faster(FASTER, size.evaluations)).unwrap();
        fs::write(&targets, "[]").unwrap();
        let config = config(size, &rules, &targets);
        // As it is shipped, a value counts for five minutes.
        let prometheus = Prometheus::start(&config, folder, &["--query.lookback-delta=50s"]).await;
        Self {
            size,
            replicas: state.replicas(),
            workspaces: state.workspaces(size, &portal).await,
            portal,
            running: BTreeMap::new(),
            targets,
            prometheus,
        }
    }

    /// Starts every replica of a number of shards.
    pub async fn start_all(&mut self, shards: usize) {
        let of = |shard| (0..self.replicas).map(move |replica| Process { shard, replica });
        let processes: Vec<_> = (0..shards).flat_map(of).collect();
        self.start(&processes, shards).await;
    }

    /// Starts processes, of a number of shards in all.
    pub async fn start(&mut self, processes: &[Process], shards: usize) {
        let started = processes.iter().map(async |process| {
            let workspace = &self.workspaces[process.shard];
            (
                *process,
                Exporter::shard(workspace, process.shard, shards, self.replicas).await,
            )
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
        let running = [("count(up)".to_owned(), self.running.len() as u64)];
        self.shows("the others are scraped", &running).await;
    }

    /// Ends all processes.
    pub async fn stop(&mut self) {
        let running = std::mem::take(&mut self.running);
        join_all(running.into_values().map(Exporter::stop)).await;
    }

    /// Has those scraped that run. A new process is a new instance.
    fn scrape(&self) {
        let running = self.running.values();
        let addresses: Vec<_> = running.map(|it| it.address().to_string()).collect();
        let next = self.targets.with_extension("next");
        fs::write(&next, json!([{"targets": addresses}]).to_string()).unwrap();
        fs::rename(next, &self.targets).unwrap();
    }

    /// What each process says when it has counted its folders.
    async fn metrics(&self) -> BTreeMap<Process, Exposition> {
        let metrics = self.running.iter().map(async |(process, exporter)| {
            let begun = Instant::now();
            while exporter.status("/readyz").await != 200 {
                assert!(begun.elapsed() < DEADLINE, "{process:?} is not ready");
                tokio::time::sleep(PAUSE).await;
            }
            (*process, exporter.metrics().await)
        });
        join_all(metrics).await.into_iter().collect()
    }

    /// The shard that counts each folder. Fails where several do, and where not all replicas of it do.
    pub async fn owners(&self) -> BTreeMap<String, usize> {
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
            assert!(counted_by.iter().eq(replicas), "{folder}: {counted_by:?}");
            (folder, shard)
        };
        counted_by.into_iter().map(owner).collect()
    }

    /// The files that entered `failed`, as each process says that counts the folder.
    pub async fn entries(&self, folder: &str) -> Vec<u64> {
        let labels = [("folder_id", folder), ("status", "failed")];
        let metrics = self.metrics().await;
        let metrics = metrics.values();
        metrics
            .filter_map(|it| it.count("kb_folder_status_entries_total", &labels))
            .collect()
    }

    /// Files of the portal by status.
    fn truth(&self) -> impl Fn(Status) -> u64 {
        let mut truth: BTreeMap<Status, u64> = BTreeMap::new();
        self.portal.world(|world| {
            let folders = world.folder_ids().into_iter();
            for (status, files) in folders.flat_map(|folder| world.counts(folder).unwrap()) {
                *truth.entry(status).or_default() += files;
            }
        });
        move |status| truth.get(&status).copied().unwrap_or_default()
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
        let value = result.first().map(|sample| &sample["value"][1]);
        value.map_or(0.0, |value| value.as_str().unwrap().parse().unwrap())
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
            format!(
                "max_over_time(kb:portal_entries:increase15m{{status=~'failed|flagged'}}[1h]) > {entries}"
            ),
        ] {
            let found = self.prometheus.query(&series).await;
            assert!(found.is_empty(), "{found:#?}");
        }
    }

    /// Waits until the dashboards and the rules have what the portal has.
    pub async fn shows_the_truth(&self, entries: u64) {
        let files = self.truth();
        let waiting = files(Status::Pending) + files(Status::Processing);
        let panel = |board, title| dashboards::query(board, title);
        let shards: BTreeSet<_> = self.running.keys().map(|process| process.shard).collect();
        let entered =
            "sum(max by (portal, folder_id) (kb_folder_status_entries_total{status='failed'}))";
        let expected = [
            (panel(KNOWLEDGE_BASE, "Done"), files(Status::Done)),
            (panel(KNOWLEDGE_BASE, "Failed"), files(Status::Failed)),
            (panel(KNOWLEDGE_BASE, "Flagged"), files(Status::Flagged)),
            (panel(KNOWLEDGE_BASE, "Waiting"), waiting),
            (panel(KNOWLEDGE_BASE, "Folders not counted"), 0),
            (panel(EXPORTER, "Folders"), self.size.folders as u64),
            (panel(EXPORTER, "Portals not read"), 0),
            (panel(EXPORTER, "Shards"), shards.len() as u64),
            (entered.to_owned(), entries),
        ];
        self.shows("the dashboards show the truth", &expected).await;
        self.rules_show_the_truth().await;
    }

    pub async fn rules_show_the_truth(&self) {
        let files = self.truth();
        let waiting = files(Status::Pending) + files(Status::Processing);
        let folders = self.size.folders as u64;
        let expected = [
            ("count(kb:folder_name)".to_owned(), folders),
            ("count(kb:folder_counted)".to_owned(), folders),
            ("sum(kb:folder_backlog:files)".to_owned(), waiting),
        ];
        self.shows("the rules show the truth", &expected).await;
    }
}

fn config(size: &Size, rules: &Path, targets: &Path) -> Value {
    json!({
        "global": {"scrape_interval": size.scrapes, "scrape_timeout": size.scrapes},
        "rule_files": [rules],
        "scrape_configs": [{
            "job_name": "kb-exporter",
            "file_sd_configs": [{"files": [targets], "refresh_interval": "1s"}],
        }],
    })
}

/// A portal in which files of some folders wait, and files of fewer are flagged.
async fn portal(folders: usize) -> Portal {
    let portal = Portal::start().await;
    portal.world(|world| {
        for number in 0..folders {
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
