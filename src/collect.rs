//! Collects one portal: on each tick its list of folders, then every folder that is due and not still being read.
//!
//! A [`Collector`] is the one owner of what is known of its portal. Requests are made by tasks beside it; their results
//! come back to it one by one as events, are compared with what was known, written to disk, and published at once.

mod audit;
mod change_log;
mod collection;
mod collection_log;
pub mod error;
mod folder;
mod folder_read;
mod folders;
pub mod full_scan;
mod list;
mod persisted_folder;
pub mod progress;
mod publication;
mod read_plan;
mod read_queue;
pub(crate) mod read_schedule;
mod reads;
mod refusals;
mod reindex;
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
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::config::Strategy;
use crate::metrics::PortalEvents;
use crate::model::{FolderId, Moment};
use crate::portal::Client;
use crate::schedule::Ticker;
use crate::snapshot::{PortalView, Publisher};
use crate::state::{SavedPortal, Store};

pub(crate) use audit::schedule::MEAN_AUDIT_SHARE;
pub use reindex::Reindexing;
pub use settings::Settings;

use audit::{Auditor, FinishedAudit};
use collection::Listed;
use collection_log::CollectionLog;
use folder_read::{FolderRead, Slots};
use folders::Folders;
use list::FolderList;
use progress::Progress;
use publication::Publication;
use read_queue::ReadQueue;
use refusals::Refusals;
use runs::{RunId, Runs};
use sorting::Sorting;
use storage::Storage;
use tasks::Tasks;

/// Interval at which a collector that has nothing to do shows that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// Results of tasks that are processed before what they changed is written. A transaction waits for the disk, however much is in it, and more
/// folders may be counted in a second than the disk has transactions.
const MAX_EVENTS: usize = 256;

/// What a collector works with.
pub struct Dependencies {
    /// Makes the requests.
    pub client: Arc<Client>,
    /// Stores what must survive a restart.
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

/// A changed configuration.
pub struct Command {
    /// The collector's part of it.
    pub settings: Settings,
    /// Makes the requests accordingly.
    pub client: Arc<Client>,
    /// Ticks accordingly; none where the old one goes on.
    pub ticker: Option<Ticker>,
}

/// Collects one portal.
pub struct Collector {
    settings: Arc<Settings>,
    dependencies: Dependencies,
    slots: Slots,
    /// Whether the portal sorts by status.
    sorting: Arc<Sorting>,
    folders: Folders,
    list: FolderList,
    log: CollectionLog,
    storage: Storage,
    publication: Publication,
    auditor: Auditor,
    runs: Runs,
    reads: ReadQueue,
    /// Reads that the portal refused.
    refusals: Refusals,
    tasks: Tasks,
    /// Folders that were counted and are not written yet.
    counted: BTreeSet<FolderId>,
}

/// What a task found when it ended.
enum Event {
    Listed(RunId, Listed),
    RefusalsExplained(Listed),
    /// One more read may have a task.
    PlaceFree,
    FolderRead(RunId, FolderId, FolderRead),
    /// Nothing where a mistake in this program ended the audit.
    Audited(FolderId, Option<FinishedAudit>),
    RefutationChecked,
}

impl Collector {
    /// Makes a collector that knows what was stored of its portal.
    #[must_use]
    pub fn new(settings: Settings, dependencies: Dependencies, mut saved: SavedPortal) -> Self {
        let now = Moment::now();
        let refutation = storage::restored(saved.refutation.take(), &settings);
        let last_success = saved.last_success;
        let name = settings.portal.name.clone();
        let (folders, of_other_shards) = Folders::restored(saved, &settings);
        let store = dependencies.store.clone();
        let mut collector = Self {
            slots: Slots::new(settings.collect.concurrency.get()),
            sorting: Arc::new(Sorting::new(
                name.clone(),
                settings.collect.full_every,
                refutation.clone(),
            )),
            folders,
            list: FolderList::default(),
            log: CollectionLog::new(last_success),
            storage: Storage::new(store, name, refutation, of_other_shards),
            publication: Publication::new(Instant::now()),
            auditor: Auditor::new(now.steady),
            runs: Runs::default(),
            reads: ReadQueue::default(),
            refusals: Refusals::default(),
            tasks: Tasks::default(),
            counted: BTreeSet::new(),
            settings: Arc::new(settings),
            dependencies,
        };
        collector
            .folders
            .exclude_others(&collector.settings, now.wall);
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
        tokio::select! {
            () = cancel.cancelled() => {}
            Some(command) = command.recv() => {
                if let Some(other) = command.ticker {
                    *ticker = other;
                }
                self.reconfigure(command.settings, command.client).await;
            }
            tick = ticker.next() => self.begin(Some(tick)),
            Some(event) = self.tasks.next() => self.tasks_ended(event).await,
            () = sleep_until(self.publication.next), if self.publication.is_pending() => {
                self.publish(Moment::now());
            }
            () = sleep(HEARTBEAT) => {}
        }
        self.audit();
    }

