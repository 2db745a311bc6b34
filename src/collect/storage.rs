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
    /// Why what is stored was not read, if it was not. Until then nothing is written: it could replace what is stored.
    unread: Option<StoreError>,
    is_reading: bool,
    queue: VecDeque<FolderId>,
    /// The end of a collection, which waits behind the folders.
    end: Option<End>,
    /// Folders and ends of collections that ever waited, and those of which a write has ended.
    queued: u64,
    ended: u64,
    in_flight: Option<InFlight>,
    next: Instant,
    /// Folders to delete.
    forgotten: Vec<FolderId>,
    /// What refutes the portal's sorting, as it is stored.
    refutation: Option<Refutation>,
    /// Why the end of the last collection could not be written, if it could not.
    refused: Option<StoreError>,
    /// The last refusal that was logged and still holds.
    error: Option<String>,
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
    ends_collection: bool,
    forgotten: Vec<FolderId>,
    refutation: Option<Refutation>,
}

impl Storage {
    pub fn new(documents: Documents, settings: &Settings) -> Self {
        let now = Moment::now().steady;
        Self {
            unread: documents.saves().then_some(StoreError::NotOpened),
            documents,
            name: settings.portal.name.clone(),
            portal: settings.address.clone(),
            shard: settings.shard,
            is_reading: false,
            queue: VecDeque::new(),
            end: None,
            queued: 0,
            ended: 0,
            in_flight: None,
            next: now,
            forgotten: Vec::new(),
            refutation: None,
            refused: None,
            error: None,
            forget_portals_at: now,
        }
    }

    pub const fn saves(&self) -> bool {
        self.documents.saves()
    }

    /// Why what is stored was not read yet, if it was not.
    pub const fn unread(&self) -> Option<&StoreError> {
        self.unread.as_ref()
    }

    /// Reads what is stored, unless that was done or is under way.
    pub fn begin_read(
        &mut self,
    ) -> Option<impl Future<Output = Result<StoredPortal, StoreError>> + Send + use<>> {
        let begins = self.unread.is_some() && !self.is_reading;
        self.is_reading |= begins;
        let (documents, portal, shard) = (self.documents.clone(), self.portal.clone(), self.shard);
        begins.then_some(async move { documents.load(portal, shard).await })
    }

    /// What is stored was read, or could not be.
    pub fn read(&mut self, result: Result<StoredPortal, StoreError>) -> Option<StoredPortal> {
        self.is_reading = false;
        if let Err(error) = &result {
            self.log_refusal(error);
        }
        self.unread = result.as_ref().err().cloned();
        let stored = result.ok()?;
        self.refutation.clone_from(&stored.document.refutation);
        Some(stored)
    }

    /// A folder is to be written, which does not wait yet.
    pub fn push(&mut self, folder: FolderId) {
        self.queue.push_back(folder);
        self.queued += 1;
    }

    /// Of the write that has just ended, this folder is to be written once more.
    pub fn push_again(&mut self, folder: FolderId) {
        self.queue.push_front(folder);
        self.ended -= 1;
    }

    /// Folders are to be deleted.
    pub fn forget(&mut self, folders: impl IntoIterator<Item = FolderId>) {
        self.forgotten.extend(folders);
    }

    /// A collection has ended; `success`: when, if every folder was counted. Returns what [`Self::has_written`] takes.
    pub fn end_collection(&mut self, success: Option<Timestamp>) -> u64 {
        if !self.saves() || self.unread.is_some() {
            return 0;
        }
        self.queued += u64::from(self.end.is_none());
        let before = self.end.and_then(|end| end.success);
        self.end = Some(End {
            success: success.max(before),
        });
        self.queued
    }

    /// Whether all that waited at the end of a collection was written, or could not be.
    pub const fn has_written(&self, end: u64) -> bool {
        self.ended >= end
    }

    pub const fn is_writing(&self) -> bool {
        self.in_flight.is_some()
    }

    /// When the next write begins; `None` while there is nothing to write, or a write is under way.
    pub fn due(&self) -> Option<Instant> {
        let waits = self.queued > self.ended && self.in_flight.is_none();
        waits.then_some(self.next)
    }

    /// The folders that the next write has, which begins now.
    pub fn begin_write(&mut self, now: Instant) -> Vec<FolderId> {
        self.next = now + GAP;
        let folders = self.queue.len().min(MAX_FOLDERS);
        self.queue.drain(..folders).collect()
    }

    /// What is written with these folders.
    pub fn write(
        &mut self,
        folders: Vec<FolderChange>,
        refutation: Option<Refutation>,
        watched: Vec<PortalAddress>,
    ) -> impl Future<Output = Written> + Send + use<> {
        let end = self.end.take_if(|_| self.queue.is_empty());
        let changes = Changes {
            last_success: end.and_then(|end| end.success),
            refutation: (refutation != self.refutation).then(|| refutation.clone()),
            forgotten: std::mem::take(&mut self.forgotten),
            unwatched: end.and_then(|_| self.forget_portals(watched)),
            folders,
        };
        self.in_flight = Some(InFlight {
            folders: changes.folders.iter().map(|change| change.id).collect(),
            ends_collection: end.is_some(),
            forgotten: changes.forgotten.clone(),
            refutation,
        });
        let (documents, portal, shard) = (self.documents.clone(), self.portal.clone(), self.shard);
        async move { documents.write(portal, shard, changes).await }
    }

    /// The write that was under way has ended; returns its folders.
    pub fn end_write(&mut self, refused: Option<&StoreError>) -> Vec<FolderId> {
        let Some(in_flight) = self.in_flight.take() else {
            return Vec::new();
        };
        self.ended += in_flight.folders.len() as u64 + u64::from(in_flight.ends_collection);
        if let Some(error) = refused {
            self.log_refusal(error);
            self.forgotten.extend(in_flight.forgotten);
        } else {
            self.refutation = in_flight.refutation;
        }
        if in_flight.ends_collection {
            self.refused = refused.cloned();
        }
        in_flight.folders
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

    /// Whether all that is known is stored; `folder` is why a folder is not.
    pub fn writes(&mut self, folder: Option<&StoreError>) -> Writes {
        let refused = folder.or(self.unread.as_ref()).or(self.refused.as_ref());
        let refused = refused.map(ToString::to_string);
        if self.error.is_some() && refused.is_none() {
            info!(portal = %self.name, "state can be used again: counters of entries go on from what is stored");
        }
        self.error = refused;
        match &self.error {
            Some(error) => Writes::Refused(error.clone()),
            None if self.saves() => Writes::Succeed,
            None => Writes::Off,
        }
    }

    /// Logs a refusal when it is new.
    fn log_refusal(&mut self, refused: &StoreError) {
        if self.error.is_none() {
            error!(portal = %self.name, error = %refused, "state cannot be used: counters of entries do not change until it can");
            self.error = Some(refused.to_string());
        }
    }
}
