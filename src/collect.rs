//! Collects one portal: on each tick its list of folders, then every folder that is due and not still being read.
//!
//! A [`Collector`] owns all knowledge about its portal. Separate tasks send the requests; their results
//! come back to it one by one as events, are compared with what was known, written to disk, and published at once.

pub mod admission;
mod audit;
mod change_log;
mod collection;
mod collection_log;
mod due;
pub mod error;
mod folder;
mod folders;
pub mod full_scan;
mod layout;
mod list;
mod persisted_folder;
pub mod progress;
mod publication;
mod queue;
mod read_cycles;
mod read_task;
mod reads;
mod refusals;
mod rows_end;
mod runs;
mod saving;
mod settings;
pub mod sorted;
pub mod sorting;
mod storage;
pub mod strategy;
mod tasks;
mod unwritten;
mod watched;

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::clock::Moment;
use crate::config::Strategy;
use crate::ledger::PortalLedger;
use crate::metrics::PortalEvents;
use crate::model::FolderId;
use crate::portal::{Client, Session};
use crate::schedule::Ticker;
use crate::snapshot::{PortalView, Publisher};
use crate::state::Store;

pub use settings::Settings;

use audit::{FinishedAudit, show_sorting};
use collection::Listed;
use collection_log::CollectionLog;
use error::ReadError;
use folder::Folder;
use folders::Folders;
use list::FolderList;
use progress::Progress;
use publication::Publication;
use queue::{Queue, ReadKind};
use read_task::FolderRead;
use refusals::Refusals;
use runs::Runs;
use sorting::Sorting;
use storage::Storage;
use tasks::Tasks;

/// Interval at which a collector that has nothing to do shows that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// Maximum number of results of tasks that one transaction writes. A transaction of any size waits for the disk, and more folders may be
/// counted in a second than the disk has transactions.
const MAX_EVENTS: usize = 256;

pub struct Dependencies {
    pub client: Arc<Client>,
    /// Writes the state.
    pub store: Store,
    pub events: Arc<PortalEvents>,
    pub publisher: Publisher,
    /// Shows the progress.
    pub progress: Arc<Progress>,
    /// Knows the files whose later statuses are wanted.
    pub ledger: Option<PortalLedger>,
}

pub struct Command {
    pub settings: Settings,
    pub client: Arc<Client>,
    /// A new ticker; `None` if the old one continues.
    pub ticker: Option<Ticker>,
}

pub struct Collector {
    settings: Arc<Settings>,
    dependencies: Dependencies,
    /// Whether the portal sorts by status.
    sorting: Arc<Sorting>,
    folders: Folders,
    list: FolderList,
    log: CollectionLog,
    storage: Storage,
    publication: Publication,
    was_refuted: bool,
    /// When it is checked next whether an audit is due.
    next_audit_check: Instant,
    runs: Runs,
    queue: Queue,
    /// The client for reads, from the last list on that could be read.
    session: Option<Arc<Session>>,
    refusals: Refusals,
    tasks: Tasks,
    /// Folders that were counted and are not written yet.
    counted: BTreeSet<FolderId>,
}

/// The result of a task.
enum Event {
    Listed(Listed),
    RefusalsExplained(Listed),
    FolderRead(FolderId, ReadKind, Box<FolderRead>),
    /// `None` if a panic ended the audit.
    Audited(FolderId, Option<Box<FinishedAudit>>),
    /// Whether a folder's boundaries are right; `None` if a panic ended the check.
    BoundariesChecked(FolderId, Option<Result<bool, ReadError>>),
}

impl Collector {
    /// A collector that has not read what is stored of its portal: [`Self::read_state`] does, or the first collection.
    pub fn new(settings: Settings, dependencies: Dependencies) -> Self {
        let name = settings.portal.name.clone();
        let sorting = Sorting::new(name.clone());
        Self {
            sorting: Arc::new(sorting),
            folders: Folders::new(&settings),
            list: FolderList::default(),
            log: CollectionLog::default(),
            storage: Storage::new(dependencies.store.clone(), name),
            publication: Publication::new(Moment::now().steady),
            was_refuted: false,
            next_audit_check: Moment::now().steady,
            runs: Runs::default(),
            queue: Queue::default(),
            session: None,
            refusals: Refusals::default(),
            tasks: Tasks::default(),
            counted: BTreeSet::new(),
            settings: Arc::new(settings),
            dependencies,
        }
    }

    /// Reads the stored data of the portal, unless that was done, and continues from it. If it fails, each collection tries again.
    pub async fn read_state(&mut self) {
        if self.storage.is_read() {
            return;
        }
        let now = Moment::now();
        if let Some(saved) = self.storage.read(&self.settings).await {
            self.log.restore(saved.last_success);
            if let Some(refutation) = self.storage.refutation() {
                self.sorting.refute(refutation);
            }
            let [unstored, of_others] = self.folders.take_up(saved.folders, &self.settings, now);
            self.storage.of_other_shards = of_others;
            self.folders.exclude_others(&self.settings, now.wall);
            self.save(&unstored).await;
        }
        self.publish(now);
    }

