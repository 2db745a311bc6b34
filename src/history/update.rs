//! The result of a read, and the changes by it.

use std::sync::Arc;

use crate::clock::Moment;
use crate::count::FolderCount;
use crate::history::files::KnownFile;
use crate::history::record::{FolderRecord, ListEntry};
use crate::model::FileKey;

/// A read of a folder that counted it.
#[derive(Debug)]
pub struct CompletedRead {
    pub began: Moment,
    pub ended: Moment,
    /// The folder's entry in the list of folders when it began.
    pub entry: Option<ListEntry>,
    /// Files that the list of folders reports, and that reads do not find.
    pub missing_files: u64,
    pub count: FolderCount,
}

/// The changes of the stored data by a read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    pub record: FolderRecord,
    /// Files that changed, are new, or are not remembered any more.
    pub changed: Vec<FileKey>,
    /// Files that became done since the read before: their rows say so, or they are missed for the first time and as many files became
    /// done as are missed.
    pub finished: Vec<FileKey>,
    /// Whether the read listed every file that is not done: a file that is neither listed nor remembered is done, or not there.
    pub whole: bool,
}

impl Update {
    /// A file became done.
    pub(super) fn finish(&mut self, key: FileKey, file: &KnownFile) {
        self.finished.push(key);
        if let Some(from) = file.timed_from {
            let counters = Arc::make_mut(&mut self.record.counters);
            counters.indexing.observe(self.record.counted.since(from));
        }
    }
}
