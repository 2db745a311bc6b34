//! What is known of the portals at one moment: immutable, swapped whole, read by metrics, health and the page.
//!
//! A folder that left is in no later snapshot, so none of its series can stay behind.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::classify::{ClassCounts, ShownClasses};
use crate::memory::{IndexingTimes, Left, LeftReason};
use crate::model::{ByStatus, FolderId, FolderName, FolderSizes, Moment, PortalName, Timestamp};
use crate::portal::Trouble;

/// All portals, in the order of the configuration.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Each portal as its collector published it last.
    pub portals: Vec<Arc<PortalView>>,
}

/// One portal.
#[derive(Debug, Clone)]
pub struct PortalView {
    /// The value of the label `portal`.
    pub name: PortalName,
    /// What came of asking for its list of folders.
    pub list: ListState,
    /// The folders that are collected, and those that left in the last 24 hours.
    pub folders: BTreeMap<FolderId, Arc<FolderView>>,
    /// The classes of error that are shown.
    pub classes: Arc<ShownClasses>,
    /// Its collections.
    pub collections: Collections,
    /// Counts that are older are withdrawn.
    pub stale_after: Duration,
    /// Why the last change could not be kept on disk, if it could not.
    pub state_error: Option<String>,
    /// Mistakes in this program that ended a task of its collector, since the process started.
    pub panics: u64,
}

/// What came of asking for a portal's list of folders.
#[derive(Debug, Clone, Default)]
pub enum ListState {
    /// It was not answered yet.
    #[default]
    Unasked,
    /// It was read in the last collection.
    Read(ListFacts),
    /// It was not.
    Failed {
        /// What that means.
        trouble: Trouble,
        /// What happened, for people.
        message: String,
        /// The last list that was read, if there was one.
        last: Option<ListFacts>,
    },
}

/// What a list of folders told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListFacts {
    /// Folders that the key may use.
    pub folders: usize,
    /// Rows that name no valid folder.
    pub invalid_rows: usize,
    /// Folders beyond `collect.max_folders`, which are not collected.
    pub beyond_limit: usize,
    /// Whether the list holds as many rows as its total says.
    pub whole: bool,
}

impl ListState {
    /// The list that was read last.
    #[must_use]
    pub fn facts(&self) -> Option<ListFacts> {
        match self {
            Self::Unasked => None,
            Self::Read(facts) => Some(*facts),
            Self::Failed { last, .. } => *last,
        }
    }

    /// Why the list cannot be read, where it cannot.
    #[must_use]
    pub fn trouble(&self) -> Option<Trouble> {
        match self {
            Self::Failed { trouble, .. } => Some(*trouble),
            Self::Unasked | Self::Read(_) => None,
        }
    }
}

/// The collections of a portal.
#[derive(Debug, Clone, Default)]
pub struct Collections {
    /// When the last one ended that counted every folder that was due; kept across restarts.
    pub last_success: Option<Timestamp>,
    /// When and how the last one ended.
    pub last_run: Option<Run>,
    /// The longest of the gaps between the last two and the next runs that are due.
    pub gap: Option<Duration>,
    /// When the next one is due.
    pub next: Option<Timestamp>,
}

impl Collections {
    /// The interval that counts must be expected at: the gap, or the last collection's duration where that is longer.
    #[must_use]
    pub fn interval(&self) -> Option<Duration> {
        self.gap.max(self.last_run.map(|run| run.duration))
    }
}

/// A collection that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// When.
    pub ended: Timestamp,
    /// How long it took.
    pub duration: Duration,
    /// How.
    pub result: RunResult,
}

/// How a collection ended: the label `result` of `kb_collection_runs_total`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunResult {
    /// Every folder that was due was counted, or answered 403 or 404.
    Success,
    /// Some were, some were not.
    Partial,
    /// The list could not be read, or no folder could be counted.
    Failure,
    /// No folder could be started, because the last one still ran.
    Skipped,
}

impl RunResult {
    /// Every result.
    pub const ALL: [Self; 4] = [Self::Success, Self::Partial, Self::Failure, Self::Skipped];

    /// The value of the label `result`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Partial => "partial",
            Self::Failure => "failure",
            Self::Skipped => "skipped",
        }
    }
}

/// One folder.
#[derive(Debug, Clone)]
pub struct FolderView {
    /// Its id.
    pub id: FolderId,
    /// Its name.
    pub name: FolderName,
    /// Its `fileCount` in the list that was read last.
    pub reported_files: Option<u64>,
    /// What came of the latest look.
    pub state: FolderState,
    /// The last count, until the folder leaves.
    pub counts: Option<Arc<Counts>>,
    /// When it was last counted; kept across restarts.
    pub last_success: Option<Timestamp>,
    /// The last time that every page was read; kept across restarts.
    pub last_full_read: Option<Timestamp>,
    /// What is kept on disk of the files that entered each status; none once the folder left.
    pub entries: Option<ByStatus<u64>>,
    /// What is kept on disk of indexing times.
    pub indexing: IndexingTimes,
}

