//! Writes the folders of a collector that change.

use std::time::Duration;

use crate::clock::Moment;
use crate::collect::collection::Ending;
use crate::collect::folder::persisted::FolderWrite;
use crate::collect::saver::Batch;
use crate::collect::{Collector, Event};
use crate::model::FolderId;
use crate::store::{PortalDocument, StoreError};

/// A folder of which nothing changes but the time of its count is written when the count that is stored is so much older
/// (docs/operations.md, State).
const MAX_BEHIND: Duration = Duration::from_mins(5);

/// A write that ended.
pub(super) struct Written {
    result: Result<(), StoreError>,
    took: Duration,
    folders: Vec<FolderWrite>,
    forgotten: Vec<FolderId>,
    ends: Vec<Ending>,
}

impl Collector {
    /// Assigns class slots, and writes the folders that changed by that.
    pub(super) fn assign_classes(&mut self) {
        let changed = self.folders.assign_classes();
        self.save(changed);
    }

    /// Lets the folders be written that differ from what is stored.
    pub(super) fn save(&mut self, folders: impl IntoIterator<Item = FolderId>) {
        self.saver.changed(folders);
    }

    pub(super) fn save_all(&mut self) {
        self.save(self.folders.ids(|_| true));
    }

    /// Begins a write, if something is to be written by now and no other one is under way.
    pub(super) fn start_write(&mut self) {
        let now = Moment::now().steady;
        if self.saver.due().is_some_and(|due| due <= now) {
            self.write(MAX_BEHIND);
        }
    }

    /// Begins a write of what waits. `behind`: how much older the time of a stored count may be.
    fn write(&mut self, behind: Duration) {
        if self.saver.has_lost() {
            let folders = self.folders.iter_mut();
            folders.for_each(|folder| folder.persisted.was_lost());
            self.save_all();
        }
        let Batch {
            folders: waiting,
            ends,
            forgotten,
        } = self.saver.next_batch();
        let (mut changes, mut folders) = (Vec::new(), Vec::new());
        for id in waiting {
            let (class_slots, folder) = self.folders.with_class_slots(id);
            if let Some((change, write)) =
                folder.and_then(|folder| folder.begin_write(class_slots, behind))
            {
                changes.push(change);
                folders.push(write);
            }
        }
        if changes.is_empty() && forgotten.is_empty() && ends.is_empty() {
            return;
        }
        let success = ends.iter().filter_map(|end| end.success).max();
        let portal = PortalDocument {
            last_success: success.max(self.log.shown.last_success),
            failing_since: self.list.failing_since(),
        };
        let portals = self.dependencies.publisher.current();
        let unwatched = self.saver.forget_portals(&portals.portals);
        let write = self
            .saver
            .write(changes, forgotten.clone(), portal, unwatched);
        let began = Moment::now();
        self.tasks.spawn(write, move |result| {
            Event::Written(Written {
                // If a panic ended the write, nothing is known to be written.
                result: result.unwrap_or(Err(StoreError::Closed)),
                took: Moment::now().elapsed_since(began),
                folders,
                forgotten,
                ends,
            })
        });
    }

    /// A write ended. What was not written waits for the next one; the collections end all the same.
    pub(super) fn written(&mut self, written: Written) {
        self.saver.end_write(&written.result);
        self.dependencies.events.wrote("state", written.took);
        let is_written = written.result.is_ok();
        if !is_written {
            self.save(written.folders.iter().map(|folder| folder.id));
            self.saver.forget(written.forgotten);
        }
        for write in written.folders {
            if let Some(folder) = self.folders.get_mut(write.id) {
                folder.end_write(write, is_written);
            }
        }
        for ending in &written.ends {
            self.end(ending);
        }
    }

    /// Writes all that is not stored, once.
    pub(super) async fn write_all(&mut self) {
        while self.saver.is_writing() {
            self.next_written().await;
        }
        self.save_all();
        self.write(Duration::ZERO);
        while self.saver.is_writing() {
            self.next_written().await;
        }
    }

    async fn next_written(&mut self) {
        if let Some(Event::Written(written)) = self.tasks.next().await {
            self.written(written);
        }
    }
}
