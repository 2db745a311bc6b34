//! The result of a read, and the changes by it.

use std::time::Duration;

use crate::count::FolderCount;
use crate::history::record::{FolderRecord, KnownFile, Look};
use crate::model::{FileKey, Timestamp};

/// A read of a folder that counted it.
#[derive(Debug, Clone, Copy)]
pub struct CompletedRead<'a> {
    pub began: Timestamp,
    pub ended: Timestamp,
    /// How long it took, by the monotonic clock.
    pub duration: Duration,
    /// Files that the list of folders reports, and that reads do not find.
    pub missing_files: u64,
    pub count: &'a FolderCount,
}

impl CompletedRead<'_> {
    pub(super) fn look(&self) -> Look {
        Look {
            way: self.count.way(),
            consistent: self.count.consistent,
            requests: self.count.requests,
            duration: self.duration,
            rows_beyond: self.count.rows_beyond,
            missing_files: self.missing_files,
        }
    }
}

/// The changes of the stored data by a read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    pub record: FolderRecord,
    /// Files that are not done and are new, or changed.
    pub changed: Vec<(FileKey, KnownFile)>,
    /// Files that are done, or no longer there, or beyond the limit.
    pub forgotten: Vec<FileKey>,
    /// Files that became done since the read before: their rows say so, or they are missed for the first time and as many files became
    /// done as are missed.
    pub finished: Vec<FileKey>,
    /// Whether the read ended a whole turn of every status but done: a file that is neither listed nor remembered is done, or not there.
    pub whole: bool,
}
