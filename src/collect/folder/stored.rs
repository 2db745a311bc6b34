//! The stored data of a folder, and its view.

use std::sync::Arc;
use std::time::Duration;

use super::Folder;
use super::persisted::FolderWrite;
use crate::classify::{ClassSlots, ErrorRow};
use crate::clock::Moment;
use crate::history::oldest;
use crate::snapshot::{Counts, FolderState, FolderView, Unreadable};
use crate::store::{FolderChange, FolderDocument};

impl Folder {
    fn document(&self, class_slots: &ClassSlots) -> FolderDocument {
        let FolderView { id, name, .. } = &*self.view;
        let persisted = &self.persisted;
        FolderDocument {
            name: name.clone(),
            record: persisted.record.clone(),
            class_slots: class_slots.of(*id).cloned().collect(),
            order: persisted.order,
            unreadable: self.unreadable().cloned(),
            departure: persisted.departure,
            excluded: persisted.excluded,
        }
    }

    /// Why its last read did not count it, whether or not the portal can be read.
    fn unreadable(&self) -> Option<&Unreadable> {
        match self.state_before.as_deref().unwrap_or(&self.view.state) {
            FolderState::Unavailable(unreadable) => Some(unreadable),
            FolderState::Unseen | FolderState::Counted | FolderState::Departed(_) => None,
        }
    }

    /// Begins a write of it, unless it is stored as it is. `behind`: how much older the time of the stored count may be.
    pub fn begin_write(
        &mut self,
        class_slots: &ClassSlots,
        behind: Duration,
    ) -> Option<(FolderChange, FolderWrite)> {
        let document = self.document(class_slots);
        self.persisted.begin_write(self.view.id, document, behind)
    }

    /// A write of it ended: shows the counters that the database has now.
    pub fn end_write(&mut self, write: FolderWrite, is_written: bool) {
        self.persisted.end_write(write, is_written);
        self.show_persisted();
    }

    /// Shows the stored count, which is as old as it is, until the first read.
    pub fn show_stored_count(&mut self, errors: Vec<ErrorRow>, now: Moment) {
        let there = self.is_there();
        let Some(record) = self.persisted.record.as_ref().filter(|_| there) else {
            return;
        };
        let age = now.wall.since(record.counted);
        let counts = Counts {
            files: record.counts,
            errors,
            oldest: oldest(&self.persisted.history, |_| true),
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
    pub(super) fn show_persisted(&mut self) {
        let there = self.is_there();
        let counters = there.then(|| Arc::clone(&self.persisted.stored_counters));
        let record = self.persisted.record.as_ref().filter(|_| there);
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
