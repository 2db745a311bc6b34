//! What is to be written to the state, and the write that is under way.
//!
//! Counting never waits for the database: folders that change wait in a queue, each once, and one transaction at a time writes those that
//! wait, as they are then.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;
use tracing::{error, info};

use crate::clock::Moment;
use crate::collect::settings::Settings;
use crate::model::{FolderId, PortalAddress, PortalName, Shard, Timestamp};
use crate::snapshot::Writes;
use crate::store::{
    Changes, Documents, FolderChange, Refutation, StoreClock, StoreError, StoredPortal, Written,
};

/// Time from the beginning of one write to the next: what changes meanwhile is written together.
const GAP: Duration = Duration::from_millis(250);

/// Folders that one transaction writes, at most.
const MAX_FOLDERS: usize = 1_000;

/// How long folders stay stored of portals that the configuration no longer has.
const PORTALS_STORED: Duration = Duration::from_hours(30 * 24);

const FORGET_PORTALS_EVERY: Duration = Duration::from_hours(1);

/// The state, as one portal's collector uses it.
pub(super) struct Storage {
    documents: Documents,
    name: PortalName,
    portal: PortalAddress,
    shard: Shard,
    /// Whether what is stored was read. Until then nothing is written: it could replace what is stored.
    is_read: bool,
    is_reading: bool,
    queue: VecDeque<FolderId>,
    /// The end of a collection, which waits behind the folders.
    end: Option<End>,
    /// Folders and ends of collections that were written so far.
    written: u64,
    in_flight: Option<InFlight>,
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

/// A collection that ended; when, if every folder was counted.
#[derive(Clone, Copy)]
struct End {
    success: Option<Timestamp>,
}

/// A write that is under way.
struct InFlight {
    folders: Vec<FolderId>,
    end: Option<End>,
    forgotten: Vec<FolderId>,
    refutation: Option<Refutation>,
    failing_since: Option<Timestamp>,
}

impl InFlight {
    /// Folders and ends of collections.
    fn len(&self) -> u64 {
        self.folders.len() as u64 + u64::from(self.end.is_some())
    }
}

impl Storage {
    pub fn new(documents: Documents, settings: &Settings) -> Self {
        let now = Moment::now().steady;
        Self {
            is_read: !documents.saves(),
            documents,
            name: settings.portal.name.clone(),
            portal: settings.address.clone(),
            shard: settings.shard,
            is_reading: false,
            queue: VecDeque::new(),
            end: None,
            written: 0,
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
        let (documents, portal, shard) = (self.documents.clone(), self.portal.clone(), self.shard);
        begins.then_some(async move { documents.load(portal, shard).await })
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
        self.queue.push_back(folder);
        self.is_held = false;
    }

    /// Of the write that has just ended, this folder is to be written once more.
    pub fn push_again(&mut self, folder: FolderId) {
        self.queue.push_front(folder);
        self.written = self.written.saturating_sub(1);
    }

    /// Folders are to be deleted.
    pub fn forget(&mut self, folders: impl IntoIterator<Item = FolderId>) {
        self.forgotten.extend(folders);
    }

    /// A collection has ended; `success`: when, if every folder was counted. Returns what [`Self::has_written`] takes.
    pub fn end_collection(&mut self, success: Option<Timestamp>) -> u64 {
        if !self.saves() || !self.is_read {
            return 0;
        }
        self.try_again();
        let before = self.end.and_then(|end| end.success);
        self.end = Some(End {
            success: success.max(before),
        });
        let in_flight = self.in_flight.as_ref().map_or(0, InFlight::len);
        self.written + in_flight + self.queue.len() as u64 + 1
    }

    /// Whether all that waited at the end of a collection was written, or could not be.
    pub const fn has_written(&self, end: u64) -> bool {
        self.is_held || self.written >= end
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
        let waits = !self.queue.is_empty() || self.end.is_some();
        let may_begin = self.is_read && !self.is_held && self.in_flight.is_none();
        (waits && may_begin).then_some(self.next)
    }

    /// The folders that the next write has, which begins now.
    pub fn begin_write(&mut self, now: Instant) -> Vec<FolderId> {
        self.next = now + GAP;
        let folders = self.queue.len().min(MAX_FOLDERS);
        self.queue.drain(..folders).collect()
    }

    /// What is written with these folders, of those that the write has.
    pub fn write(
        &mut self,
        folders: Vec<FolderId>,
        changes: Vec<FolderChange>,
        refutation: Option<Refutation>,
        failing_since: Option<Timestamp>,
        watched: Vec<PortalAddress>,
    ) -> impl Future<Output = Written> + Send + use<> {
        let end = self.end.take_if(|_| self.queue.is_empty());
        let changes = Changes {
            last_success: end.and_then(|end| end.success),
            refutation: (refutation != self.refutation).then(|| refutation.clone()),
            failing_since: (failing_since != self.failing_since).then_some(failing_since),
            forgotten: std::mem::take(&mut self.forgotten),
            unwatched: end.and_then(|_| self.forget_portals(watched)),
            folders: changes,
        };
        self.in_flight = Some(InFlight {
            folders,
            end,
            forgotten: changes.forgotten.clone(),
            refutation,
            failing_since,
        });
        let (documents, portal, shard) = (self.documents.clone(), self.portal.clone(), self.shard);
        async move { documents.write(portal, shard, changes).await }
    }

    /// The write that was under way has ended. If it failed, returns its folders, which the caller lets wait once more
    /// ([`Self::wait_again`]).
    pub fn end_write(&mut self, refused: Option<&StoreError>) -> Vec<FolderId> {
        let Some(in_flight) = self.in_flight.take() else {
            return Vec::new();
        };
        self.note_use(refused);
        self.written += in_flight.len();
        if refused.is_none() {
            self.refutation = in_flight.refutation;
            self.failing_since = in_flight.failing_since;
            return Vec::new();
        }
        self.is_held = true;
        self.forgotten.extend(in_flight.forgotten);
        in_flight.folders
    }

    /// A folder waits once more that could not be written.
    pub fn wait_again(&mut self, folder: FolderId) {
        self.queue.push_front(folder);
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