    /// Collects once and returns when every folder was read or given up.
    pub async fn once(&mut self) {
        self.begin(None);
        while let Some(event) = self.tasks.next().await {
            self.tasks_ended(event).await;
        }
        self.publish(Moment::now());
    }

    /// Processes what a task found, and what others have found meanwhile; writes what was counted in one transaction.
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
        if self.publication.request(Instant::now()) {
            self.publish(Moment::now());
        }
    }

    async fn task_ended(&mut self, event: Event) {
        match event {
            Event::Listed(run, listed) => self.listed(run, listed).await,
            Event::RefusalsExplained(listed) => self.refusals_explained(listed).await,
            Event::PlaceFree => {
                self.reads.place_is_free();
                self.start_reads().await;
            }
            Event::FolderRead(run, folder, read) => self.folder_read(run, folder, read).await,
            Event::Audited(folder, audit) => self.audited(folder, audit).await,
            Event::RefutationChecked => self.auditor.finished(),
        }
    }

    /// Goes on with another configuration. Reads under way go on to their end.
    /// Folders that it does not exclude any more are admitted with the next list.
    async fn reconfigure(&mut self, settings: Settings, client: Arc<Client>) {
        let before = std::mem::replace(&mut self.settings, Arc::new(settings));
        self.dependencies.client = client;
        let settings = &self.settings;
        if settings.collect.concurrency != before.collect.concurrency {
            self.slots = Slots::new(settings.collect.concurrency.get());
        }
        if settings.collect.full_every != before.collect.full_every {
            let portal = settings.portal.name.clone();
            self.sorting = Arc::new(Sorting::new(portal, settings.collect.full_every, None));
        }
        let now = Moment::now();
        self.folders.exclude_others(settings, now.wall);
        self.folders.class_slots.limits = settings.class_limits();
        self.amend_findings();
        self.publish(now);
        self.save(&self.folders.unsaved_absences()).await;
    }

    /// Gives up what is under way, after a mistake in this program.
    fn restart(&mut self) {
        self.tasks.give_up();
        self.runs = Runs::default();
        self.reads = ReadQueue::default();
        self.refusals = Refusals::default();
        self.auditor.finished();
        for folder in self.folders.iter_mut() {
            folder.read = None;
        }
        self.publish(Moment::now());
    }

    /// Shows what is known now.
    fn publish(&mut self, now: Moment) {
        let began = Instant::now();
        self.dependencies.publisher.publish(PortalView {
            name: self.settings.portal.name.clone(),
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
        self.publication.published(Instant::now(), began.elapsed());
    }

    /// Why every page is read though the configuration asks for less.
    fn unsorted(&self) -> Option<String> {
        let refutation = self.sorting.refutation();
        let refutation = refutation.filter(|_| self.settings.collect.strategy != Strategy::Full)?;
        Some(format!(
            "the portal does not sort by status, so every page is read: {refutation}"
        ))
    }

    fn amend_findings(&self) {
        if let Some(reindexing) = &self.dependencies.reindexing {
            reindexing.amend(&self.folders);
        }
    }
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