    /// Collects on schedule, until `cancel`. A panic ends the collections that are under way, but no later ones.
    pub async fn run(
        mut self,
        mut ticker: Ticker,
        mut command: mpsc::UnboundedReceiver<Command>,
        cancel: CancellationToken,
    ) {
        self.storage.forget_other_shards().await;
        while !cancel.is_cancelled() {
            let step = AssertUnwindSafe(self.step(&mut ticker, &mut command, &cancel));
            if step.catch_unwind().await.is_err() {
                self.restart();
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
        let wake = self.next_wake();
        tokio::select! {
            () = cancel.cancelled() => {}
            Some(command) = command.recv() => {
                if let Some(other) = command.ticker {
                    *ticker = other;
                }
                self.reconfigure(command.settings, command.client).await;
            }
            tick = ticker.next() => self.begin(Some(tick)).await,
            Some(event) = self.tasks.next() => self.tasks_ended(event).await,
            () = sleep_until(wake) => {}
        }
        self.go_on().await;
    }

    /// When something is to be done that no event announces.
    fn next_wake(&self) -> Instant {
        let now = Moment::now().steady;
        let times = [
            self.publication.due(),
            self.runs.next_deadline(),
            self.queue.next_room(now),
            Some(now + HEARTBEAT),
        ];
        times.into_iter().flatten().min().unwrap_or(now)
    }

    /// Does what is due by now, after any event.
    async fn go_on(&mut self) {
        self.end_collections().await;
        self.doubt_boundaries();
        if self.next_audit_check <= Moment::now().steady && self.session.is_some() {
            self.next_audit_check = Moment::now().steady + audit::CHECK_EVERY;
            self.queue_audit();
        }
        self.start_reads();
        // A read that was not wanted any more may have been the last one.
        self.end_collections().await;
        let now = Moment::now();
        if self.publication.due().is_some_and(|due| due <= now.steady) {
            self.publish(now);
        }
    }

    /// Collects once and returns when every folder was read or given up.
    pub async fn once(&mut self) {
        self.begin(None).await;
        while self.runs.are_under_way() {
            let wake = self.next_wake();
            tokio::select! {
                Some(event) = self.tasks.next() => self.tasks_ended(event).await,
                () = sleep_until(wake) => {}
            }
            self.go_on().await;
        }
        let limit = self.settings.collect.timeout;
        self.folders.give_up_reads(limit);
        self.publish(Moment::now());
    }

    /// Marks the counts by boundaries as soon as a folder of the portal is known not to be sorted, but for folders that were shown to be.
    fn doubt_boundaries(&mut self) {
        let refuted = self.sorting.refutation();
        if let Some(refuted) = refuted.as_ref().filter(|_| !self.was_refuted) {
            let folders = self.folders.iter_mut();
            folders
                .filter(|folder| !folder.shows_sorting() || folder.view.id == refuted.folder)
                .for_each(Folder::doubt_boundaries);
            self.publication.request();
        }
        self.was_refuted = refuted.is_some();
    }

    /// Processes the results of a task and of others that ended meanwhile; writes the counts in one transaction.
    async fn tasks_ended(&mut self, event: Event) {
        self.task_ended(event).await;
        for _ in 1..MAX_EVENTS {
            let Some(Some(event)) = self.tasks.next().now_or_never() else {
                break;
            };
            self.task_ended(event).await;
        }
        self.save_counted().await;
        self.storage
            .write_refutation(&self.sorting, &self.settings)
            .await;
        self.publication.request();
    }

    async fn task_ended(&mut self, event: Event) {
        match event {
            Event::Listed(listed) => self.listed(listed).await,
            Event::RefusalsExplained(listed) => self.refusals_explained(listed).await,
            Event::FolderRead(folder, kind, read) => self.folder_read(folder, kind, *read),
            Event::Audited(folder, audit) => self.audited(folder, audit).await,
            Event::BoundariesChecked(folder, result) => {
                self.boundaries_checked(folder, result).await;
            }
        }
    }

    /// Continues with another configuration. Reads under way are completed.
    /// Folders that it does not exclude any more are admitted with the next list.
    async fn reconfigure(&mut self, settings: Settings, client: Arc<Client>) {
        self.settings = Arc::new(settings);
        self.dependencies.client = client;
        let settings = &self.settings;
        let now = Moment::now();
        self.folders.exclude_others(settings, now.wall);
        self.folders.class_slots.limits = settings.class_limits();
        self.publish(now);
        self.save(&self.folders.unsaved_absences()).await;
    }

    /// Gives up what is under way, after a panic.
    fn restart(&mut self) {
        self.tasks.give_up();
        self.runs = Runs::default();
        self.queue = Queue::default();
        self.refusals = Refusals::default();
        for folder in self.folders.iter_mut() {
            folder.forget_read();
        }
        self.publish(Moment::now());
    }

    fn publish(&mut self, now: Moment) {
        let began = Moment::now().steady;
        self.sorting.audited(show_sorting(self.folders.iter()));
        self.dependencies.publisher.publish(PortalView {
            name: self.settings.portal.name.clone(),
            address: self.settings.portal.base_url.normalised(),
            list: self.list.state.clone(),
            folders: self.folders.views(now.wall),
            classes: Arc::new(self.folders.class_slots.classes()),
            errors: Arc::clone(&self.settings.errors),
            reindex: Arc::clone(&self.settings.reindex),
            collections: self.log.shown.clone(),
            stale_after: self.log.stale_after(&self.settings.collect),
            state_writes: self.storage.writes(self.folders.refused_by_disk()),
            sorting: self.sorting.state(),
            unsorted: self.unsorted(),
            panics: self.tasks.panics(),
        });
        self.publication
            .published(Moment::now().steady, began.elapsed());
    }

    /// Why every page is read although the configuration asks for less.
    fn unsorted(&self) -> Option<String> {
        let refutation = self.sorting.refutation();
        let refutation = refutation.filter(|_| self.settings.collect.strategy != Strategy::Full)?;
        Some(format!(
            "the portal does not sort by status, so every page is read of all folders that were not shown to be sorted: {refutation}"
        ))
    }
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
