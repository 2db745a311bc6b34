//! The result of a read, and the changes by it.

use std::sync::Arc;

use crate::count::FolderCount;
use crate::history::record::{FileHistory, FolderRecord, KnownFile};
use crate::model::{ByStatus, FileKey, Timestamp};

/// A read of a folder that counted it.
#[derive(Debug, Clone, Copy)]
pub struct CompletedRead<'a> {
    pub began: Timestamp,
    pub ended: Timestamp,
    pub count: &'a FolderCount,
}

/// The changes of the stored data by a read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    pub record: FolderRecord,
    /// Files that are not done and are new, or changed.
    pub changed: Vec<(FileKey, KnownFile)>,
    /// Files that are done, or no longer there, or beyond the limit.
    pub forgotten: Vec<FileKey>,
    /// Files that became done since the read before: their rows say so, or they are missing for the first time and as many files became
    /// done as are missing.
    pub finished: Vec<FileKey>,
    /// The hashes of all files, if they need to be known until the next consistent read; nothing if that does not change.
    pub rows: Option<Arc<Vec<u64>>>,
    /// Since when the longest-waiting file is in each status, of the rows read.
    pub oldest: ByStatus<Option<Timestamp>>,
}

impl FileHistory {
    pub fn update(&mut self, update: &mut Update) {
        for key in &update.forgotten {
            self.files.remove(key);
        }
        self.files.extend(update.changed.iter().copied());
        if let Some(rows) = update.rows.take() {
            self.rows = Some(rows).filter(|rows| !rows.is_empty());
        }
    }
}
