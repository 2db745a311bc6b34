//! One fault against the real program: before, during and after.

use std::net::SocketAddr;
use std::ops::Sub;
use std::time::{Duration, Instant};

use axum::Router;
use kb_simulator::Status;
use kb_simulator::faults::{Fault, Target};
use uuid::Uuid;

use super::ailing::Ailing;
use super::oracle::Oracle;
use super::table::{At, Expected, Kind, Row};
use super::witness;
use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::server::Server;
use crate::support::wait::wait_for;
use crate::support::workspace::Workspace;
use kb_exposition::{Exposition, Sample};

/// The program collects so often.
const INTERVAL: Duration = Duration::from_secs(1);

/// What a machine that does many trials at once may take longer.
const BUSY: Duration = Duration::from_secs(8);

/// A pace that was halved down to one request in two seconds takes so long to come back (2 s, 1 s, 0.5 s, …).
const PACE_RETURNS: Duration = Duration::from_secs(4);

/// What a trial showed.
pub(crate) struct Tried {
    pub(crate) peak_mib: u64,
    /// From the end of the fault to the last folder that was counted again.
    pub(crate) recovery: Duration,
}

/// A host to which redirects lead.
pub(crate) async fn decoy() -> Server {
    Server::start(Router::new()).await
}

/// Tries one row; panics where a promise is broken.
pub(crate) async fn run(row: Row, decoy: SocketAddr) -> Tried {
    let mut trial = Trial::start(row, decoy).await;
    trial.before().await;
    trial.during().await;
    let recovery = trial.after().await;
    let peak_mib = witness::was_well(&trial.exporter, &trial.key);
    trial.exporter.stop().await;
    Tried { peak_mib, recovery }
}

struct Trial {
    row: Row,
    key: String,
    fault: Fault,
    sick: Ailing,
    /// The folder that is struck, where one is, and two that are not.
    folders: [Uuid; 3],
    _well: Portal,
    well_folder: Uuid,
    exporter: Exporter,
    oracle: Oracle,
    _workspace: Workspace,
}

impl Trial {
    async fn start(row: Row, decoy: SocketAddr) -> Self {
        let key = format!("kbk_{}", Uuid::from_u128(fastrand::u128(..)).simple());
        let sick = Ailing::start(&key, 1).await;
        let folders = [("Struck", 250), ("Beside", 101), ("Small", 5)]
            .map(|(name, files)| sick.folder(name, files));
        let well = Portal::with(|options| options.key.clone_from(&key)).await;
        let well_folder = well.folder("Well");
        for number in 0..30 {
            well.file(well_folder, &format!("{number}.pdf"), Status::Done);
        }
        let (timeout, request) = if row.is_large() {
            ("40s", "30s")
        } else {
            ("4s", "1s")
        };
        let portals = [("sick", sick.base_url()), ("well", well.base_url())];
        let workspace = Workspace::with(&portals, |config| {
            config["collect"]["schedule"] = "1s".into();
            config["collect"]["timeout"] = timeout.into();
            config["collect"]["concurrency"] = 2.into();
            config["collect"]["max_folders"] = 6.into();
            config["collect"]["max_pages_per_folder"] = 20.into();
            config["request"] =
                serde_json::json!({"timeout": request, "connect_timeout": "500ms", "retries": 1});
        });
        std::fs::write(workspace.path("key"), &key).unwrap();
        let mut command = workspace.command();
        let exporter = Exporter::launch(command.args(["run", "--log.level", "debug"])).await;
        Self {
            fault: match &row.fault {
                Kind::Of(fault) => fault.clone(),
                Kind::Redirect(status) => Fault::Redirect(*status, format!("http://{decoy}")),
            },
            oracle: Oracle::new(&sick.simulator, "sick"),
            row,
            key,
            sick,
            folders,
            _well: well,
            well_folder,
            exporter,
            _workspace: workspace,
        }
    }

    /// Scrapes, and holds what comes against the journal.
    async fn scrape(&mut self) -> Exposition {
        let metrics = self.exporter.metrics().await;
        if let Err(contradiction) = self.oracle.judge(&metrics) {
            panic!("{}: {contradiction}", self.row.name());
        }
        metrics
    }

    async fn scrape_until(
        &mut self,
        what: &str,
        holds: impl Fn(&Self, &Exposition) -> bool,
    ) -> Exposition {
        let what = format!("{}: {what}", self.row.name());
        wait_for(&what, async || {
            let metrics = self.scrape().await;
            holds(self, &metrics).then_some(metrics)
        })
        .await
    }

    /// All is well, and counted.
    async fn before(&mut self) {
        self.scrape_until("all is counted at first", Self::is_all_right)
            .await;
    }

    fn is_all_right(&self, metrics: &Exposition) -> bool {
        let (sick, well) = (metrics.of_portal("sick"), metrics.of_portal("well"));
        let folders = self.folders.iter();
        sick.value("kb_portal_up", &[]) == Some(1.0)
            && well.value("kb_folder_up", &[]) == Some(1.0)
            && folders.clone().all(|folder| self.is_right(&sick, *folder))
    }

    /// The folder is counted as it is now.
    fn is_right(&self, sick: &Exposition, folder: Uuid) -> bool {
        let id = folder.to_string();
        let labels = [("folder_id", id.as_str())];
        sick.value("kb_folder_up", &labels) == Some(1.0)
            && sick.value("kb_folder_consistent", &labels) == Some(1.0)
            && sick.by_status("kb_folder_files", &id) == self.sick.counts(folder)
    }

