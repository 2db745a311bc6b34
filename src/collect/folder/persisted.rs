//! The facts about a folder that are stored, in memory and in the database.
//!
//! Those in memory are ahead of the database while a write is under way or writes fail. The counters that are shown are those in the
//! database, so that a restart never restores values below those that were scraped.

use std::sync::Arc;
use std::time::Duration;

use crate::count::SortingState;
use crate::history::{
    CompletedRead, Departure, FileHistory, FolderCounters, FolderRecord, ListEntry, apply,
};
use crate::model::{ByStatus, FileKey, FolderId, Timestamp};
use crate::store::{FileParts, FolderChange, FolderDocument, StoredFolder};

/// The facts about one folder that are stored.
#[derive(Debug, Default)]
pub(in crate::collect) struct PersistedFolder {
    pub record: Option<FolderRecord>,
    pub history: Arc<FileHistory>,
    /// What its rows showed about their order.
    pub order: SortingState,
    pub departure: Option<Departure>,
    /// Since when the configuration excludes it.
    pub excluded: Option<Timestamp>,
    /// The counters that the database has.
    pub stored_counters: Arc<FolderCounters>,
    written: Written,
}

/// What the last write had, so far as it is compared with what is known now.
#[derive(Debug, Default)]
struct Written {
    /// [`FolderDocument::substance`]; `None` if nothing is stored, or it is not known what.
    substance: Option<u64>,
    counted: Option<Timestamp>,
    /// What of the files differs.
    unsaved: FileParts,
}

/// What a write has of one folder, until it is known how it ended.
pub(in crate::collect) struct FolderWrite {
    pub id: FolderId,
    counters: Arc<FolderCounters>,
    parts: FileParts,
}

impl PersistedFolder {
    pub fn restored(stored: StoredFolder) -> Self {
        let StoredFolder {
            document,
            files,
            parts,
        } = stored;
        let written = Written {
            substance: Some(document.substance()),
            counted: document.record.as_ref().map(|record| record.counted),
            unsaved: parts,
        };
        let mut restored = Self {
            record: document.record,
            history: Arc::new(files),
            order: document.order,
            departure: document.departure,
            excluded: document.excluded,
            written,
            ..Self::default()
        };
        restored.stored_counters = restored.counters();
        restored
    }

    /// Applies a read; returns the files that are done since the one before, and whether others that it does not show are not there.
    pub fn apply(&mut self, read: &CompletedRead) -> (Vec<FileKey>, bool) {
        let update = apply(self.record.as_ref(), Arc::make_mut(&mut self.history), read);
        self.written.unsaved.note(update.changed);
        self.record = Some(update.record);
        self.departure = None;
        (update.finished, update.whole)
    }

    pub fn forget_counts(&mut self) {
        self.record = None;
        self.history = Arc::default();
        self.written.unsaved = FileParts::default();
    }

    /// The next count is the base of the entries after it.
    pub fn forget_base(&mut self) {
        if let Some(record) = &mut self.record {
            record.unidentified = ByStatus::default();
        }
    }

    /// What the last full scan counted, if the folder's entry in the list shows no change since.
    pub fn scanned(&self, entry: Option<ListEntry>) -> Option<ByStatus<u64>> {
        let full_read = self.record.as_ref().and_then(|record| record.full_read);
        let scanned = full_read.and_then(|full_read| full_read.scanned)?;
        entry
            .is_some_and(|now| !now.differs(scanned.entry))
            .then_some(scanned.counts)
    }

    /// Begins a write, if the document, or files, differ from what was written last. Where nothing but the time of the count does, it may be older by
    /// less than `behind`.
    pub fn begin_write(
        &mut self,
        id: FolderId,
        document: FolderDocument,
        behind: Duration,
    ) -> Option<(FolderChange, FolderWrite)> {
        let substance = Some(document.substance());
        let counted = self.record.as_ref().map(|record| record.counted);
        let last = &mut self.written;
        let millis = |at: Option<Timestamp>| at.map_or(0, Timestamp::as_millis);
        let apart = u128::from(millis(counted).abs_diff(millis(last.counted)));
        let is_old = apart > 0 && apart >= behind.as_millis();
        if last.substance == substance && last.unsaved.are_stored() && !is_old {
            return None;
        }
        (last.substance, last.counted) = (substance, counted);
        let parts = last.unsaved.take(self.history.len());
        let change = FolderChange {
            id,
            document,
            files: Arc::clone(&self.history),
            parts: parts.clone(),
        };
        let counters = self.counters();
        Some((
            change,
            FolderWrite {
                id,
                counters,
                parts,
            },
        ))
    }

    /// A write ended.
    pub fn end_write(&mut self, write: FolderWrite, is_written: bool) {
        if is_written {
            self.stored_counters = write.counters;
        } else {
            self.written.unsaved.add(write.parts);
            self.written.substance = None;
        }
    }

    /// The database lost what it had, so everything is to be written. What was shown is not taken back.
    pub fn was_lost(&mut self) {
        self.written = Written::default();
    }

    fn counters(&self) -> Arc<FolderCounters> {
        let record = self.record.as_ref();
        record.map_or_else(Arc::default, |record| Arc::clone(&record.counters))
    }
}
