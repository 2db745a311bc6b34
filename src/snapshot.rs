//! The state of all portals at one moment: immutable, swapped whole, read by metrics, health and the page.
//!
//! A folder that left is in no later snapshot, so none of its series can remain.

mod errors;
mod folder;
mod list;
mod publisher;
#[cfg(test)]
pub(crate) mod testing;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::attempts::Book;
use crate::classify::{Class, KnownClass};
use crate::clock::Moment;
use crate::config::{Errors, Portal, Reindex, WebUrl};
use crate::model::{FolderId, PortalAddress, PortalName, Timestamp, label_values};
use crate::policy::Decision;
use crate::store::Standing;

pub use crate::count::{SortingState, Way};
pub use crate::history::{Unavailable, Unreadable};
pub use errors::ErrorClass;
pub use folder::{Counts, FailedFiles, FolderState, FolderView};
pub use list::{ListFacts, ListFailure, ListState};
pub use publisher::Publisher;

/// Counts are shown for this long if nothing is known of a later read.
const SHOWN_WITHOUT_READ: Duration = Duration::from_hours(24);

/// All portals, in the order of the configuration.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Each portal as its collector published it last.
    pub portals: Vec<Arc<PortalView>>,
    /// The decisions about reindexing in each of them.
    pub reindex: BTreeMap<PortalName, Arc<ReindexView>>,
}

impl Snapshot {
    /// The portals whose metrics are shown: all that no other process reads.
    pub fn shown(&self) -> impl Iterator<Item = &Arc<PortalView>> {
        let portals = self.portals.iter();
        portals.filter(|portal| portal.holder().is_none())
    }

    pub fn portal(&self, name: &PortalName) -> Option<&Arc<PortalView>> {
        self.portals.iter().find(|portal| portal.name == *name)
    }
}

#[derive(Debug, Clone)]
pub struct PortalView {
    pub name: PortalName,
    pub address: PortalAddress,
    /// Whether this process reads it. If not, nothing else is known of it.
    pub standing: Standing,
    pub list: ListState,
    /// The folders that are collected, and those that left in the last 24 hours.
    pub folders: BTreeMap<FolderId, Arc<FolderView>>,
    /// The error classes that have a slot.
    pub classes: Arc<BTreeMap<Class, KnownClass>>,
    /// How reasons are grouped into classes.
    pub errors: Arc<Errors>,
    pub reindex: Arc<Reindex>,
    pub collections: Collections,
    /// What explains its numbers, for people: folders that wait, pages that are read although the configuration asks for less.
    pub remarks: Vec<String>,
    /// Counts of a folder whose last read failed are withdrawn when they are older.
    pub stale_after: Duration,
    /// Whether the state is on disk, or why something is not, for people; `None` if nothing is stored.
    pub state_writes: Option<Result<(), String>>,
    pub sorting: SortingState,
    /// Where people see its folders.
    pub web_url: Option<WebUrl>,
    /// Panics that ended a task of its collector, since the process started.
    pub panics: u64,
}

impl PortalView {
    /// A portal about which nothing is known yet.
    pub fn unasked(portal: &Portal) -> Self {
        Self {
            name: portal.name.clone(),
            address: portal.base_url.normalised(),
            standing: Standing::Active,
            list: ListState::default(),
            folders: BTreeMap::new(),
            classes: Arc::default(),
            errors: Arc::default(),
            reindex: Arc::default(),
            collections: Collections::default(),
            remarks: Vec::new(),
            stale_after: Duration::MAX,
            state_writes: None,
            sorting: SortingState::Assumed,
            web_url: portal.web_url.clone(),
            panics: 0,
        }
    }

    /// The process that reads it, if another one does.
    pub fn holder(&self) -> Option<&str> {
        match &self.standing {
            Standing::Standby(holder) => Some(holder),
            Standing::Starting | Standing::Active | Standing::Unavailable(_) => None,
        }
    }

    /// The counts of a folder, unless they are withdrawn (docs/metrics.md, Stale counts). A folder that only waits to be read keeps them.
    pub fn fresh_counts<'a>(&self, folder: &'a FolderView, now: Moment) -> Option<&'a Counts> {
        let limit = match folder.state.unavailable() {
            Some(_) => self.stale_after,
            None => self.stale_after.max(SHOWN_WITHOUT_READ),
        };
        let counts = folder.counts.as_deref();
        counts.filter(|counts| now.since(counts.counted) <= limit)
    }
}

#[derive(Debug, Clone, Default)]
pub struct Collections {
    /// When the last one ended that counted every folder that was due; stored across restarts.
    pub last_success: Option<Timestamp>,
    /// When and how the last one ended.
    pub last_run: Option<LastRun>,
    /// The longest of the gaps between the last two and the next runs that are due.
    pub gap: Option<Duration>,
    /// When the next one is due.
    pub next: Option<Timestamp>,
}

impl Collections {
    /// The interval at which counts can be expected: the gap, or the last collection's duration if that is longer.
    pub fn interval(&self) -> Option<Duration> {
        self.gap.max(self.last_run.map(|run| run.duration))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastRun {
    pub ended: Timestamp,
    pub duration: Duration,
    pub result: RunResult,
    /// Folders that were counted, or answered 403 or 404.
    pub counted: usize,
    /// Folders that were not; the list is one if it could not be read.
    pub failed: usize,
    /// Requests to the portal, those for the list and those that were repeated included.
    pub requests: u64,
}

impl LastRun {
    /// When it ended, if everything was counted.
    pub fn success(&self) -> Option<Timestamp> {
        (self.result == RunResult::Success).then_some(self.ended)
    }
}

label_values! {
    /// How a collection ended: the label `result` of `kb_collection_runs_total`.
    pub enum RunResult {
        /// Every folder that was due was counted, or answered 403 or 404.
        Success = "success",
        /// Some folders were counted, some were not.
        Partial = "partial",
        /// The list could not be read, or no folder could be counted.
        Failure = "failure",
        /// No read could be started, because the last collection still ran.
        Skipped = "skipped",
    }
}

/// The decisions about reindexing in one portal.
#[derive(Debug, Clone)]
pub struct ReindexView {
    /// The latest decision about each folder whose mode is not off.
    pub decisions: BTreeMap<FolderId, Decision>,
    /// When they were made, by the clock of the ledger, which ends limits.
    pub decided: Timestamp,
    /// The attempts, or why they are not known.
    pub book: Result<Arc<Book>, String>,
    /// Why something could not be written to the ledger, if so.
    pub write_error: Option<String>,
}

impl ReindexView {
    /// Why the ledger cannot be used or written, if so.
    pub fn refusal(&self) -> Option<&str> {
        let error = self.book.as_ref().err();
        error.or(self.write_error.as_ref()).map(String::as_str)
    }
}
