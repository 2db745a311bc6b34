//! Writes what must survive a restart, and remembers which writes failed.

use std::time::{Duration, Instant};

use tracing::{error, info};

use crate::collect::settings::Settings;
use crate::collect::sorted::PageNumber;
use crate::collect::sorting::{Refutation, Sorting};
use crate::model::{FolderId, PortalName, Timestamp};
use crate::snapshot::Writes;
use crate::state::{FolderChange, Newer, SavedRefutation, StateError, Store};

/// How long folders stay stored of portals that the configuration no longer has.
const PORTALS_STORED: Duration = Duration::from_hours(30 * 24);

/// Interval between searches for those.
const FORGET_PORTALS_EVERY: Duration = Duration::from_hours(1);

/// The disk, as one portal's collector uses it.
pub(super) struct Storage {
    store: Store,
    portal: PortalName,
    /// Why the last collection could not be recorded at its end, if it could not.
    end_refused: Option<StateError>,
    /// What refutes the portal's sorting, as it is on disk.
    refutation: Option<Refutation>,
    /// The last refusal that was logged and still holds.
    error: Option<String>,
    forget_portals_at: Instant,
    /// Folders of other shards that this process collected before. They are not up to date any more, and must not be taken for that if
    /// this shard owns them again.
    of_other_shards: Vec<FolderId>,
}

impl Storage {
    /// `of_other_shards` are folders of the store that other shards own.
    pub fn new(
        store: Store,
        portal: PortalName,
        refutation: Option<Refutation>,
        of_other_shards: Vec<FolderId>,
    ) -> Self {
        let is_outdated = store.is_private();
        Self {
            end_refused: store.open_error().cloned(),
            of_other_shards: if is_outdated {
                of_other_shards
            } else {
                Vec::new()
            },
            store,
            portal,
            refutation,
            error: None,
            forget_portals_at: Instant::now(),
        }
    }

    /// Writes changes of folders, all in one transaction. Returns what another process wrote of some of them meanwhile: that holds.
    pub async fn write(&mut self, changes: Vec<FolderChange>) -> Result<Vec<Newer>, StateError> {
        let result = self.store.write(changes).await;
        self.log_refusal(&result);
        result
    }

    /// Writes when every folder was counted.
    pub async fn write_success(&mut self, at: Timestamp) {
        let portal = self.portal.clone();
        let result = self.store.write_success(portal, at).await;
        self.log_refusal(&result);
        self.end_refused = result.err();
    }

    /// Finds out whether the disk takes writes, after a collection that may have written nothing.
    pub async fn check_write(&mut self) {
        let result = self.store.check_write().await;
        self.log_refusal(&result);
        self.end_refused = result.err();
    }

    /// Writes what refutes the portal's sorting, when that changed: otherwise each new process would believe the portal for a while.
    pub async fn write_refutation(&mut self, sorting: &Sorting, settings: &Settings) {
        let refutation = sorting.refutation();
        if refutation == self.refutation {
            return;
        }
        let saved = refutation.as_ref().map(|refutation| SavedRefutation {
            address: settings.portal.base_url.normalised(),
            folder: refutation.folder,
            pages: refutation.pages.iter().map(|page| page.0).collect(),
        });
        let portal = self.portal.clone();
        let result = self.store.write_refutation(portal, saved).await;
        self.log_refusal(&result);
        if result.is_ok() {
            self.refutation = refutation;
        }
    }

    /// Forgets folders.
    pub async fn forget(&mut self, folders: Vec<FolderId>) {
        let result = self.store.forget(self.portal.clone(), folders).await;
        self.log_refusal(&result);
    }

    /// Forgets the folders of other shards in a store that only this process has, if that is not done yet.
    pub async fn forget_other_shards(&mut self) {
        if self.of_other_shards.is_empty() {
            return;
        }
        let folders = self.of_other_shards.clone();
        let result = self.store.forget(self.portal.clone(), folders).await;
        self.log_refusal(&result);
        if result.is_ok() {
            let folders = self.of_other_shards.len();
            info!(portal = %self.portal, folders, "stored folders of other shards are deleted");
            self.of_other_shards.clear();
        }
    }

    /// Forgets portals that the configuration no longer has: all but these, from time to time.
    pub async fn forget_portals(&mut self, but: Vec<String>, now: Timestamp) {
        if Instant::now() < self.forget_portals_at {
            return;
        }
        self.forget_portals_at = Instant::now() + FORGET_PORTALS_EVERY;
        let before = now.before(PORTALS_STORED);
        let result = self.store.forget_portals(but, before).await;
        self.log_refusal(&result);
    }

    /// Whether all that is known is on disk; `folder` is why a folder is not.
    pub fn writes(&mut self, folder: Option<&StateError>) -> Writes {
        let refused = folder.or(self.end_refused.as_ref());
        self.error = refused.map(ToString::to_string);
        match &self.error {
            Some(error) => Writes::Refused(error.clone()),
            None if self.store.saves() => Writes::Succeed,
            None => Writes::Off,
        }
    }

    /// Logs a refusal when it is new.
    fn log_refusal<T>(&mut self, result: &Result<T, StateError>) {
        if let (Err(failed), None) = (result, &self.error) {
            error!(portal = %self.portal, error = %failed, "state cannot be written: counters of entries do not change until it can");
            self.error = Some(failed.to_string());
        }
    }
}

/// The refutation that was saved, unless it was of another address.
pub(super) fn restored(saved: Option<SavedRefutation>, settings: &Settings) -> Option<Refutation> {
    let saved = saved.filter(|saved| saved.address == settings.portal.base_url.normalised())?;
    Some(Refutation {
        folder: saved.folder,
        pages: saved.pages.into_iter().map(PageNumber).collect(),
    })
}
