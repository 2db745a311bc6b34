//! Writes what is known of the portal.
//!
//! Counting never waits for the database: one batch at a time writes the folders that changed meanwhile, as they are when it begins. A
//! collection ends with the batch that writes what it counted.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tracing::{error, info};

use crate::clock::Moment;
use crate::collect::folders::Folders;
use crate::collect::{Collector, Event};
use crate::history::FolderCounters;
use crate::model::{FolderId, PortalName, Timestamp};
use crate::snapshot::{LastRun, PortalView};
use crate::store::{EntryKey, FolderChanges, Lease, PortalDocument, StoreError};

/// Time from the beginning of one batch to the next: what changes meanwhile is written together.
const GAP: Duration = Duration::from_millis(250);

/// Time from the end of a write that failed to the next one.
const GAP_AFTER_FAILURE: Duration = Duration::from_secs(5);

/// A folder of which nothing changes but the time of its count is written when the count that is stored is so much older
/// (docs/operations.md, State).
const MAX_BEHIND: Duration = Duration::from_mins(5);

/// How long folders stay stored of portals that the configuration no longer has.
const PORTALS_STORED: Duration = Duration::from_hours(30 * 24);

const FORGET_PORTALS_EVERY: Duration = Duration::from_hours(1);

/// What is to be written of one portal. Without a lease nothing is stored, and each write succeeds at once.
pub(super) struct Saver {
    lease: Option<Lease>,
    entry: EntryKey,
    waiting: Batch,
    is_writing: bool,
    next: Instant,
    /// Why the database could not be used last, if it could not.
    refused: Option<StoreError>,
    /// The losses of the database after which everything was written once more.
    losses: u64,
    forget_portals_at: Instant,
}

/// What is written together.
#[derive(Default)]
struct Batch {
    /// The folders that may have changed.
    changed: BTreeSet<FolderId>,
    /// Folders to delete.
    forgotten: Vec<FolderId>,
    /// The collections that end with it.
    ends: Vec<LastRun>,
}

/// A write that ended.
pub(super) struct Written {
    result: Result<(), StoreError>,
    took: Duration,
    /// The folders with the counters that were written.
    folders: Vec<(FolderId, Arc<FolderCounters>)>,
    forgotten: Vec<FolderId>,
    ends: Vec<LastRun>,
}

impl Saver {
    pub fn new(lease: Option<Lease>, entry: EntryKey) -> Self {
        let now = Moment::now().steady;
        Self {
            losses: lease.as_ref().map_or(0, Lease::losses),
            lease,
            entry,
            waiting: Batch::default(),
            is_writing: false,
            next: now,
            refused: None,
            forget_portals_at: now,
        }
    }

    /// These folders may have changed.
    pub fn changed(&mut self, folders: impl IntoIterator<Item = FolderId>) {
        self.waiting.changed.extend(folders);
    }

    /// These folders are to be deleted.
    pub fn forget(&mut self, folders: impl IntoIterator<Item = FolderId>) {
        self.waiting.forgotten.extend(folders);
    }

    /// The reads of a collection have ended: it ends with the next write.
    pub fn end_with_next(&mut self, end: LastRun) {
        self.waiting.ends.push(end);
    }

    /// Whether a collection waits for a write, or one is under way.
    pub fn holds_ends(&self) -> bool {
        self.is_writing || !self.waiting.ends.is_empty()
    }

    /// When the next write begins; `None` while there is nothing to write, or a write is under way.
    pub fn due(&self) -> Option<Instant> {
        let Batch { changed, ends, .. } = &self.waiting;
        let has_something = !(changed.is_empty() && ends.is_empty());
        (has_something && !self.is_writing).then_some(self.next)
    }

    /// Whether the database lost what was written to it, so that everything is to be written once more. Said once for each loss.
    fn has_lost(&mut self) -> bool {
        let losses = self.lease.as_ref().map_or(0, Lease::losses);
        std::mem::replace(&mut self.losses, losses) != losses
    }

    /// Begins a write.
    fn write(
        &mut self,
        changes: FolderChanges,
    ) -> impl Future<Output = Result<(), StoreError>> + Send + use<> {
        self.is_writing = true;
        self.next = Moment::now().steady + GAP;
        let (lease, entry) = (self.lease.clone(), self.entry.clone());
        async move {
            match lease {
                Some(lease) => lease.write_folders(entry, changes).await,
                None => Ok(()),
            }
        }
    }

