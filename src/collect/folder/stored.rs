//! The facts about a folder that are stored, in memory and in the database.
//!
//! Those in memory are ahead of the database while a write is under way or writes fail. The counters that are shown are those in the
//! database, so that a restart never restores values below those that were scraped.

use std::sync::Arc;
use std::time::Duration;

use super::Folder;
use crate::classify::{ClassSlots, ErrorRow};
use crate::clock::Moment;
use crate::count::SortingState;
use crate::history::{
    CompletedRead, Departure, FileHistory, FolderCounters, FolderRecord, apply, oldest,
};
use crate::model::{ByStatus, FileKey, Timestamp};
use crate::snapshot::Counts;
use crate::store::{FileParts, FolderChange, FolderDocument, StoredFolder};

/// The facts about one folder that are stored.
#[derive(Debug, Default)]
pub(in crate::collect) struct Stored {
    pub record: Option<FolderRecord>,
    pub history: Arc<FileHistory>,
    /// What its rows showed about their order.
    pub order: SortingState,
    pub departure: Option<Departure>,
    /// The counters that the database has.
    counters: Arc<FolderCounters>,
    written: Written,
}

/// What the last write had, so far as it is compared with what is known now; by default, everything differs.
#[derive(Debug, Default)]
struct Written {
    /// [`FolderDocument::substance`].
    substance: Option<u64>,
    counted: Option<Timestamp>,
    /// What of the files differs.
    unsaved: FileParts,
}

impl Stored {
    pub fn restored(stored: StoredFolder) -> Self {
        let StoredFolder {
            document,
            files,
            parts,
        } = stored;
        let record = document.record.as_ref();
        Self {
            counters: record.map_or_else(Arc::default, |record| Arc::clone(&record.counters)),
            written: Written {
                substance: Some(document.substance()),
                counted: record.map(|record| record.counted),
                unsaved: parts,
            },
            record: document.record,
            history: Arc::new(files),
            order: document.order,
            departure: document.departure,
        }
    }

    /// Applies a read; returns the files that are done since the one before, and whether others that it does not show are not there.
    pub fn apply(&mut self, read: &CompletedRead) -> (Vec<FileKey>, bool) {
        let update = apply(self.record.as_ref(), Arc::make_mut(&mut self.history), read);
        self.written.unsaved.note(update.changed);
        self.record = Some(update.record);
        self.departure = None;
        (update.finished, update.whole)
    }

    /// Notes what rows showed about their order. Where they do not show it, nothing refutes it any more.
    pub fn note_order(&mut self, order: SortingState) {
        if (self.order, order) != (SortingState::Shown, SortingState::Assumed) {
            self.order = order;
        }
    }

    /// The next count is the base of the entries after it.
    pub fn forget_base(&mut self) {
        if let Some(record) = &mut self.record {
            record.unidentified = ByStatus::default();
        }
    }

    /// The database may not have what was written to it. What was shown is not taken back.
    pub fn was_lost(&mut self) {
        self.written = Written::default();
    }
}

impl Folder {
    /// Begins a write of it, if the document, or files, differ from what was written last. Where nothing but the time of the count does, it may be
    /// older by less than `behind`.
    pub fn begin_write(
        &mut self,
        class_slots: &ClassSlots,
        behind: Duration,
    ) -> Option<FolderChange> {
        let document = self.document(class_slots);
        let substance = Some(document.substance());
        let counted = document.record.as_ref().map(|record| record.counted);
        let (history, last) = (&self.stored.history, &mut self.stored.written);
        let apart = counted.zip(last.counted);
        let apart = apart.map(|(now, then)| now.as_millis().abs_diff(then.as_millis()));
        let is_old =
            apart.is_some_and(|apart| apart > 0 && u128::from(apart) >= behind.as_millis());
        if last.substance == substance && last.unsaved.are_stored() && !is_old {
            return None;
        }
        (last.substance, last.counted) = (substance, counted);
        Some(FolderChange {
            id: self.view.id,
            document,
            files: Arc::clone(history),
            parts: last.unsaved.take(history.len()),
        })
    }

    fn document(&self, class_slots: &ClassSlots) -> FolderDocument {
        let (view, stored) = (&self.view, &self.stored);
        FolderDocument {
            name: view.name.clone(),
            record: stored.record.clone(),
            class_slots: class_slots.of(view.id).cloned().collect(),
            order: stored.order,
            unreadable: view.state.unreadable().cloned(),
            departure: stored.departure,
        }
    }

    /// The database has these counters now.
    pub fn show_written(&mut self, counters: Arc<FolderCounters>) {
        self.stored.counters = counters;
        self.show_stored();
    }

    /// Shows the stored count, which is as old as it is, until the first read.
    pub fn show_stored_count(&mut self, errors: Vec<ErrorRow>, now: Moment) {
        let there = self.is_there();
        let Some(record) = self.stored.record.as_ref().filter(|_| there) else {
            return;
        };
        let age = now.wall.since(record.counted);
        let counts = Counts {
            files: record.counts,
            errors,
            oldest: oldest(&self.stored.history, |_| true),
            look: record.look,
            counted: Moment {
                wall: record.counted,
                steady: now.steady.checked_sub(age).unwrap_or(now.steady),
            },
            interval: None,
        };
        self.view_mut().counts = Some(Arc::new(counts));
    }

    /// Shows what is stored: all of it while the folder is there, nothing after it left.
    pub(super) fn show_stored(&mut self) {
        let there = self.is_there();
        let counters = there.then(|| Arc::clone(&self.stored.counters));
        let record = self.stored.record.as_ref().filter(|_| there);
        let full_read = record.and_then(|record| record.full_read);
        let day = record.map(|record| Arc::clone(&record.day));
        let newest = record.and_then(|record| record.newest.clone());
        let view = self.view_mut();
        view.day = day.unwrap_or_default();
        view.newest = newest;
        view.full_read = full_read;
        view.counters = counters;
    }
}
