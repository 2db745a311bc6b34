//! Collects one portal: on each tick its list of folders, then every folder that is not still being read.
//!
//! A [`Collector`] is the one owner of what is known of its portal. Requests are made by tasks beside it; their results
//! come back to it one by one, are compared with what was known, kept on disk, and published at once.

mod audit;
pub mod count;
mod departed;
mod due;
pub mod error;
mod folder;
mod folder_read;
mod folders;
pub mod full_scan;
mod list;
mod persisted_folder;
pub mod progress;
mod publish;
pub(crate) mod read_schedule;
mod refutation;
mod reindex;
mod rows_end;
mod run;
mod settings;
pub mod sorted;
pub mod sorting;
pub mod strategy;
mod watched;

use std::collections::{BTreeMap, HashMap};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::{mpsc, watch};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::classify::ClassSlots;
use crate::ledger::PortalLedger;
use crate::metrics::PortalEvents;
use crate::model::{FolderId, Moment};
use crate::portal::{Client, Listing, PortalError, Session};
use crate::reindex::PortalFindings;
use crate::schedule::Ticker;
use crate::snapshot::{Collections, ListState, Publisher};
use crate::state::{SavedPortal, StateError, Store};

pub use settings::Settings;

use audit::Audited;
use departed::ClockCheck;
use folder::Folder;
use folder_read::{FolderRead, Slots};
use folders::Refusal;
use progress::Progress;
use read_schedule::ReadCycles;
use run::Run;
use sorting::{Refutation, Sorting};

/// How often a collector that has nothing to do shows that it is alive.
const PULSE: Duration = Duration::from_secs(5);

/// What a collector works with.
pub struct Dependencies {
    /// Asks the portal.
    pub client: Arc<Client>,
    /// Keeps what must survive a restart.
    pub store: Store,
    /// Counts what was done.
    pub events: Arc<PortalEvents>,
    /// Shows what is known.
    pub publisher: Publisher,
    /// Shows how far it has come.
    pub progress: Arc<Progress>,
    /// Reindexes, where anything does.
    pub reindexing: Option<Reindexing>,
}

/// Where a collector hands on what was found, and what it is to look for.
pub struct Reindexing {
    /// Takes what the latest collection found.
    pub findings: watch::Sender<Option<Arc<PortalFindings>>>,
    /// Knows the files whose fate is watched.
    pub ledger: PortalLedger,
}

/// A changed configuration.
pub struct Command {
    /// What it says of the collector.
    pub settings: Settings,
    /// Asks the portal as it says.
    pub client: Arc<Client>,
    /// Ticks as it says; none where the old one goes on.
    pub ticker: Option<Ticker>,
}

/// Collects one portal.
pub struct Collector {
    settings: Settings,
    dependencies: Dependencies,
    slots: Slots,
    /// Whether the portal sorts by status.
    sorting: Arc<Sorting>,
    /// What refutes that, as it is on disk.
    saved_refutation: Option<Refutation>,
    folders: BTreeMap<FolderId, Folder>,
    class_slots: ClassSlots,
    list: ListState,
    /// What the portal's clock said of this machine's.
    clock: ClockCheck,
    collections: Collections,
    cycles: ReadCycles,
    state_error: Option<String>,
    /// Why the disk did not take the time of the last whole collection, if it did not.
    success_refused: Option<StateError>,
    /// Whether something is known that is not published.
    unpublished: bool,
    /// When the next snapshot may be published.
    publish_at: Instant,
    /// When it is checked next whether portals can be forgotten.
    tidy_at: Instant,
    /// When it is checked next whether an audit is due.
    audit_at: std::time::Instant,
    panics: u64,
    /// Reads that were refused and wait for the list of folders to be asked.
    refusals: Vec<Refusal>,
    /// Reads that were refused and about which the list is being asked.
    settling: Vec<Refusal>,
    runs: HashMap<u64, Run>,
    started: u64,
    tasks: JoinSet<Done>,
    work: HashMap<Id, Work>,
}

/// What a task is about.
#[derive(Debug, Clone, Copy)]
enum Work {
    List { run: u64 },
    Settle,
    Read { run: u64, folder: FolderId },
    Audit { folder: FolderId },
    CheckRefutation,
}

/// What a task brings back.
enum Done {
    Listed(Result<(Arc<Session>, Listing), PortalError>),
    Read(Box<FolderRead>),
    Audited(Box<Audited>),
    RefutationChecked,
}

