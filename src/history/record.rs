//! The facts that are stored about a folder.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::count::hash;
use crate::history::indexing::IndexingTimes;
use crate::model::{ByStatus, FileKey, FileMap, FolderSizes, Status, Timestamp};

/// Whether every file of a status is remembered, so that any other file is new there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Coverage {
    /// Two whole reads listed them; later files are remembered, or not listed yet.
    Whole,
    /// The last consistent read was whole and the first to list them: pages may have shifted, so that it may have left out an existing file.
    Once,
    /// No whole read listed them; this number of torn reads did.
    Torn(u8),
}

impl Coverage {
    pub const NONE: Self = Self::Torn(0);

    /// Torn reads after which every file was listed. One of equal names in an arbitrary order leaves out 37 files of 100 at most,
    /// so that sixteen leave out one file in eight million.
    const ENOUGH: u8 = 16;

    /// Whether every file is remembered.
    pub const fn is_complete(self) -> bool {
        match self {
            Self::Whole | Self::Once => true,
            Self::Torn(reads) => reads >= Self::ENOUGH,
        }
    }
}

impl Default for Coverage {
    fn default() -> Self {
        Self::NONE
    }
}

/// A file that is not done, as it was seen last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownFile {
    pub status: Status,
    /// Its last status with a reason (failed or flagged), if it was not done since.
    pub settled: Option<Status>,
    /// Since when it is in this state: first seen there, or its createdAt if it was there at the folder's first count.
    pub since: Timestamp,
    /// The createdAt of a file whose indexing time will count: it was first seen not done, never failed or flagged,
    /// and arrived after the read before.
    pub timed_from: Option<Timestamp>,
    /// Whole reads that have missed it since it was listed last.
    pub missed: u8,
}

/// The files of one folder that are not done. Files that the last read did not list are among them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileHistory {
    pub(super) files: FileMap<KnownFile>,
    /// The sorted hashes of all files that the last consistent read listed, if it was the first one that was whole; not stored
    /// across restarts.
    pub(super) rows: Option<Arc<Vec<u64>>>,
}

impl FileHistory {
    /// Whether this file was not done when it was seen last.
    pub fn remembers(&self, key: FileKey) -> bool {
        self.files.contains_key(&key)
    }

    /// The remembered data of a file.
    pub fn get(&self, key: FileKey) -> Option<&KnownFile> {
        self.files.get(&key)
    }

    /// Every remembered file, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (FileKey, &KnownFile)> {
        self.files.iter().map(|(key, file)| (*key, file))
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Whether the only whole read so far listed this file, in any status; true if not known.
    pub fn was_listed(&self, key: FileKey) -> bool {
        let rows = self.rows.as_ref();
        rows.is_none_or(|rows| rows.binary_search(&hash(key)).is_ok())
    }
}

impl FromIterator<(FileKey, KnownFile)> for FileHistory {
    fn from_iter<I: IntoIterator<Item = (FileKey, KnownFile)>>(files: I) -> Self {
        Self {
            files: files.into_iter().collect(),
            rows: None,
        }
    }
}

/// Why a folder is no longer among those that are collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DepartureReason {
    /// It was deleted: the portal answered 404.
    Gone,
    /// It left the key's set: the list does not name it.
    Unlisted,
}

/// When and why a folder left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Departure {
    pub reason: DepartureReason,
    pub since: Timestamp,
}

/// Facts that only a read of every page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FullRead {
    /// When the last page was read.
    pub at: Timestamp,
    pub sizes: FolderSizes,
    /// Files that the total counts and no page lists.
    pub missing_rows: u64,
    /// Whether this or an earlier one showed that the boundaries between statuses are right.
    pub shows_sorting: bool,
}

/// The stored facts about the last count of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderRecord {
    /// When its first count ended: no file was seen in any state before that.
    pub first_counted: Timestamp,
    /// When the last read that counted the folder began.
    pub began: Timestamp,
    /// When that read ended: the time of the counts.
    pub counted: Timestamp,
    /// The last time that every page was read.
    pub full_read: Option<FullRead>,
    /// Files by status at that read.
    pub counts: ByStatus<u64>,
    /// The counts of the last consistent read, with the entries by identity since then; none before the first.
    pub base: Option<ByStatus<u64>>,
    /// Whether the files of each status are remembered.
    pub coverage: ByStatus<Coverage>,
    /// The counters since the folder was first counted. Shared, because in most folders they seldom change.
    pub counters: Arc<FolderCounters>,
}

/// The counters of a folder, which never decrease.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FolderCounters {
    pub entries: ByStatus<u64>,
    /// How long files took from upload to done.
    pub indexing: IndexingTimes,
}
