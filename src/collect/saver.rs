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
use crate::snapshot::PortalView;
use crate::store::{EntryKey, FolderChange, FolderChanges, Lease, PortalDocument, StoreError};

/// Time from the beginning of one batch to the next: what changes meanwhile is written together.
const GAP: Duration = Duration::from_millis(250);

/// Time from the end of a write that failed to the next one.
const GAP_AFTER_FAILURE: Duration = Duration::from_secs(5);

/// How long folders stay stored of portals that the configuration no longer has.
const PORTALS_STORED: Duration = Duration::from_hours(30 * 24);

const FORGET_PORTALS_EVERY: Duration = Duration::from_hours(1);

/// What is to be written of one portal. Without a lease nothing is stored, and each write succeeds at once.
pub(super) struct Saver {
    lease: Option<Lease>,
    name: PortalName,
    entry: EntryKey,
    waiting: Batch,
    is_writing: bool,
    next: Instant,
    /// The portal as it is stored; `None` if that is not known.
    stored: Option<PortalDocument>,
    /// Why the database could not be used last, if it could not.
    refused: Option<StoreError>,
    /// The losses of the database after which everything was written once more.
    losses: u64,
    forget_portals_at: Instant,
}

/// What is written together.
#[derive(Default)]
pub(super) struct Batch {
    /// The folders that may have changed.
    pub folders: BTreeSet<FolderId>,
    /// The collections that end with it.
    pub ends: Vec<Ending>,
    /// Folders to delete.
    pub forgotten: Vec<FolderId>,
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
            is_writing: false,
            next: now,
            stored: Some(stored),
            refused: None,
            forget_portals_at: now,
        }
    }

    pub const fn is_writing(&self) -> bool {
        self.is_writing
    }

    /// These folders may have changed.
    pub fn changed(&mut self, folders: impl IntoIterator<Item = FolderId>) {
        self.waiting.folders.extend(folders);
    }

    /// These folders are to be deleted.
    pub fn forget(&mut self, folders: Vec<FolderId>) {
        self.waiting.forgotten.extend(folders);
    }

    /// The reads of a collection have ended: it ends with the next write.
    pub fn end_with_next(&mut self, end: Ending) {
        self.waiting.ends.push(end);
    }

    /// Whether a collection waits for a write, or one is under way.
    pub fn holds_ends(&self) -> bool {
        self.is_writing || !self.waiting.ends.is_empty()
    }

    /// What the next write may have.
    pub fn next_batch(&mut self) -> Batch {
        self.next = Moment::now().steady + GAP;
        std::mem::take(&mut self.waiting)
    }

    /// When the next write begins; `None` while there is nothing to write, or a write is under way.
    pub fn due(&self) -> Option<Instant> {
        let Batch { folders, ends, .. } = &self.waiting;
        let has_something = !(folders.is_empty() && ends.is_empty());
        (has_something && !self.is_writing).then_some(self.next)
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

    /// Begins a write of these changes.
    pub fn write(
        &mut self,
        folders: Vec<FolderChange>,
        forgotten: Vec<FolderId>,
        portal: PortalDocument,
        unwatched: Option<(Vec<EntryKey>, Timestamp)>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send + use<> {
        self.is_writing = true;
        // Until the database says otherwise.
        let before = self.stored.replace(portal.clone());
        let changes = FolderChanges {
            portal: (before.as_ref() != Some(&portal)).then_some(portal),
            forgotten,
            unwatched,
            folders,
        };
        let (lease, entry) = (self.lease.clone(), self.entry.clone());
        async move {
            match lease {
                Some(lease) => lease.write_folders(entry, changes).await,
                None => Ok(()),
            }
        }
    }

    /// The write that was under way has ended. Logs whether the database can be used, when that changes.
    pub fn end_write(&mut self, result: &Result<(), StoreError>) {
        self.is_writing = false;
        if *result == Err(StoreError::LostWrites) {
            // All is written at once.
            return;
        }
        let refused = result.as_ref().err();
        match (&self.refused, refused) {
            (None, Some(error)) => {
                error!(portal = %self.name, %error, "state cannot be used: counters of entries do not change until it can");
            }
            (Some(_), None) => {
                info!(portal = %self.name, "state can be used: counters of entries continue from what is stored");
            }
            (None, None) | (Some(_), Some(_)) => {}
        }
        if refused.is_some() {
            self.stored = None;
            self.next = Moment::now().steady + GAP_AFTER_FAILURE;
        }
        self.refused = refused.cloned();
    }

    /// From time to time: the entries that the configuration has, and the time since when nobody wrote a folder of others that is deleted.
    pub fn forget_portals(
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
