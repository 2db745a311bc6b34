//! The stored data of a folder, and its view.

use std::sync::Arc;

use super::Folder;
use crate::classify::{ClassCounts, ClassSlots, ErrorRow};
use crate::clock::Moment;
use crate::collect::persisted_folder::PersistedFolder;
use crate::model::PortalName;
use crate::snapshot::{Counts, FolderView};
use crate::state::{FolderChange, SavedFolder, SqlError};

impl Folder {
    /// The changes that update the disk.
    pub fn change(&self, portal: &PortalName, class_slots: &ClassSlots) -> FolderChange {
        let FolderView { id, name, .. } = &*self.view;
        let class_slots = class_slots.of(*id).cloned().collect();
        FolderChange {
            portal: portal.clone(),
            id: *id,
            folder: self.persisted.change(name.clone(), class_slots),
        }
    }

    /// Notes the result of writing the change, and shows the counters that the disk has now.
    pub fn written(&mut self, result: &Result<(), SqlError>) {
        self.persisted.written(result);
        if result.is_ok() {
            self.unwritten = None;
        }
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
            oldest: self.persisted.history.stored_oldest(),
            look: record.look,
            counted: Moment {
                wall: record.counted,
                steady: now.steady.checked_sub(age).unwrap_or(now.steady),
            },
            interval: None,
        };
        self.view_mut().counts = Some(Arc::new(counts));
    }

    /// Another process that counts the folder wrote first: its history holds, so that the counters are one sequence. Returns whether the last
    /// count adds to it.
    pub fn replace_history(&mut self, saved: SavedFolder) -> bool {
        self.persisted.replace(saved);
        self.show_persisted();
        let PersistedFolder {
            record, history, ..
        } = &self.persisted;
        let Some(unwritten) = &self.unwritten else {
            return false;
        };
        let update = unwritten.update(record.as_ref(), history);
        let adds = update.is_some();
        if let Some(update) = update {
            self.persisted.update(update, &unwritten.count);
        }
        adds
    }

    /// Shows what is stored: all of it while the folder is there, nothing after it left.
    pub(super) fn show_persisted(&mut self) {
        let there = self.is_there();
        let counters = self.persisted.counters_on_disk().filter(|_| there);
        let record = self.persisted.record.as_ref().filter(|_| there);
        let last_success = record.map(|record| record.counted);
        let full_read = record.and_then(|record| record.full_read);
        let view = self.view_mut();
        view.last_success = last_success;
        view.full_read = full_read;
        view.counters = counters;
    }
}
