//! The stored data of a folder, and its view.

use std::sync::Arc;
use std::time::Duration;

use super::Folder;
use crate::classify::{ClassCounts, ClassSlots, ErrorRow};
use crate::clock::Moment;
use crate::history::{FullRead, Update, apply};
use crate::model::{ByStatus, Timestamp};
use crate::snapshot::{Counts, FolderView};
use crate::store::{Answer, FolderChange, FolderDocument, StoredFolder};

impl Folder {
    fn document(&self, class_slots: &ClassSlots) -> FolderDocument {
        let FolderView { id, name, .. } = &*self.view;
        let persisted = &self.persisted;
        FolderDocument {
            name: name.clone(),
            record: persisted.record.clone(),
            class_slots: class_slots.of(*id).cloned().collect(),
            departure: persisted.departure,
            excluded: persisted.excluded,
        }
    }

    /// Notes that it waits to be written, if it is to be; returns whether it did not wait before. `behind`: how much older the time of the
    /// stored count may be.
    pub fn queue_write(&mut self, class_slots: &ClassSlots, behind: Duration) -> bool {
        if self.persisted.is_queued {
            return false;
        }
        let document = self.document(class_slots);
        self.persisted.queue_write(&document, behind)
    }

    /// A write of it begins.
    pub fn begin_write(&mut self, class_slots: &ClassSlots) -> FolderChange {
        let document = self.document(class_slots);
        self.persisted.begin_write(self.view.id, document)
    }

    /// A write of it ended, or failed: shows the counters that the database has now.
    pub fn answered(&mut self, answer: Option<Answer>, class_slots: &mut ClassSlots) {
        match answer {
            Some(Answer::Written(revision)) => self.persisted.written(revision),
            Some(Answer::Older) => self.persisted.was_lost(),
            Some(Answer::Newer(stored)) => self.take_over(*stored, class_slots),
            None => self.persisted.not_written(),
        }
        self.show_persisted();
    }

    /// Nothing is stored: shows all counters.
    pub fn need_not_be_stored(&mut self) {
        self.persisted.need_not_be_stored();
        self.show_persisted();
    }

    /// The failed and flagged files of the stored count by class.
    pub fn stored_classes(&self) -> Option<ClassCounts> {
        let record = self.persisted.record.as_ref()?;
        Some(self.persisted.history.stored_classes(&record.counts))
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
            oldest: self.shown_oldest(self.persisted.history.stored_oldest()),
            look: record.look,
            counted: Moment {
                wall: self.shown_time(record.counted),
                steady: now.steady.checked_sub(age).unwrap_or(now.steady),
            },
            interval: None,
        };
        self.view_mut().counts = Some(Arc::new(counts));
    }

    /// Another process that counts the folder wrote first: its history and its class slots hold, so that the counters are one sequence and all
    /// processes show the same classes. What a later count of this process adds to them is added.
    pub fn take_over(&mut self, stored: StoredFolder, class_slots: &mut ClassSlots) {
        let id = self.view.id;
        let slots = stored.document.class_slots.clone();
        self.persisted.take_over(stored);
        let counted = self.view.counts.as_ref();
        let history = &self.persisted.history;
        let classes = counted.map(|counts| history.stored_classes(&counts.files));
        let mut errors = class_slots.restore(id, slots, classes.as_ref());
        if let Some(read) = self.persisted.unwritten.take() {
            let (history, record) = (&self.persisted.history, self.persisted.record.as_ref());
            if record.is_none_or(|record| record.began < read.began.wall) {
                let update = record.map(|record| apply(Some(record), history, &read));
                // A version with the same counters has all of the count.
                let counters = record.map(|record| &record.counters);
                let adds = |update: &Update| Some(&update.record.counters) != counters;
                if let Some(update) = update.filter(adds) {
                    self.persisted.update(update, &read.count);
                }
                let classes = self.persisted.history.classes(&read.count);
                errors = class_slots.count(id, &classes, read.ended.wall, false);
            }
            self.persisted.unwritten = Some(read);
        }
        self.show_errors(errors);
        self.show_persisted();
    }

    /// A stored time by the clock of this machine.
    pub(super) fn shown_time(&self, at: Timestamp) -> Timestamp {
        at.moved(self.clock_ahead.saturating_neg())
    }

    pub(super) fn shown_oldest(
        &self,
        oldest: ByStatus<Option<Timestamp>>,
    ) -> ByStatus<Option<Timestamp>> {
        ByStatus::from_fn(|status| oldest[status].map(|at| self.shown_time(at)))
    }

    /// Shows what is stored: all of it while the folder is there, nothing after it left.
    pub(super) fn show_persisted(&mut self) {
        let there = self.is_there();
        let counters = self.persisted.stored_counters().filter(|_| there);
        let record = self.persisted.record.as_ref().filter(|_| there);
        let last_success = record.map(|record| self.shown_time(record.counted));
        let full_read = record.and_then(|record| record.full_read);
        let full_read = full_read.map(|full| FullRead {
            at: self.shown_time(full.at),
            ..full
        });
        let day = record.map(|record| Arc::clone(&record.day));
        let newest = record.and_then(|record| record.newest.clone());
        let view = self.view_mut();
        view.day = day.unwrap_or_default();
        view.newest = newest;
        view.last_success = last_success;
        view.full_read = full_read;
        view.counters = counters;
    }
}
