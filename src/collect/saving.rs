//! Writes the folders of a collector that change.

use std::time::Duration;

use crate::clock::Moment;
use crate::collect::persisted_folder::MAX_BEHIND;
use crate::collect::saver::Written;
use crate::collect::{Collector, Event};
use crate::model::FolderId;
use crate::store::StoreError;

impl Collector {
    /// Assigns class slots, and writes the folders that changed by that.
    pub(super) fn assign_classes(&mut self) {
        let changed = self.folders.assign_classes();
        self.save(changed, MAX_BEHIND);
    }

    /// Lets the folders be written that are not stored as they are. `behind`: how much older the time of a stored count may be.
    pub(super) fn save(&mut self, ids: impl IntoIterator<Item = FolderId>, behind: Duration) {
        for id in ids {
            let (class_slots, Some(folder)) = self.folders.with_class_slots(id) else {
                continue;
            };
            if !self.saver.saves() {
                folder.need_not_be_stored();
            } else if !self.saver.has(id) && folder.is_unsaved(class_slots, behind) {
                self.saver.push(id);
            }
        }
    }

    pub(super) fn save_all(&mut self, behind: Duration) {
        self.save(self.folders.ids(|_| true), behind);
    }

    /// Begins a write, if something is to be written by now and no other one is under way.
    pub(super) fn start_write(&mut self) {
        let now = Moment::now().steady;
        if self.saver.due().is_some_and(|due| due <= now) {
            self.write(now);
        }
    }

    fn write(&mut self, now: tokio::time::Instant) {
        if self.saver.has_lost() {
            for folder in self.folders.iter_mut() {
                folder.persisted.was_lost();
            }
            self.save_all(Duration::ZERO);
        }
        let batch = self.saver.next_batch(now);
        let mut changes = Vec::new();
        for id in &batch.folders {
            if let (class_slots, Some(folder)) = self.folders.with_class_slots(*id) {
                changes.push(folder.begin_write(class_slots));
            }
        }
        let current = self.dependencies.publisher.current();
        let failing_since = self.list.failing_since();
        let write = self
            .saver
            .write(batch, changes, failing_since, &current.portals);
        self.tasks.spawn(write, |written| {
            // If a panic ended the write, nothing is known to be written.
            Event::Written(written.unwrap_or(Written {
                result: Err(StoreError::Closed),
                took: Duration::ZERO,
            }))
        });
    }

    /// A write ended. What was not written is written with the next batch.
    pub(super) fn written(&mut self, written: &Written) {
        let Some(batch) = self.saver.end_write(written.result.as_ref().err()) else {
            return;
        };
        self.dependencies.events.wrote("state", written.took);
        let is_written = written.result.is_ok();
        for id in &batch.folders {
            if let Some(folder) = self.folders.get_mut(*id) {
                folder.write_ended(is_written);
            }
        }
        if !is_written {
            self.save(batch.folders, MAX_BEHIND);
        }
        if !is_written && written.result != Err(StoreError::LostWrites) {
            self.saver.hold();
        }
        for ending in &batch.ends {
            self.end(ending);
        }
    }

    /// Writes all that is not stored.
    pub(super) async fn write_all(&mut self) {
        self.save_all(Duration::ZERO);
        self.saver.try_again();
        loop {
            if self.saver.due().is_some() {
                self.write(Moment::now().steady);
            }
            if !self.saver.is_writing() {
                return;
            }
            if let Some(Event::Written(written)) = self.tasks.next().await {
                self.written(&written);
            }
        }
    }
}
