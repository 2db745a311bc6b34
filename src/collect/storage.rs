//! What is to be written to the state, and the write that is under way.
//!
//! Counting never waits for the database: folders that change wait in a queue, each once, and one transaction at a time writes those that
//! wait, as they are then. A collection ends when what was counted by then is written, so its end waits behind the folders.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;
use tracing::{error, info};

use crate::clock::Moment;
use crate::collect::collection::Ending;
use crate::collect::settings::Settings;
use crate::model::{FolderId, PortalAddress, PortalName, Timestamp};
use crate::snapshot::Writes;
use crate::store::{
    Changes, Documents, FolderChange, Refutation, StoreClock, StoreError, StoredPortal, Written,
};

/// Time from the beginning of one write to the next: what changes meanwhile is written together.
const GAP: Duration = Duration::from_millis(250);

/// Folders and ends of collections that one transaction writes, at most.
const MAX_AT_ONCE: usize = 1_000;

/// How long folders stay stored of portals that the configuration no longer has.
const PORTALS_STORED: Duration = Duration::from_hours(30 * 24);

const FORGET_PORTALS_EVERY: Duration = Duration::from_hours(1);

/// The state, as one portal's collector uses it.
pub(super) struct Storage {
    documents: Documents,
    name: PortalName,
    portal: PortalAddress,
    /// Whether what is stored was read. Until then nothing is written: it could replace what is stored.
    is_read: bool,
    is_reading: bool,
    queue: VecDeque<Waiting>,
    in_flight: Option<Batch>,
    next: Instant,
    /// Whether what waits is not written before something else waits, or a collection ends: the last write failed.
    is_held: bool,
    /// Folders to delete.
    forgotten: Vec<FolderId>,
    /// What refutes the portal's sorting, as it is stored.
    refutation: Option<Refutation>,
    /// Since when the list of folders cannot be read, as it is stored.
    failing_since: Option<Timestamp>,
    /// Why the database could not be used last, if it could not.
    refused: Option<StoreError>,
    forget_portals_at: Instant,
}

enum Waiting {
    Folder(FolderId),
    End(Ending),
}

/// What one transaction writes.
#[derive(Default)]
pub(super) struct Batch {
    pub folders: Vec<FolderId>,
    /// The collections that end with it.
    pub ends: Vec<Ending>,
    forgotten: Vec<FolderId>,
    refutation: Option<Refutation>,
    failing_since: Option<Timestamp>,
}

impl Storage {
    pub fn new(documents: Documents, settings: &Settings) -> Self {
        let now = Moment::now().steady;
        Self {
            is_read: !documents.saves(),
            documents,
            name: settings.portal.name.clone(),
            portal: settings.address.clone(),
            is_reading: false,
            queue: VecDeque::new(),
            in_flight: None,
            next: now,
            is_held: false,
            forgotten: Vec::new(),
            refutation: None,
            failing_since: None,
            refused: None,
            forget_portals_at: now,
        }
    }

    pub const fn saves(&self) -> bool {
        self.documents.saves()
    }

    /// Reads what is stored, unless that was done or is under way.
    pub fn begin_read(
        &mut self,
    ) -> Option<impl Future<Output = Result<StoredPortal, StoreError>> + Send + use<>> {
        let begins = !self.is_read && !self.is_reading;
        self.is_reading |= begins;
        let (documents, portal) = (self.documents.clone(), self.portal.clone());
        begins.then_some(async move { documents.load(portal).await })
    }

    /// What is stored was read, or could not be.
    pub fn read(&mut self, result: Result<StoredPortal, StoreError>) -> Option<StoredPortal> {
        self.is_reading = false;
        self.is_read = result.is_ok();
        self.note_use(result.as_ref().err());
        let stored = result.ok()?;
        self.refutation.clone_from(&stored.document.refutation);
        self.failing_since = stored.document.failing_since;
        Some(stored)
    }

    /// A folder is to be written, which does not wait yet.
    pub fn push(&mut self, folder: FolderId) {
        self.queue.push_back(Waiting::Folder(folder));
        self.is_held = false;
    }

    /// Of a write that has ended, these are to be written once more, before all others.
    pub fn push_again(&mut self, folders: Vec<FolderId>, ends: Vec<Ending>) {
        let ends = ends.into_iter().map(Waiting::End);
        let again = folders.into_iter().map(Waiting::Folder).chain(ends);
        let others = std::mem::take(&mut self.queue);
        self.queue = again.chain(others).collect();
    }

    /// Folders are to be deleted.
    pub fn forget(&mut self, folders: impl IntoIterator<Item = FolderId>) {
        self.forgotten.extend(folders);
    }

    /// The reads of a collection have ended; returns it if nothing is to be written before it ends.
    pub fn push_end(&mut self, end: Ending) -> Option<Ending> {
        if !self.saves() || !self.is_read {
            return Some(end);
        }
        self.queue.push_back(Waiting::End(end));
        self.is_held = false;
        None
    }