impl Collector {
    /// Makes a collector that knows what was kept of its portal.
    #[must_use]
    pub fn new(settings: Settings, dependencies: Dependencies, saved: SavedPortal) -> Self {
        let now = Moment::now();
        let mut class_slots = ClassSlots::new(settings.classes, &settings.classifier);
        let mut folders = BTreeMap::new();
        for (id, mut saved) in saved.folders {
            class_slots.restore(id, std::mem::take(&mut saved.class_slots));
            folders.insert(id, Folder::restored(id, saved));
        }
        let mut collector = Self {
            slots: Slots::new(settings.scan.in_flight),
            sorting: refutation::restore(&settings, saved.refutation),
            saved_refutation: None,
            settings,
            dependencies,
            folders,
            class_slots,
            list: ListState::default(),
            clock: ClockCheck::default(),
            collections: Collections {
                last_success: saved.last_success,
                ..Collections::default()
            },
            cycles: ReadCycles::default(),
            state_error: None,
            success_refused: None,
            unpublished: false,
            publish_at: Instant::now(),
            tidy_at: Instant::now(),
            audit_at: now.steady,
            panics: 0,
            refusals: Vec::new(),
            settling: Vec::new(),
            runs: HashMap::new(),
            started: 0,
            tasks: JoinSet::new(),
            work: HashMap::new(),
        };
        collector.saved_refutation = collector.sorting.refutation();
        collector.exclude_others(now.wall);
        collector.publish(now);
        collector
    }

    /// Collects on schedule, until `cancel`. A mistake in this program costs the collections that are under way, not the ones to come.
    pub async fn run(
        mut self,
        mut ticker: Ticker,
        mut command: mpsc::UnboundedReceiver<Command>,
        cancel: CancellationToken,
    ) {
        while !cancel.is_cancelled() {
            let step = AssertUnwindSafe(self.step(&mut ticker, &mut command, &cancel));
            if step.catch_unwind().await.is_err() {
                self.begin_anew();
            }
            self.dependencies.progress.beat();
        }
    }

    async fn step(
        &mut self,
        ticker: &mut Ticker,
        command: &mut mpsc::UnboundedReceiver<Command>,
        cancel: &CancellationToken,
    ) {
        tokio::select! {
            () = cancel.cancelled() => {}
            Some(command) = command.recv() => {
                if let Some(other) = command.ticker {
                    *ticker = other;
                }
                self.reconfigure(command.settings, command.client).await;
            }
            tick = ticker.next() => self.begin(Some(tick)),
            Some(done) = self.tasks.join_next_with_id() => self.take(done).await,
            () = sleep_until(self.publish_at), if self.unpublished => self.publish(Moment::now()),
            () = sleep(PULSE) => {}
        }
        self.audit();
    }

    /// Collects once and returns when every folder was read or given up.
    pub async fn once(&mut self) {
        self.begin(None);
        while let Some(done) = self.tasks.join_next_with_id().await {
            self.take(done).await;
        }
        self.publish(Moment::now());
    }

    async fn take(&mut self, done: Result<(Id, Done), JoinError>) {
        let id = match &done {
            Ok((id, _)) => *id,
            Err(error) => error.id(),
        };
        let Some(work) = self.work.remove(&id) else {
            return;
        };
        if done.is_err() {
            self.panics += 1;
        }
        match (work, done) {
            (Work::List { run }, done) => self.listed(run, list_of(done)).await,
            (Work::Settle, done) => self.settled(list_of(done)).await,
            (Work::Read { run, folder }, Ok((_, Done::Read(folder_read)))) => {
                self.folder_read(run, folder, *folder_read).await;
            }
            (Work::Read { run, folder }, _) => {
                self.folder_read(run, folder, FolderRead::panicked()).await;
            }
            (Work::Audit { folder }, Ok((_, Done::Audited(audited)))) => {
                self.audited(folder, Some(*audited)).await;
            }
            (Work::Audit { folder }, _) => self.audited(folder, None).await,
            (Work::CheckRefutation, _) => {}
        }
        self.save_refutation().await;
        self.publish_soon();
    }

    /// Goes on with another configuration. What is being read is read to its end.
    /// Folders that it does not exclude any more are admitted with the next list.
    async fn reconfigure(&mut self, settings: Settings, client: Arc<Client>) {
        let before = std::mem::replace(&mut self.settings, settings);
        self.dependencies.client = client;
        let settings = &self.settings;
        if settings.scan.in_flight != before.scan.in_flight {
            self.slots = Slots::new(settings.scan.in_flight);
        }
        if settings.full_every != before.full_every {
            self.sorting = refutation::restore(settings, None);
        }
        let now = Moment::now();
        self.exclude_others(now.wall);
        self.class_slots
            .reconfigure(self.settings.classes, &self.settings.classifier);
        self.amend_findings();
        self.publish(now);
        self.save_absences().await;
    }

    /// Gives up what is under way, after a mistake in this program.
    fn begin_anew(&mut self) {
        self.panics += 1;
        self.tasks = JoinSet::new();
        self.work.clear();
        self.runs.clear();
        self.refusals.clear();
        self.settling.clear();
        for folder in self.folders.values_mut() {
            folder.reading = false;
        }
        self.publish(Moment::now());
    }
}

/// The list that a task brought, or why it brought none.
fn list_of(done: Result<(Id, Done), JoinError>) -> Result<(Arc<Session>, Listing), PortalError> {
    match done {
        Ok((_, Done::Listed(listed))) => listed,
        Ok(_) | Err(_) => Err(PortalError::Invalid {
            cause: "an internal error; the log has the details".to_owned(),
        }),
    }
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