    /// The fault strikes, and files move on, so that old counts differ from new ones.
    async fn during(&mut self) {
        let target = match self.row.at {
            At::Portal => Target::All,
            At::List => Target::List,
            At::Folder => Target::Folder(self.folders[0]),
            At::SecondPage => Target::Page(self.folders[0], 2),
        };
        self.sick.strike(target, self.fault.clone());
        for folder in self.folders {
            self.sick.fail_one(folder);
        }
        let what = format!("{:?}", self.row.expected);
        let metrics = self.scrape_until(&what, Self::is_as_expected).await;
        self.noted().await;
        self.others_keep_their_pace(&metrics).await;
        witness::reads_well(&self.exporter, &self.key).await;
    }

    fn is_as_expected(&self, metrics: &Exposition) -> bool {
        let sick = metrics.of_portal("sick");
        let struck = self.folders[0].to_string();
        let folder = [("folder_id", struck.as_str())];
        let portal_is = |reason| {
            let holds = [("reason", reason)];
            sick.value("kb_portal_unavailable", &holds) == Some(1.0)
        };
        let folder_is = |reason: &str| {
            let holds = [folder[0], ("reason", reason)];
            let up = sick.value("kb_folder_up", &folder);
            sick.value("kb_folder_unavailable", &holds) == Some(1.0) && up == Some(0.0)
        };
        let has_counts = !sick.by_status("kb_folder_files", &struck).is_empty();
        let portal_up = sick.value("kb_portal_up", &[]) == Some(1.0);
        match self.row.expected {
            Expected::Portal(reason) => {
                portal_is(reason) && !portal_up && folder_is("error") && has_counts
            }
            Expected::Folder(reason) => folder_is(reason) && portal_up && has_counts,
            Expected::Left(reason) => folder_is(reason) && portal_up && !has_counts,
            Expected::Marked => {
                portal_up && sick.value("kb_folder_consistent", &folder) == Some(0.0)
            }
            Expected::Nothing | Expected::Noted(_) => {
                portal_up
                    && self
                        .folders
                        .iter()
                        .all(|folder| self.is_right(&sick, *folder))
            }
        }
    }

    /// A person is notified, where that is expected.
    async fn noted(&self) {
        if let Expected::Noted(note) = self.row.expected {
            let what = format!("{}: /health says {note:?}", self.row.name());
            wait_for(&what, async || {
                let health = self.exporter.json("/health").await;
                let said = health["checks"]["portal:sick"][0]["output"].to_string();
                said.contains(note).then_some(())
            })
            .await;
        }
    }

    /// Other folders and the other portal are counted at each interval, and the sick one is not asked more often than it should be.
    async fn others_keep_their_pace(&mut self, metrics: &Exposition) {
        let whole_portal = matches!(self.row.expected, Expected::Portal(_));
        let mut others = vec![("well", self.well_folder)];
        if !whole_portal {
            others.extend(self.folders[1..].iter().map(|folder| ("sick", *folder)));
        }
        let begun = Instant::now();
        let asked = self.asked(metrics);
        let mut last = metrics.clone();
        for _ in 0..2 {
            let before = last.clone();
            last = self
                .scrape_until("the others are counted again", |_, metrics| {
                    let again = |other| counted(metrics, other) > counted(&before, other);
                    others.iter().all(|other| again(*other))
                })
                .await;
        }
        let (took, name) = (begun.elapsed(), self.row.name());
        assert!(
            took < 2 * INTERVAL + BUSY,
            "{name}: two counts of the others in {took:?}"
        );
        if self.row.is_tried_once() {
            let asked = self.asked(&last) - asked;
            if whole_portal {
                assert!(asked.lists.abs_diff(asked.runs) <= 1, "{name}: {asked:?}");
                assert_eq!(asked.files, 0, "{name}: folders were asked for");
            } else {
                assert!(asked.struck <= asked.runs + 1, "{name}: {asked:?}");
            }
        }
    }

    /// What the sick portal was asked so far.
    fn asked(&self, metrics: &Exposition) -> Asked {
        Asked {
            runs: ended(metrics, "sick"),
            lists: self.sick.requests_to("/mine"),
            files: self.sick.requests_to("/files"),
            struck: self.sick.requests_to(&format!("{}/files", self.folders[0])),
        }
    }

    /// The fault ends, and all is counted again.
    async fn after(&mut self) -> Duration {
        self.sick.faults.clear();
        let ended = Instant::now();
        self.scrape_until("all is counted again", Self::is_all_right)
            .await;
        let recovery = ended.elapsed();
        let slow = self.row.slows_down();
        let limit = 2 * INTERVAL + BUSY + if slow { PACE_RETURNS } else { Duration::ZERO };
        assert!(
            recovery < limit,
            "{}: recovered after {recovery:?}",
            self.row.name()
        );
        witness::reads_well(&self.exporter, &self.key).await;
        recovery
    }
}

/// Collections that ended, and requests.
#[derive(Debug, Clone, Copy)]
struct Asked {
    runs: usize,
    lists: usize,
    files: usize,
    struck: usize,
}

impl Sub for Asked {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            runs: self.runs - before.runs,
            lists: self.lists - before.lists,
            files: self.files - before.files,
            struck: self.struck - before.struck,
        }
    }
}

/// When a folder was last counted.
fn counted(metrics: &Exposition, (portal, folder): (&str, Uuid)) -> Option<f64> {
    let id = folder.to_string();
    let labels = [("portal", portal), ("folder_id", id.as_str())];
    metrics.value("kb_folder_last_success_timestamp_seconds", &labels)
}

/// Collections of a portal that ended.
fn ended(metrics: &Exposition, portal: &str) -> usize {
    let labels = [("portal", portal)];
    let runs = metrics.all("kb_collection_runs_total", &labels);
    let ended = runs.filter(|run| run.labels["result"] != "skipped");
    usize::try_from(ended.map(Sample::count).sum::<u64>()).unwrap()
}