    /// Whether the end of a collection waits.
    pub fn holds_ends(&self) -> bool {
        let in_flight = self.in_flight.as_ref();
        in_flight.is_some_and(|batch| !batch.ends.is_empty())
            || self.queue.iter().any(|it| matches!(it, Waiting::End(_)))
    }

    /// What could not be written is tried again.
    pub fn try_again(&mut self) {
        self.is_held = false;
    }

    pub const fn is_writing(&self) -> bool {
        self.in_flight.is_some()
    }

    /// When the next write begins; `None` while there is nothing to write, or a write is under way.
    pub fn due(&self) -> Option<Instant> {
        let may_begin = self.is_read && !self.is_held && self.in_flight.is_none();
        (may_begin && !self.queue.is_empty()).then_some(self.next)
    }

    /// What the next write has, which begins now.
    pub fn next_batch(&mut self, now: Instant) -> Batch {
        self.next = now + GAP;
        let mut batch = Batch {
            forgotten: std::mem::take(&mut self.forgotten),
            ..Batch::default()
        };
        let size = self.queue.len().min(MAX_AT_ONCE);
        for waiting in self.queue.drain(..size) {
            match waiting {
                Waiting::Folder(folder) => batch.folders.push(folder),
                Waiting::End(end) => batch.ends.push(end),
            }
        }
        batch
    }

    /// Writes a batch, with these changes of its folders.
    pub fn write(
        &mut self,
        batch: Batch,
        folders: Vec<FolderChange>,
        refutation: Option<Refutation>,
        failing_since: Option<Timestamp>,
        watched: Vec<PortalAddress>,
    ) -> impl Future<Output = Written> + Send + use<> {
        let ends = !batch.ends.is_empty();
        let changes = Changes {
            last_success: batch.ends.iter().filter_map(|end| end.success).max(),
            refutation: (refutation != self.refutation).then(|| refutation.clone()),
            failing_since: (failing_since != self.failing_since).then_some(failing_since),
            forgotten: batch.forgotten.clone(),
            unwatched: ends.then(|| self.forget_portals(watched)).flatten(),
            folders,
        };
        self.in_flight = Some(Batch {
            refutation,
            failing_since,
            ..batch
        });
        let (documents, portal) = (self.documents.clone(), self.portal.clone());
        async move { documents.write(portal, changes).await }
    }

    /// The write that was under way has ended; returns what it had. If it failed, every collection ends that waits.
    pub fn end_write(&mut self, refused: Option<&StoreError>) -> Option<Batch> {
        let mut batch = self.in_flight.take()?;
        self.note_use(refused);
        if refused.is_none() {
            self.refutation = batch.refutation.take();
            self.failing_since = batch.failing_since;
        } else {
            self.is_held = true;
            self.forgotten.append(&mut batch.forgotten);
            for waiting in std::mem::take(&mut self.queue) {
                match waiting {
                    Waiting::Folder(_) => self.queue.push_back(waiting),
                    Waiting::End(end) => batch.ends.push(end),
                }
            }
        }
        Some(batch)
    }

    /// From time to time: the portals that the configuration has, and the time since when nobody wrote a folder of others that is deleted.
    fn forget_portals(
        &mut self,
        watched: Vec<PortalAddress>,
    ) -> Option<(Vec<PortalAddress>, Timestamp)> {
        let now = self.now();
        if now.steady < self.forget_portals_at {
            return None;
        }
        self.forget_portals_at = now.steady + FORGET_PORTALS_EVERY;
        Some((watched, now.wall.before(PORTALS_STORED)))
    }

    /// The clock of the times that are stored.
    pub fn clock(&self) -> StoreClock {
        self.documents.clock().clone()
    }

    /// The time by that clock.
    pub fn now(&self) -> Moment {
        self.documents.clock().now()
    }

    /// Whether all that is known is stored, or will be soon.
    pub fn writes(&self) -> Writes {
        match &self.refused {
            Some(error) => Writes::Refused(error.to_string()),
            None if !self.is_read => Writes::Refused(StoreError::NotOpened.to_string()),
            None if self.saves() => Writes::Succeed,
            None => Writes::Off,
        }
    }

    /// Notes whether the database could be used, and logs when that changes.
    fn note_use(&mut self, refused: Option<&StoreError>) {
        match (&self.refused, refused) {
            (None, Some(error)) => {
                error!(portal = %self.name, %error, "state cannot be used: counters of entries do not change until it can");
            }
            (Some(_), None) => {
                info!(portal = %self.name, "state can be used: counters of entries continue from what is stored");
            }
            (None, None) | (Some(_), Some(_)) => {}
        }
        self.refused = refused.cloned();
    }
}
