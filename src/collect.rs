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
mod read_task;
mod reads;
mod runs;
mod saving;
mod settings;
pub mod sorted;
pub mod sorting;
mod storage;
pub mod strategy;
mod tasks;
mod unsaved;
mod watched;

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::classify::KnownClass;
use crate::clock::Moment;
use crate::config::Strategy;
use crate::metrics::PortalEvents;
use crate::model::FolderId;
use crate::portal::{Client, Session};
use crate::schedule::Ticker;
use crate::snapshot::{PortalView, Publisher};
use crate::store::ledger::PortalLedger;
use crate::store::{Documents, StoreError, StoredPortal, Written};

pub use settings::Settings;

use audit::show_sorting;
use collection::Listed;
use collection_log::CollectionLog;
use folders::Folders;
use list::FolderList;
use persisted_folder::MAX_BEHIND;
use progress::Progress;
use publication::Publication;
use queue::{Queue, ReadKind};
use read_task::FolderRead;
use reads::Refusal;
use runs::Runs;
use sorting::Sorting;
use storage::Storage;
use tasks::Tasks;

/// Interval at which a collector that has nothing to do shows that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// Maximum number of results of tasks that are processed before anything else.
const MAX_EVENTS: usize = 256;

pub struct Dependencies {
    pub client: Arc<Client>,
    /// The state.
    pub state: Documents,
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
    sorting: Sorting,
    folders: Folders,
    list: FolderList,
    log: CollectionLog,
    storage: Storage,
    publication: Publication,
    /// When it is checked next whether an audit is due.
    next_audit_check: Instant,
    runs: Runs,
    queue: Queue,
    /// The client for reads, from the last list on that could be read.
    session: Option<Arc<Session>>,
    /// Refused reads for which the list of folders is asked next.
    refused: Vec<Refusal>,
    /// Whether the list is awaited that explains others.
    explains_refusals: bool,
    tasks: Tasks,
}

/// The result of a task.
enum Event {
    Listed(Listed),
    RefusalsExplained(Vec<Refusal>, Listed),
    FolderRead(FolderId, ReadKind, Box<FolderRead>),
    StateRead(Box<Result<StoredPortal, StoreError>>),
    Written(Written),
}

impl Collector {
    /// A collector that has not read what is stored of its portal: [`Self::read_state`] does, or the first collection.
    pub fn new(settings: Settings, dependencies: Dependencies) -> Self {
        let sorting = Sorting::new(settings.portal.name.clone());
        Self {
            sorting,
            folders: Folders::new(&settings),
            list: FolderList::default(),
            log: CollectionLog::default(),
            storage: Storage::new(dependencies.state.clone(), &settings),
            publication: Publication::new(Moment::now().steady),
            next_audit_check: Moment::now().steady,
            runs: Runs::default(),
            queue: Queue::default(),
            session: None,
            refused: Vec::new(),
            explains_refusals: false,
            tasks: Tasks::default(),
            settings: Arc::new(settings),
            dependencies,
        }
    }