/// What came of the latest look at a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderState {
    /// There was none yet.
    Unseen,
    /// It counted the folder.
    Counted,
    /// It did not.
    Unavailable {
        /// Why.
        reason: Unavailable,
        /// What happened, for people.
        message: String,
    },
    /// The folder is not there any more.
    Left(Left),
}

impl FolderState {
    /// Why the folder cannot be counted, where it cannot.
    #[must_use]
    pub fn unavailable(&self) -> Option<Unavailable> {
        match self {
            Self::Unseen | Self::Counted => None,
            Self::Unavailable { reason, .. } => Some(*reason),
            Self::Left(left) => Some(match left.reason {
                LeftReason::Gone => Unavailable::Gone,
                LeftReason::Unlisted => Unavailable::Unlisted,
            }),
        }
    }
}

/// Why a folder cannot be counted: the label `reason` of `kb_folder_unavailable`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unavailable {
    /// It is listed, and the portal answers 403 all the same.
    Forbidden,
    /// It was deleted.
    Gone,
    /// It left the key's set.
    Unlisted,
    /// Anything else.
    Error,
}

impl Unavailable {
    /// The value of the label `reason`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Forbidden => "forbidden",
            Self::Gone => "gone",
            Self::Unlisted => "unlisted",
            Self::Error => "error",
        }
    }
}

/// The result of a look that counted a folder.
#[derive(Debug, Clone)]
pub struct Counts {
    /// Files by status.
    pub files: ByStatus<u64>,
    /// Bytes by status.
    pub sizes: FolderSizes,
    /// Failed and flagged files by class.
    pub errors: ClassCounts,
    /// Since when the longest-waiting file is in each status.
    pub oldest: ByStatus<Option<Timestamp>>,
    /// Whether all totals agreed and the rows were distinct and as many as the total.
    pub consistent: bool,
    /// When the look ended.
    pub counted: Moment,
    /// How long it took.
    pub duration: Duration,
    /// Requests that it took.
    pub requests: u64,
    /// Time between this count and the one before it.
    pub interval: Option<Duration>,
}

impl PortalView {
    /// A portal about which nothing is known yet.
    #[must_use]
    pub fn unasked(portal: &crate::config::Portal) -> Self {
        Self {
            name: portal.name.clone(),
            list: ListState::Unasked,
            folders: BTreeMap::new(),
            classes: Arc::default(),
            collections: Collections::default(),
            stale_after: Duration::MAX,
            state_error: None,
            panics: 0,
        }
    }

    /// The counts of a folder, unless they are too old to be shown.
    #[must_use]
    pub fn fresh_counts<'a>(&self, folder: &'a FolderView, now: Moment) -> Option<&'a Counts> {
        folder
            .counts
            .as_deref()
            .filter(|counts| now.since(counts.counted) <= self.stale_after)
    }
}

/// Takes the portals' views and shows them together.
#[derive(Debug, Clone, Default)]
pub struct Publisher(watch::Sender<Arc<Snapshot>>);

impl Publisher {
    /// Shows these portals from now on, in this order; nothing is known yet of those that are new.
    pub fn use_portals(&self, portals: &[crate::config::Portal]) {
        self.0.send_modify(|snapshot| {
            let known = |name: &PortalName| snapshot.portals.iter().find(|view| view.name == *name);
            let view = |portal: &crate::config::Portal| {
                let known = known(&portal.name).map(Arc::clone);
                known.unwrap_or_else(|| Arc::new(PortalView::unasked(portal)))
            };
            let portals = portals.iter().map(view).collect();
            *snapshot = Arc::new(Snapshot { portals });
        });
    }

    /// Replaces the view of one portal, if it is one of those that are shown.
    pub fn publish(&self, view: PortalView) {
        let view = Arc::new(view);
        self.0.send_modify(|snapshot| {
            let mut portals = snapshot.portals.clone();
            for portal in &mut portals {
                if portal.name == view.name {
                    *portal = Arc::clone(&view);
                }
            }
            *snapshot = Arc::new(Snapshot { portals });
        });
    }

    /// What is known now.
    #[must_use]
    pub fn current(&self) -> Arc<Snapshot> {
        Arc::clone(&self.0.borrow())
    }

    /// Is told of every change.
    #[must_use]
    pub fn subscribe(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.0.subscribe()
    }
}
