//! Collects one portal: on each tick its list of folders, then every folder that is due and not still being read.
//!
//! A [`Collector`] owns all knowledge about its portal. Separate tasks send the requests; their results
//! come back to it one by one as events, are compared with what was known, written to disk, and published at once.

pub mod admission;
mod collection;
mod due;
pub mod error;
mod folder;
mod folders;
pub mod full_scan;
pub mod layout;
mod list;
mod order;
pub mod progress;
mod queue;
mod read_task;
mod reads;
mod runs;
mod saver;
mod settings;
pub mod sorted;
pub mod sorting;
pub mod strategy;
mod tasks;
mod walk;
mod watched;

use std::sync::Arc;
use std::time::Duration;

use humantime::format_duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::clock::Moment;
use crate::metrics::PortalEvents;
use crate::model::FolderId;
use crate::portal::{Client, Session};
use crate::schedule::Heartbeat;
use crate::snapshot::{PortalView, Publisher, SortingState};
use crate::store::{Lease, Ledger, Standing, StoredPortal};

pub use settings::Settings;

use collection::Listed;
use error::ReadError;
use folders::Folders;
use list::FolderList;
use progress::Progress;
use queue::{Queue, QueuedRead};
use read_task::FolderRead;
use runs::Runs;
use saver::{Saver, Written};
use tasks::Tasks;

/// Interval at which a collector that has nothing to do shows that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// Snapshots are at least this far apart: each costs time for every folder of the portal, and thousands may be read in a second.
const PUBLISH_GAP: Duration = Duration::from_millis(250);

pub struct Dependencies {
    pub client: Arc<Client>,
    pub events: Arc<PortalEvents>,
    pub publisher: Publisher,
    /// Shows the progress.
    pub progress: Arc<Progress>,
    /// Knows the files whose later statuses are wanted, and has the lease by which the portal is written; `None`: nothing is stored.
    pub ledger: Option<Ledger>,
}

/// How a portal is collected: by the configuration in use.
#[derive(Clone)]
pub struct Plan {
    pub settings: Settings,
    pub client: Arc<Client>,
}

pub struct Collector {
    settings: Arc<Settings>,
    dependencies: Dependencies,
    /// Whether the portal sorts by status.
    sorting: SortingState,
    folders: Folders,
    list: FolderList,
    saver: Saver,
    published: Instant,
    /// When the next snapshot is published, if something changed since the last one.
    publish_at: Option<Instant>,
    runs: Runs,
    queue: Queue,
    /// The client for reads, from the last list on that could be read.
    session: Option<Arc<Session>>,
    /// Refused reads, until the list of folders that was asked for because of them is there.
    refused: Vec<(FolderId, ReadError)>,
    tasks: Tasks,
}

/// The result of a task.
enum Event {
    Listed(Listed),
    RefusalsExplained(Listed),
    FolderRead(QueuedRead, Box<FolderRead>),
    Written(Written),
}

impl Collector {
    /// A collector that continues from what is stored of its portal.
    pub fn new(settings: Settings, dependencies: Dependencies, stored: StoredPortal) -> Self {
        let StoredPortal { document, folders } = stored;
        let lease = dependencies.ledger.as_ref().map(Ledger::lease);
        let mut collector = Self {
            sorting: SortingState::Assumed,
            folders: Folders::restored(folders, &settings),
            list: FolderList::restored(document.failing_since),
            saver: Saver::new(lease.cloned(), settings.entry.clone()),
            published: Moment::now().steady,
            publish_at: None,
            runs: Runs::restored(document.last_success),
            queue: Queue::default(),
            session: None,
            refused: Vec::new(),
            tasks: Tasks::new(Arc::clone(&dependencies.events)),
            settings: Arc::new(settings),
            dependencies,
        };
        let now = Moment::now().wall;
        collector.folders.exclude_others(&collector.settings, now);
        collector.judge_sorting();
        collector.save_all();
        collector.publish();
        collector
    }

    /// Collects on schedule, until `cancel`, and writes what is not stored. It ends at once when its lease is over.
    pub async fn run(
        mut self,
        mut plans: watch::Receiver<Plan>,
        mut heartbeat: Heartbeat,
        cancel: CancellationToken,
    ) {
        let lease = self.dependencies.ledger.as_ref().map(Ledger::lease);
        let lease = lease.cloned();
        let is_over = || lease.as_ref().is_some_and(Lease::is_over);
        let mut due = self.settings.due();
        while !cancel.is_cancelled() && !is_over() {
            tokio::select! {
                () = cancel.cancelled() => {}
                Ok(()) = plans.changed() => {
                    let plan = plans.borrow_and_update().clone();
                    if !plan.settings.collects_like(&self.settings) {
                        // One begins now.
                        due = plan.settings.due();
                    }
                    self.reconfigure(plan);
                }
                tick = due.tick(&mut heartbeat) => self.begin(Some(tick)),
                () = self.event() => {}
            }
            self.go_on();
            self.dependencies.progress.beat();
        }
        if !is_over() {
            self.write_all().await;
        }
    }

