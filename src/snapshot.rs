//! The state of all portals at one moment: immutable, swapped whole, read by metrics, health and the page.
//!
//! A folder that left is in no later snapshot, so none of its series can remain.

mod errors;
mod failed_files;
mod folder;
mod outcome;
mod publisher;
mod reindex;
mod sorting;
mod unwatched;
mod waiting;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::classify::KnownClass;
use crate::clock::Moment;
use crate::config::{Errors, Reindex, WebUrl};
use crate::model::{FolderId, PortalAddress, PortalName, Timestamp, label_values};
use crate::portal::Trouble;
use crate::store::Standing;

pub use crate::count::Way;
pub use crate::history::{Unavailable, Unreadable};
pub use errors::ErrorClass;
pub use failed_files::FailedFiles;
pub use folder::{Counts, FolderState, FolderView};
pub use publisher::Publisher;
pub use reindex::ReindexView;
pub use sorting::SortingState;
pub use unwatched::Unwatched;
pub use waiting::Waiting;
pub(crate) use waiting::whole_seconds;

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
    /// Whether its list of folders could be read.
    pub list: ListState,
    /// The folders that are collected, and those that left in the last 24 hours.
    pub folders: BTreeMap<FolderId, Arc<FolderView>>,
    /// The error classes that have a slot.
    pub classes: Arc<BTreeMap<Arc<str>, KnownClass>>,
    /// How reasons are grouped into classes.
    pub errors: Arc<Errors>,
    pub reindex: Arc<Reindex>,
    pub collections: Collections,
    /// Folders that wait for longer than an interval, if there are any.
    pub waiting: Option<Waiting>,
    /// Counts of a folder whose last read failed are withdrawn when they are older.
    pub stale_after: Duration,
    /// Whether the state is on disk.
    pub state_writes: Writes,
    pub sorting: SortingState,
    /// Why every page is read although the configuration asks for less, if so.
    pub unsorted: Option<String>,
    /// Where people see its folders.
    pub web_url: Option<WebUrl>,
    /// Panics that ended a task of its collector, since the process started.
    pub panics: u64,
}

/// Whether writes to a file succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Writes {
    Off,
    /// All that is known is on disk.
    Succeed,
    /// Something is not on disk; why, for people.
    Refused(String),
}

impl Writes {
    /// Why something is not on disk, if so.
    pub fn refusal(&self) -> Option<&str> {
        match self {
            Self::Off | Self::Succeed => None,
            Self::Refused(error) => Some(error),
        }
    }
}

/// Whether a portal's list of folders could be read.
#[derive(Debug, Clone, Default)]
pub enum ListState {
    /// It has not been read yet.
    #[default]
    Unasked,
    /// It was read in the last collection.
    Read(ListFacts),
    Failed {
        trouble: Trouble,
        message: String,
        /// When it failed first, by any reason, since it was read.
        since: Timestamp,
        /// The last list that was read, if there was one.
        last: Option<ListFacts>,
    },
}

/// What a list of folders contained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListFacts {
    /// Folders that the key may use.
    pub folders: usize,
    pub unwatched: Unwatched,
}

impl ListState {
    /// The list that was read last.
    pub fn facts(&self) -> Option<ListFacts> {
        match self {
            Self::Unasked => None,
            Self::Read(facts) => Some(*facts),
            Self::Failed { last, .. } => *last,
        }
    }

    /// Since when it cannot be read, if so.
    pub fn failing_since(&self) -> Option<Timestamp> {
        match self {
            Self::Failed { since, .. } => Some(*since),
            Self::Unasked | Self::Read(_) => None,
        }
    }

    /// Why it cannot be read, in words.
    pub fn failure(&self) -> Option<&String> {
        match self {
            Self::Failed { message, .. } => Some(message),
            Self::Unasked | Self::Read(_) => None,
        }
    }

    /// Why the list cannot be read, if so.
    pub fn trouble(&self) -> Option<Trouble> {
        match self {
            Self::Failed { trouble, .. } => Some(*trouble),
            Self::Unasked | Self::Read(_) => None,
        }
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
    /// Requests to the portal, those for the list and those that were repeated included.
    pub requests: u64,
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

impl PortalView {
    /// Whether this process reads it.
    pub fn is_active(&self) -> bool {
        self.standing == Standing::Active
    }

    /// Whether nobody knows who reads it, because the state cannot be used.
    pub fn is_unavailable(&self) -> bool {
        matches!(self.standing, Standing::Unavailable(_))
    }

    /// The process that reads it, if another one does.
    pub fn holder(&self) -> Option<&str> {
        match &self.standing {
            Standing::Standby(holder) => Some(holder),
            Standing::Starting | Standing::Active | Standing::Unavailable(_) => None,
        }
    }

    /// A portal about which nothing is known yet.
    pub fn unasked(portal: &crate::config::Portal) -> Self {
        Self {
            name: portal.name.clone(),
            address: portal.base_url.normalised(),
            standing: Standing::Active,
            list: ListState::Unasked,
            folders: BTreeMap::new(),
            classes: Arc::default(),
            errors: Arc::default(),
            reindex: Arc::default(),
            collections: Collections::default(),
            waiting: None,
            stale_after: Duration::MAX,
            state_writes: Writes::Off,
            sorting: SortingState::Assumed,
            unsorted: None,
            web_url: portal.web_url.clone(),
            panics: 0,
        }
    }

    /// The counts of a folder, unless they are withdrawn (docs/metrics.md, Stale counts).
    pub fn fresh_counts<'a>(&self, folder: &'a FolderView, now: Moment) -> Option<&'a Counts> {
        self.counts_last(folder, now)?;
        folder.counts.as_deref()
    }

    /// How long the counts of a folder will be shown if it is not read, unless they are withdrawn already. A folder that only waits to be read
    /// keeps them.
    pub fn counts_last(&self, folder: &FolderView, now: Moment) -> Option<Duration> {
        let counts = folder.counts.as_ref()?;
        let limit = match folder.state.unavailable() {
            Some(_) => self.stale_after,
            None => self.stale_after.max(SHOWN_WITHOUT_READ),
        };
        limit.checked_sub(now.since(counts.counted))
    }
}
