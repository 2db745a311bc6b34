//! A count that is not written yet. If another process that counts the folder wrote first, the count is compared with that version.

use crate::clock::Moment;
use crate::count::FolderCount;
use crate::history::{CompletedRead, FileHistory, FolderRecord, Update, apply};

/// A count of a folder, from its end until it is written.
#[derive(Debug)]
pub(super) struct UnwrittenCount {
    pub began: Moment,
    pub ended: Moment,
    pub missing_files: u64,
    pub count: FolderCount,
    /// Whether the write that is under way has it.
    pub is_being_written: bool,
}

impl UnwrittenCount {
    /// What the count adds to the counters that another process wrote: nothing, if its count is newer, or already has all of it.
    pub fn update(&self, record: Option<&FolderRecord>, history: &FileHistory) -> Option<Update> {
        let record = record.filter(|record| record.began < self.began.wall)?;
        let read = CompletedRead {
            began: self.began.wall,
            ended: self.ended.wall,
            duration: self.ended.elapsed_since(self.began),
            missing_files: self.missing_files,
            count: &self.count,
        };
        let update = apply(Some(record), history, &read);
        (update.record.counters != record.counters).then_some(update)
    }
}
