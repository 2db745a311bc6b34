//! The stored data of a folder, in memory and in the database.
//!
//! The history in memory is ahead of the database while a write is under way or writes fail. The counters that are shown are those in the
//! database, so that a restart never restores values below those that were scraped.

use std::sync::Arc;
use std::time::Duration;

use crate::collect::unsaved::UnsavedFiles;
use crate::count::{FolderCount, Order};
use crate::history::{Departure, FileHistory, FolderCounters, FolderRecord, ListEntry, Update};
use crate::model::{ByStatus, FolderId, Timestamp};
use crate::store::{FolderChange, FolderDocument, StoredFolder};

/// A folder of which nothing changes but the time of its count is written when the count that is stored is so much older
/// (docs/operations.md, State).
pub(super) const MAX_BEHIND: Duration = Duration::from_mins(5);

/// The stored data of one folder.
#[derive(Debug, Default)]
pub(super) struct PersistedFolder {
    pub record: Option<FolderRecord>,
    pub history: Arc<FileHistory>,
    /// What its rows showed about their order.
    pub order: Order,
    pub departure: Option<Departure>,
    /// Since when the configuration excludes it.
    pub excluded: Option<Timestamp>,
    /// Files that differ from what is stored.
    unsaved: UnsavedFiles,
    stored: Stored,
    /// A write that is under way: what is stored after it, and the files that it writes.
    writing: Option<Box<(Stored, UnsavedFiles)>>,
}

/// The parts of what is stored that are needed in memory.
#[derive(Debug, Default)]
struct Stored {
    counters: Arc<FolderCounters>,
    counted: Option<Timestamp>,
    departure: Option<Departure>,
    excluded: Option<Timestamp>,
    /// [`FolderDocument::substance`]; `None` if nothing is stored.
    substance: Option<u64>,
}

impl PersistedFolder {
    pub fn restored(stored: StoredFolder) -> Self {
        let StoredFolder { document, files } = stored;
        let mut restored = Self {
            record: document.record.clone(),
            history: Arc::new(files),
            order: document.order,
            departure: document.departure,
            excluded: document.excluded,
            unsaved: UnsavedFiles::none(),
            ..Self::default()
        };
        restored.stored = restored.stored_as(&document);
        restored
    }

    /// Applies the changes by a read.
    pub fn update(&mut self, update: Update, count: &FolderCount) {
        self.unsaved.note(&update);
        let history = Arc::make_mut(&mut self.history);
        history.update(update.changed, &update.forgotten);
        let mut record = update.record;
        record.note_day(count, history);
        self.record = Some(record);
        self.departure = None;
    }

    pub fn forget_counts(&mut self) {
        self.record = None;
        self.history = Arc::default();
        self.unsaved = UnsavedFiles::All;
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

    /// The counters that the database has.
    pub fn stored_counters(&self) -> Arc<FolderCounters> {
        Arc::clone(&self.stored.counters)
    }

    /// Whether the database does not know yet that the folder left, is excluded, or came back.
    pub fn is_absence_unsaved(&self) -> bool {
        let last = self.last_write();
        (last.departure, last.excluded) != (self.departure, self.excluded)
    }

    /// Whether a document, or files, differ from what is stored, and not only by the time of the count, or that is older than `behind`.
    pub fn is_unsaved(&self, document: &FolderDocument, behind: Duration) -> bool {
        let last = self.last_write();
        let millis = |at: Option<Timestamp>| at.map_or(0, Timestamp::as_millis);
        let counted = document.record.as_ref().map(|record| record.counted);
        let apart = millis(counted).abs_diff(millis(last.counted));
        !self.unsaved.is_none()
            || (apart > 0 && u128::from(apart) >= behind.as_millis())
            || last.substance != Some(document.substance())
    }

    /// A write begins.
    pub fn begin_write(&mut self, id: FolderId, document: FolderDocument) -> FolderChange {
        let unsaved = std::mem::replace(&mut self.unsaved, UnsavedFiles::none());
        let stored = self.stored_as(&document);
        let change = FolderChange {
            id,
            files: unsaved.changes(&self.history),
            document: Some(document),
        };
        self.writing = Some(Box::new((stored, unsaved)));
        change
    }

    /// The write ended.
    pub fn write_ended(&mut self, is_written: bool) {
        match self.writing.take() {
            Some(writing) if is_written => self.stored = writing.0,
            Some(writing) => self.unsaved.add(writing.1),
            None => {}
        }
    }

    /// The database lost what it had, so everything is to be written. What was shown is not taken back.
    pub fn was_lost(&mut self) {
        self.unsaved = UnsavedFiles::All;
        self.stored.substance = None;
    }

    /// Nothing is stored, so all that is known is shown.
    pub fn need_not_be_stored(&mut self) {
        self.stored.counters = self.counters();
    }

    fn last_write(&self) -> &Stored {
        self.writing
            .as_ref()
            .map_or(&self.stored, |writing| &writing.0)
    }

    fn counters(&self) -> Arc<FolderCounters> {
        let record = self.record.as_ref();
        record.map_or_else(Arc::default, |record| Arc::clone(&record.counters))
    }

    /// What is stored when it is written as this document.
    fn stored_as(&self, document: &FolderDocument) -> Stored {
        Stored {
            counters: self.counters(),
            counted: self.record.as_ref().map(|record| record.counted),
            departure: self.departure,
            excluded: self.excluded,
            substance: Some(document.substance()),
        }
    }
}