    /// The write that was under way has ended. Logs whether the database can be used, when that changes.
    fn end_write(&mut self, result: &Result<(), StoreError>, portal: &PortalName) {
        self.is_writing = false;
        if *result == Err(StoreError::LostWrites) {
            // All is written at once.
            return;
        }
        let refused = result.as_ref().err();
        match (&self.refused, refused) {
            (None, Some(error)) => {
                error!(%portal, %error, "state cannot be used: counters of entries do not change until it can");
            }
            (Some(_), None) => {
                info!(%portal, "state can be used: counters of entries continue from what is stored");
            }
            (None, None) | (Some(_), Some(_)) => {}
        }
        if refused.is_some() {
            self.next = Moment::now().steady + GAP_AFTER_FAILURE;
        }
        self.refused = refused.cloned();
    }

    /// From time to time: the entries that the configuration has, and the time since when nobody wrote a folder of others that is deleted.
    fn forget_portals(
        &mut self,
        watched: &[Arc<PortalView>],
    ) -> Option<(Vec<EntryKey>, Timestamp)> {
        let now = Moment::now();
        if now.steady < self.forget_portals_at {
            return None;
        }
        self.forget_portals_at = now.steady + FORGET_PORTALS_EVERY;
        // At least those: there are no more entries with one address than entries.
        let entries = |portal: &Arc<PortalView>| {
            let address = portal.address.clone();
            (0..watched.len()).map(move |before| EntryKey::new(&address, before))
        };
        let watched = watched.iter().flat_map(entries).collect();
        Some((watched, now.wall.before(PORTALS_STORED)))
    }

    /// Whether all that is known is stored, or will be soon; `None` if nothing is.
    pub fn writes(&self) -> Option<Result<(), String>> {
        match &self.refused {
            Some(error) => Some(Err(error.to_string())),
            None => self.lease.as_ref().map(|_| Ok(())),
        }
    }
}

impl Collector {
    /// Lets every folder be written that differs from what is stored.
    pub(super) fn save_all(&mut self) {
        self.saver.changed(self.folders.ids(|_| true));
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
            folders.for_each(|folder| folder.stored.was_lost());
            self.save_all();
        }
        let batch = std::mem::take(&mut self.saver.waiting);
        let Folders { by_id, class_slots } = &mut self.folders;
        let change = |id| by_id.get_mut(&id)?.begin_write(class_slots, behind);
        let folders: Vec<_> = batch.changed.into_iter().filter_map(change).collect();
        let (forgotten, ends) = (batch.forgotten, batch.ends);
        if folders.is_empty() && forgotten.is_empty() && ends.is_empty() {
            return;
        }
        let written = folders.iter().map(|change| (change.id, change.counters()));
        let written = written.collect();
        let last_success = ends.iter().filter_map(LastRun::success).max();
        let portals = self.dependencies.publisher.current();
        let changes = FolderChanges {
            folders,
            portal: Some(PortalDocument {
                last_success: last_success.max(self.runs.shown.last_success),
                failing_since: self.list.failing_since(),
            }),
            forgotten: forgotten.clone(),
            unwatched: self.saver.forget_portals(&portals.portals),
        };
        let write = self.saver.write(changes);
        let began = Moment::now();
        self.tasks.spawn(write, move |result| {
            Event::Written(Written {
                // If a panic ended the write, nothing is known to be written.
                result: result.unwrap_or(Err(StoreError::Closed)),
                took: Moment::now().elapsed_since(began),
                folders: written,
                forgotten,
                ends,
            })
        });
    }

    /// A write ended. What was not written waits for the next one; the collections end all the same.
    pub(super) fn written(&mut self, written: Written) {
        let portal = &self.settings.portal.name;
        self.saver.end_write(&written.result, portal);
        self.dependencies.events.wrote("state", written.took);
        let is_written = written.result.is_ok();
        if !is_written {
            self.saver.forget(written.forgotten);
            self.saver
                .changed(written.folders.iter().map(|(id, _)| *id));
        }
        for (id, counters) in written.folders {
            match self.folders.get_mut(id) {
                Some(folder) if is_written => folder.show_written(counters),
                Some(folder) => folder.stored.was_lost(),
                None => {}
            }
        }
        for end in written.ends {
            self.end(end);
        }
    }

    /// Writes all that is not stored, once.
    pub(super) async fn write_all(&mut self) {
        self.end_writes().await;
        self.save_all();
        self.write(Duration::ZERO);
        self.end_writes().await;
    }

    async fn end_writes(&mut self) {
        while self.saver.is_writing {
            if let Some(Event::Written(written)) = self.tasks.next().await {
                self.written(written);
            }
        }
    }
}
