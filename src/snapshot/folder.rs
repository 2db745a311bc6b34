//! One folder, as it is known.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use crate::classify::{ErrorRow, NewestFiles};
use crate::clock::Moment;
use crate::history::{
    Day, Departure, DepartureReason, FolderCounters, FullRead, Look, Unavailable, Unreadable,
};
use crate::model::{ByStatus, FileKey, FileMap, FolderId, FolderName, Status, Timestamp};
use crate::policy::FailedFile;
use crate::policy::judge::Observation;
use crate::portal::PageRequest;

#[derive(Debug, Clone)]
pub struct FolderView {
    pub id: FolderId,
    pub name: FolderName,
    /// Its `fileCount` in the list that was read last.
    pub reported_files: Option<u64>,
    /// The result of the latest read.
    pub state: FolderState,
    /// The last count, until the folder leaves; stored across restarts.
    pub counts: Option<Arc<Counts>>,
    /// Its failed files by the last count; none if nothing is reindexed there, or until its first count since the start.
    pub failed_files: Option<Arc<FailedFiles>>,
    /// What is known since every page was last read; stored across restarts, until the folder leaves.
    pub full_read: Option<FullRead>,
    /// Pages of the full scan that is under way, if it has a time limit of its own because they are many.
    pub large_scan_pages: Option<u64>,
    /// Its counters, as stored on disk; none once the folder left.
    pub counters: Option<Arc<FolderCounters>>,
    /// What changed in its last day.
    pub day: Arc<Day>,
    /// Its newest failed and flagged files, of the rows that were read.
    pub newest: Option<Arc<NewestFiles>>,
}

impl FolderView {
    /// Its name for people, or its id if nothing of the name can be seen.
    pub fn title(&self) -> Cow<'_, str> {
        match self.name.label() {
            blank if blank.trim().is_empty() => self.id.to_string().into(),
            name => name.into(),
        }
    }

    /// When it was last counted; stored across restarts.
    pub fn last_success(&self) -> Option<Timestamp> {
        self.counts.as_ref().map(|counts| counts.counted.wall)
    }

    /// A folder about which nothing is known yet.
    pub fn unseen(id: FolderId, name: FolderName) -> Self {
        Self {
            id,
            name,
            reported_files: None,
            state: FolderState::Unseen,
            counts: None,
            failed_files: None,
            full_read: None,
            large_scan_pages: None,
            counters: None,
            day: Arc::default(),
            newest: None,
        }
    }
}

/// The result of the latest read of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderState {
    /// There was none yet.
    Unseen,
    Counted,
    Unavailable(Unreadable),
    /// The folder is gone.
    Departed(Departure),
}

impl FolderState {
    pub fn is_counted(&self) -> bool {
        *self == Self::Counted
    }

    /// Whether the folder is gone.
    pub const fn has_left(&self) -> bool {
        matches!(self, Self::Departed(_))
    }

    /// Whether the configuration excludes it.
    pub fn is_excluded(&self) -> bool {
        matches!(self, Self::Departed(departure) if departure.reason == DepartureReason::Excluded)
    }

    /// Why the last read did not count the folder, unless it left.
    pub const fn unreadable(&self) -> Option<&Unreadable> {
        match self {
            Self::Unavailable(unreadable) => Some(unreadable),
            Self::Unseen | Self::Counted | Self::Departed(_) => None,
        }
    }

    /// Why the folder cannot be counted, if so.
    pub fn unavailable(&self) -> Option<Unavailable> {
        match self {
            Self::Unseen | Self::Counted => None,
            Self::Unavailable(unreadable) => Some(unreadable.reason),
            Self::Departed(departure) => Some(match departure.reason {
                DepartureReason::Gone => Unavailable::Gone,
                DepartureReason::Unlisted | DepartureReason::Excluded => Unavailable::Unlisted,
            }),
        }
    }
}

/// The result of a read that counted a folder.
#[derive(Debug, Clone)]
pub struct Counts {
    pub files: ByStatus<u64>,
    /// Failed and flagged files by class, for classes that have slots; sorted by status and class.
    pub errors: Vec<ErrorRow>,
    /// Since when the longest-waiting file is in each status.
    pub oldest: ByStatus<Option<Timestamp>>,
    pub look: Look,
    pub counted: Moment,
    /// Time between this count and the one before it.
    pub interval: Option<Duration>,
}

impl Counts {
    /// Since when the longest-waiting file waits.
    pub fn waiting_since(&self) -> Option<Timestamp> {
        let waiting = [Status::Pending, Status::Processing].map(|status| self.oldest[status]);
        waiting.into_iter().flatten().min()
    }
}

/// The failed files of a folder by its last count, and how the files were seen that the ledger watches. Times are by the clock of the ledger.
#[derive(Debug, Clone)]
pub struct FailedFiles {
    /// When the read began.
    pub began: Timestamp,
    pub files: Vec<FailedFile>,
    /// Whether these are all failed files of the folder.
    pub are_all: bool,
    /// A page that showed one of them.
    pub page: Option<PageRequest>,
    pub watched: FileMap<Observation>,
}

impl FailedFiles {
    /// How the read saw a file that the ledger watches.
    pub fn observation(&self, key: FileKey) -> Observation {
        let seen = self.watched.get(&key);
        seen.copied().unwrap_or(Observation::Unread)
    }
}
