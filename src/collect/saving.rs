//! Reads the stored folders of a collector, and writes those that change.

use std::time::Duration;

use crate::clock::Moment;
use crate::collect::persisted_folder::MAX_BEHIND;
use crate::collect::{Collector, Event};
use crate::model::{FolderId, Timestamp};
use crate::store::{Answer, StoreError, StoredPortal, Written};

/// How long the first collection waits for what is stored. It is compared with it all the same when it comes later.
const MAX_READ: Duration = Duration::from_secs(2);

impl Collector {
    /// Reads what is stored of the portal, and continues from it. What takes long or fails is done or tried again beside the collections.
    pub async fn read_state(&mut self) {
        self.begin_read();
        let read = self.tasks.next();
        if let Ok(Some(Event::StateRead(read))) = tokio::time::timeout(MAX_READ, read).await {
            self.state_read(*read);
        }
        self.publish();
    }

    /// Begins to read what is stored, unless that was done or is under way.
    pub(super) fn begin_read(&mut self) {
        if let Some(read) = self.storage.begin_read() {
            self.tasks.spawn(read, |read| {
                Event::StateRead(Box::new(read.unwrap_or(Err(StoreError::Closed))))
            });
        }
    }

    pub(super) fn state_read(&mut self, read: Result<StoredPortal, StoreError>) {
        let Some(stored) = self.storage.read(read) else {
            return;
        };
        let clock_ahead = self.storage.clock().ahead();
        let here = |at: Option<Timestamp>| at.map(|at| at.moved(clock_ahead.saturating_neg()));
        self.log.restore(here(stored.document.last_success));
        self.list.restore(here(stored.document.failing_since));
        let now = self.storage.now();
        self.folders.take_up(stored.folders, now, clock_ahead);
        if let Some(refutation) = stored.document.refutation {
            self.refute(refutation);
        }
        self.folders.exclude_others(&self.settings, now.wall);
        self.save_all(MAX_BEHIND);
    }

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
            if !self.storage.saves() {
                folder.need_not_be_stored();
            } else if folder.queue_write(class_slots, behind) {
                self.storage.push(id);
            }
        }
    }

    pub(super) fn save_all(&mut self, behind: Duration) {
        self.save(self.folders.ids(|_| true), behind);
    }

    /// Begins a write, if something is to be written by now and no other one is under way.
    pub(super) fn start_write(&mut self) {
        let now = Moment::now().steady;
        if self.storage.due().is_some_and(|due| due <= now) {
            self.write(now);
        }
    }

    fn write(&mut self, now: tokio::time::Instant) {
        let batch = self.storage.next_batch(now);
        let mut changes = Vec::new();
        for id in &batch.folders {
            if let (class_slots, Some(folder)) = self.folders.with_class_slots(*id) {
                changes.push(folder.begin_write(class_slots));
            }
        }
        let current = self.dependencies.publisher.current();
        let watched = current.portals.iter();
        let watched = watched.map(|portal| portal.address.clone()).collect();
        let refutation = self.sorting.refutation().cloned();
        let ahead = self.storage.clock().ahead();
        let failing_since = self.list.failing_since();
        let failing_since = failing_since.map(|at| at.moved(ahead));
        let write = self
            .storage
            .write(batch, changes, refutation, failing_since, watched);
        self.tasks.spawn(write, |written| {
            Event::Written(written.unwrap_or_else(no_answer))
        });
    }

    /// A write ended. What was not written waits once more, and with it the ends of collections, unless the database refuses writes.
    pub(super) fn written(&mut self, written: Written) {
        let Some(batch) = self.storage.end_write(written.answers.as_ref().err()) else {
            return;
        };
        self.dependencies.events.wrote("state", written.took);
        let is_refused = written.answers.is_err();
        let answers: Vec<_> = match written.answers {
            Ok(answers) => {
                let answers = answers.into_iter();
                answers.map(|(id, answer)| (id, Some(answer))).collect()
            }
            Err(_) => batch.folders.into_iter().map(|id| (id, None)).collect(),
        };
        let mut again = Vec::new();
        for (id, answer) in answers {
            let is_written = matches!(answer, Some(Answer::Written(_)));
            if let (class_slots, Some(folder)) = self.folders.with_class_slots(id) {
                folder.answered(answer, class_slots);
                if !is_written && folder.queue_write(class_slots, MAX_BEHIND) {
                    again.push(id);
                }
            }
        }
        let (ended, waiting) = if is_refused || again.is_empty() {
            (batch.ends, Vec::new())
        } else {
            (Vec::new(), batch.ends)
        };
        self.storage.push_again(again, waiting);
        for ending in ended {
            self.end(&ending);
        }
    }

    /// After a panic, nobody hears of the write that is under way.
    pub(super) fn forget_write(&mut self) {
        self.written(no_answer());
    }

    /// Writes all that is not stored.
    pub(super) async fn write_all(&mut self) {
        self.save_all(Duration::ZERO);
        self.storage.try_again();
        loop {
            if self.storage.due().is_some() {
                self.write(Moment::now().steady);
            }
            if !self.storage.is_writing() {
                return;
            }
            if let Some(Event::Written(written)) = self.tasks.next().await {
                self.written(written);
            }
        }
    }
}

/// If a panic ended the write, nothing is known to be written.
fn no_answer() -> Written {
    Written {
        answers: Err(StoreError::Closed),
        took: Duration::ZERO,
    }
}
