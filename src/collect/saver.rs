//! What is to be written of the portal, and the write that is under way.
//!
//! Counting never waits for the database: one batch at a time writes the folders that changed meanwhile, as they are when it begins. A
//! collection ends with the batch that writes what it counted.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tracing::{error, info};

use crate::clock::Moment;
use crate::collect::collection::Ending;
use crate::collect::settings::Settings;
use crate::model::{FolderId, PortalName, Timestamp};
use crate::snapshot::{PortalView, Writes};
use crate::store::{EntryKey, FolderChange, FolderChanges, Lease, PortalDocument, StoreError};

/// Time from the beginning of one batch to the next: what changes meanwhile is written together.
const GAP: Duration = Duration::from_millis(250);

/// How long folders stay stored of portals that the configuration no longer has.
const PORTALS_STORED: Duration = Duration::from_hours(30 * 24);

const FORGET_PORTALS_EVERY: Duration = Duration::from_hours(1);

/// What is to be written of one portal.
pub(super) struct Saver {
    /// `None`: nothing is stored.
    lease: Option<Lease>,
    name: PortalName,
    entry: EntryKey,
    waiting: Batch,
    in_flight: Option<Batch>,
    next: Instant,
    /// Whether what waits is not written before something else waits, or a collection ends: the last write failed.
    is_held: bool,
    /// The portal as it is stored; `None` if the database lost it.
    stored: Option<PortalDocument>,
    last_success: Option<Timestamp>,
    /// Why the database could not be used last, if it could not.
    refused: Option<StoreError>,
    /// The losses of the database after which everything was written once more.
    losses: u64,
    forget_portals_at: Instant,
}

/// What is written together.
#[derive(Default)]
pub(super) struct Batch {
    pub folders: BTreeSet<FolderId>,
    /// The collections that end with it.
    pub ends: Vec<Ending>,
    /// Folders to delete.
    forgotten: Vec<FolderId>,
}

/// How a write ended, and how long it took.
pub(super) struct Written {
    pub result: Result<(), StoreError>,
    pub took: Duration,
}

impl Saver {
    /// `stored`: what is stored of the portal.
    pub fn new(lease: Option<Lease>, settings: &Settings, stored: PortalDocument) -> Self {
        let now = Moment::now().steady;
        Self {
            losses: lease.as_ref().map_or(0, Lease::losses),
            lease,
            name: settings.portal.name.clone(),
            entry: settings.entry.clone(),
            waiting: Batch::default(),
            in_flight: None,
            next: now,
            is_held: false,
            last_success: stored.last_success,
            stored: Some(stored),
            refused: None,
            forget_portals_at: now,
        }
    }

    pub const fn saves(&self) -> bool {
        self.lease.is_some()
    }

    /// A folder is to be written.
    pub fn push(&mut self, folder: FolderId) {
        self.waiting.folders.insert(folder);
        self.is_held = false;
    }

    /// Whether a folder waits to be written.
    pub fn has(&self, folder: FolderId) -> bool {
        self.waiting.folders.contains(&folder)
    }

    /// Folders are to be deleted.
    pub fn forget(&mut self, folders: impl IntoIterator<Item = FolderId>) {
        self.waiting.forgotten.extend(folders);
    }

    /// The reads of a collection have ended; returns it if nothing is to be written before it ends.
    pub fn push_end(&mut self, end: Ending) -> Option<Ending> {
        if !self.saves() {
            return Some(end);
        }
        self.waiting.ends.push(end);
        self.is_held = false;
        None
    }

    /// Whether the end of a collection waits.
    pub fn holds_ends(&self) -> bool {
        let mut batches = self.in_flight.iter().chain([&self.waiting]);
        batches.any(|batch| !batch.ends.is_empty())
    }

    /// What waits could not be written: it waits for the next collection.
    pub fn hold(&mut self) {
        self.is_held = true;
    }

    /// What could not be written is tried again.
    pub fn try_again(&mut self) {
        self.is_held = false;
    }

    pub const fn is_writing(&self) -> bool {
        self.in_flight.is_some()
    }

    /// Whether the database lost what was written to it, so that everything is to be written once more. Said once for each loss.
    pub fn has_lost(&mut self) -> bool {
        let losses = self.lease.as_ref().map_or(0, Lease::losses);
        let before = std::mem::replace(&mut self.losses, losses);
        if before != losses {
            self.stored = None;
        }
        before != losses
    }

    /// When the next write begins; `None` while there is nothing to write, or a write is under way.
    pub fn due(&self) -> Option<Instant> {
        let may_begin = !self.is_held && self.in_flight.is_none();
        let Batch { folders, ends, .. } = &self.waiting;
        let has_something = !(folders.is_empty() && ends.is_empty());
        (may_begin && has_something).then_some(self.next)
    }

    /// What the next write has, which begins now.
    pub fn next_batch(&mut self, now: Instant) -> Batch {
        self.next = now + GAP;
        std::mem::take(&mut self.waiting)
    }

    /// Writes a batch, with these changes of its folders and these facts of the portal.
    pub fn write(
        &mut self,
        batch: Batch,
        folders: Vec<FolderChange>,
        failing_since: Option<Timestamp>,
        watched: &[Arc<PortalView>],
    ) -> impl Future<Output = Written> + Send + use<> {
        let success = batch.ends.iter().filter_map(|end| end.success).max();
        self.last_success = self.last_success.max(success);
        let portal = PortalDocument {
            last_success: self.last_success,
            failing_since,
        };
        let ends = !batch.ends.is_empty();
        // Until the database says otherwise.
        let before = self.stored.replace(portal.clone());
        let changes = FolderChanges {
            portal: (before.as_ref() != Some(&portal)).then_some(portal),
            forgotten: batch.forgotten.clone(),
            unwatched: ends.then(|| self.forget_portals(watched)).flatten(),
            folders,
        };
        self.in_flight = Some(batch);
        let (lease, entry) = (self.lease.clone(), self.entry.clone());
        async move {
            let began = Moment::now();
            let result = match lease {
                Some(lease) => lease.write_folders(entry, changes).await,
                None => Ok(()),
            };
            let took = Moment::now().elapsed_since(began);
            Written { result, took }
        }
    }

    /// The write that was under way has ended; returns what it had. If it failed, every collection ends that waits.
    pub fn end_write(&mut self, refused: Option<&StoreError>) -> Option<Batch> {
        let mut batch = self.in_flight.take()?;
        if refused.is_some() {
            self.stored = None;
            self.waiting.forgotten.append(&mut batch.forgotten);
        }
        if refused == Some(&StoreError::LostWrites) {
            // All is written at once.
            self.waiting.ends.append(&mut batch.ends);
            return Some(batch);
        }
        self.note_use(refused);
        if refused.is_some() {
            batch.ends.append(&mut self.waiting.ends);
        }
        Some(batch)
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

    /// Whether all that is known is stored, or will be soon.
    pub fn writes(&self) -> Writes {
        match &self.refused {
            Some(error) => Writes::Refused(error.to_string()),
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