    /// Collects on schedule, until `cancel`. A panic ends the collections that are under way, but no later ones.
    pub async fn run(
        mut self,
        mut ticker: Ticker,
        mut command: mpsc::UnboundedReceiver<Command>,
        cancel: CancellationToken,
    ) {
        while !cancel.is_cancelled() {
            let step = AssertUnwindSafe(self.step(&mut ticker, &mut command, &cancel));
            if step.catch_unwind().await.is_err() {
                self.restart();
            }
            self.dependencies.progress.beat();
        }
        self.write_all().await;
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
                self.reconfigure(command.settings, command.client);
            }
            tick = ticker.next() => self.begin(Some(tick)),
            Some(event) = self.tasks.next() => self.tasks_ended(event),
            () = sleep_until(wake) => {}
        }
        self.go_on();
    }

    /// When something is to be done that no event announces.
    fn next_wake(&self) -> Instant {
        let now = Moment::now().steady;
        let times = [
            self.publication.due(),
            self.runs.next_deadline(),
            self.queue.next_room(now),
            self.storage.due(),
            Some(now + HEARTBEAT),
        ];
        times.into_iter().flatten().min().unwrap_or(now)
    }

    /// Does what is due by now, after any event.
    fn go_on(&mut self) {
        self.end_collections();
        if self.next_audit_check <= Moment::now().steady && self.session.is_some() {
            self.next_audit_check = Moment::now().steady + audit::CHECK_EVERY;
            self.queue_audit();
        }
        self.start_reads();
        // A read that was not wanted any more may have been the last one.
        self.end_collections();
        self.start_write();
        let now = Moment::now().steady;
        if self.publication.due().is_some_and(|due| due <= now) {
            self.publish();
        }
    }

    /// Collects once and returns when every folder was read or given up.
    pub async fn once(&mut self) {
        if let Some(read) = self.storage.begin_read() {
            let read = read.await;
            self.state_read(read);
        }
        self.begin(None);
        while self.runs.are_under_way() || self.storage.holds_ends() {
            let wake = self.next_wake();
            tokio::select! {
                Some(event) = self.tasks.next() => self.tasks_ended(event),
                () = sleep_until(wake) => {}
            }
            self.go_on();
        }
        let limit = self.settings.collect.timeout;
        self.folders.give_up_reads(limit);
        self.publish();
    }

    /// Processes the results of a task and of others that ended meanwhile.
    fn tasks_ended(&mut self, event: Event) {
        self.task_ended(event);
        for _ in 1..MAX_EVENTS {
            let Some(Some(event)) = self.tasks.next().now_or_never() else {
                break;
            };
            self.task_ended(event);
        }
        self.publication.request();
    }

    fn task_ended(&mut self, event: Event) {
        match event {
            Event::Listed(listed) => self.listed(listed),
            Event::RefusalsExplained(refusals, listed) => {
                self.refusals_explained(refusals, listed);
            }
            Event::FolderRead(folder, kind, read) => self.folder_read(folder, kind, *read),
            Event::StateRead(read) => self.state_read(*read),
            Event::Written(written) => self.written(written),
        }
    }

    /// Continues with another configuration. Reads under way are completed.
    /// Folders that it does not exclude any more are admitted with the next list.
    fn reconfigure(&mut self, settings: Settings, client: Arc<Client>) {
        self.settings = Arc::new(settings);
        self.dependencies.client = client;
        let settings = &self.settings;
        let now = self.storage.now().wall;
        self.folders.exclude_others(settings, now);
        self.folders.class_slots.limits = settings.class_limits();
        self.publish();
        self.save(self.folders.unsaved_absences(), MAX_BEHIND);
    }

    /// Gives up what is under way, after a panic.
    fn restart(&mut self) {
        self.tasks.give_up();
        self.forget_write();
        self.runs = Runs::default();
        self.queue = Queue::default();
        self.refused = Vec::new();
        self.explains_refusals = false;
        for folder in self.folders.iter_mut() {
            folder.forget_read();
        }
        self.publish();
    }

    fn publish(&mut self) {
        let began = Moment::now().steady;
        self.sorting.audited(show_sorting(self.folders.iter()));
        self.dependencies.publisher.publish(PortalView {
            name: self.settings.portal.name.clone(),
            address: self.settings.address.clone(),
            list: self.list.state.clone(),
            folders: self.folders.views(self.storage.now().wall),
            classes: Arc::new(self.shown_classes()),
            errors: Arc::clone(&self.settings.errors),
            reindex: Arc::clone(&self.settings.reindex),
            collections: self.log.shown.clone(),
            stale_after: self.log.stale_after(&self.settings.collect),
            state_writes: self.storage.writes(),
            sorting: self.sorting.state(),
            unsorted: self.unsorted(),
            web_url: self.settings.portal.web_url.clone(),
            panics: self.tasks.panics(),
        });
        self.publication
            .published(Moment::now().steady, began.elapsed());
    }

    /// The classes that have a slot, with times by the clock of this machine.
    fn shown_classes(&self) -> BTreeMap<Arc<str>, KnownClass> {
        let behind = self.storage.clock().ahead().saturating_neg();
        let mut classes = self.folders.class_slots.classes();
        for known in classes.values_mut() {
            known.first_seen = known.first_seen.moved(behind);
            known.last_seen = known.last_seen.moved(behind);
        }
        classes
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
