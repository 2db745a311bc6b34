//! What a read told, and what it changes.

use crate::history::record::{FileHistory, FolderRecord, KnownFile};
use crate::model::{ByStatus, FileKey, Timestamp};
use crate::reading::Reading;

/// A read of a folder that reached the end.
#[derive(Debug, Clone, Copy)]
pub struct CompletedRead<'a> {
    /// When it began.
    pub began: Timestamp,
    /// When it ended.
    pub ended: Timestamp,
    /// Whether all totals agreed and the rows were distinct and as many as the total.
    pub consistent: bool,
    /// What was read.
    pub reading: &'a Reading,
}

/// What a read changes in what is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// The folder's new record.
    pub record: FolderRecord,
    /// Files that are not done and are new, or changed.
    pub changed: Vec<(FileKey, KnownFile)>,
    /// Files that are done, or no longer there, or for which there is no room.
    pub forgotten: Vec<FileKey>,
    /// Files that were read as done since the read before, or are missing for the first time and taken for done: as many became
    /// done as are missing.
    pub finished: Vec<FileKey>,
    /// The hashes of all files, where they need to be known until the next consistent read; nothing where that does not change.
    pub rows: Option<Vec<u64>>,
    /// Since when the longest-waiting file is in each status, of the rows read.
    pub oldest: ByStatus<Option<Timestamp>>,
}

impl FileHistory {
    /// Takes in what a read found.
    pub fn update(&mut self, update: &mut Update) {
        for key in &update.forgotten {
            self.files.remove(key);
        }
        self.files.extend(update.changed.iter().copied());
        if let Some(rows) = update.rows.take() {
            self.rows = rows;
        }
    }
}