    /// Collects once and returns when every folder was read or given up.
    pub async fn once(&mut self) {
        self.begin(None);
        while self.runs.are_under_way() || self.saver.holds_ends() {
            self.event().await;
            self.go_on();
        }
        self.folders.give_up_reads(self.settings.collect.timeout);
        self.publish();
    }

    /// Waits until there is something to do, and processes the result of a task.
    async fn event(&mut self) {
        let wake = self.next_wake();
        tokio::select! {
            Some(event) = self.tasks.next() => self.task_ended(event),
            () = self.queue.eased() => {}
            () = sleep_until(wake) => {}
        }
    }

    /// When something is to be done that no event announces.
    fn next_wake(&self) -> Instant {
        let now = Moment::now().steady;
        let times = [
            self.publish_at,
            self.runs.next_deadline(),
            self.list.retry_at,
            self.saver.due(),
            Some(now + HEARTBEAT),
        ];
        times.into_iter().flatten().min().unwrap_or(now)
    }

    /// Does what is due by now, after any event.
    fn go_on(&mut self) {
        let now = Moment::now().steady;
        if self.list.retry_at.is_some_and(|at| at <= now) {
            self.collect();
        }
        self.end_collections();
        self.start_reads();
        // A read that was not wanted any more may have been the last one.
        self.end_collections();
        self.start_write();
        if self.publish_at.is_some_and(|at| at <= now) {
            self.publish();
        }
    }

    fn task_ended(&mut self, event: Event) {
        match event {
            Event::Listed(listed) => self.listed(listed),
            Event::RefusalsExplained(listed) => self.refusals_explained(listed),
            Event::FolderRead(queued, read) => self.folder_read(&queued, *read),
            Event::Written(written) => self.written(written),
        }
        self.publish_soon();
    }

    /// Continues with another configuration. Reads under way are completed.
    /// Folders that it does not exclude any more are admitted with the next list.
    fn reconfigure(&mut self, plan: Plan) {
        self.settings = Arc::new(plan.settings);
        self.dependencies.client = plan.client;
        let settings = &self.settings;
        let now = Moment::now().wall;
        self.folders.exclude_others(settings, now);
        self.folders.class_slots.limits = settings.class_limits();
        self.publish();
        self.saver.changed(self.folders.absent());
    }

    /// Something changed that a snapshot shows.
    fn publish_soon(&mut self) {
        let next = self.published + PUBLISH_GAP;
        self.publish_at.get_or_insert(next);
    }

    fn publish(&mut self) {
        self.published = Moment::now().steady;
        self.publish_at = None;
        self.dependencies.publisher.publish(PortalView {
            name: self.settings.portal.name.clone(),
            address: self.settings.address.clone(),
            standing: Standing::Active,
            list: self.list.state.clone(),
            folders: self
                .folders
                .views(self.list.state.failure.is_none(), Moment::now().wall),
            classes: Arc::new(self.folders.class_slots.classes()),
            errors: Arc::clone(&self.settings.errors),
            reindex: Arc::clone(&self.settings.reindex),
            collections: self.runs.shown.clone(),
            remarks: self.remarks(self.published),
            stale_after: self.runs.stale_after(&self.settings.collect),
            state_writes: self.saver.writes(),
            sorting: self.sorting,
            web_url: self.settings.portal.web_url.clone(),
            panics: self.dependencies.events.panics(),
        });
    }

    /// What explains the numbers.
    fn remarks(&self, now: Instant) -> Vec<String> {
        self.waiting(now)
            .into_iter()
            .chain(self.unsorted())
            .collect()
    }

    /// Whether folders wait for longer than an interval.
    fn waiting(&self, now: Instant) -> Option<String> {
        let interval = self.runs.interval?;
        let waits = self.queue.waits_since();
        let waits = waits.map(|since| now.saturating_duration_since(since));
        let long: Vec<_> = waits.filter(|wait| *wait > interval).collect();
        let longest = Duration::from_secs(long.iter().max()?.as_secs());
        let (longest, folders) = (format_duration(longest), long.len());
        let wait = if folders == 1 {
            "folder waits"
        } else {
            "folders wait"
        };
        Some(format!(
            "{folders} {wait} to be read, the first for {longest}"
        ))
    }
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
