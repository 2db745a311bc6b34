//! Writes the state, and remembers which writes failed.

use std::time::Duration;

use tokio::time::Instant;
use tracing::{error, info};

use crate::clock::Moment;
use crate::collect::layout::PageNumber;
use crate::collect::settings::Settings;
use crate::collect::sorting::{Refutation, Sorting};
use crate::model::{FolderId, PortalName, Timestamp};
use crate::snapshot::Writes;
use crate::state::{FolderChange, Newer, SavedPortal, SavedRefutation, SqlError, Store};

/// How long folders stay stored of portals that the configuration no longer has.
const PORTALS_STORED: Duration = Duration::from_hours(30 * 24);

const FORGET_PORTALS_EVERY: Duration = Duration::from_hours(1);

/// The disk, as one portal's collector uses it.
pub(super) struct Storage {
    store: Store,
    portal: PortalName,
    /// Why what is stored was not read, if it was not. Until then nothing is written: it could replace what is stored.
    unread: Option<SqlError>,
    /// Why the last collection could not be recorded at its end, if it could not.
    end_refused: Option<SqlError>,
    /// What refutes the portal's sorting, as it is on disk.
    refutation: Option<Refutation>,
    /// The last refusal that was logged and still holds.
    error: Option<String>,
    forget_portals_at: Instant,
    /// Folders of other shards that this process collected before. They are not up to date any more, and must not be taken for that if
    /// this shard owns them again.
    pub of_other_shards: Vec<FolderId>,
}

impl Storage {
    pub fn new(store: Store, portal: PortalName) -> Self {
        Self {
            store,
            portal,
            unread: Some(SqlError::Closed),
            end_refused: None,
            refutation: None,
            error: None,
            forget_portals_at: Moment::now().steady,
            of_other_shards: Vec::new(),
        }
    }

    /// Whether what is stored was read.
    pub const fn is_read(&self) -> bool {
        self.unread.is_none()
    }

    /// Reads what is stored.
    pub async fn read(&mut self, settings: &Settings) -> Option<SavedPortal> {
        let result = self.store.load(self.portal.clone(), settings.shard).await;
        self.log_refusal(&result);
        if result.is_ok() && self.error.is_some() {
            info!(portal = %self.portal, "state can be used: counters of entries continue from what is stored");
        }
        self.unread = result.as_ref().err().cloned();
        let saved = result.ok()?;
        self.refutation = restored(saved.refutation.clone(), settings);
        Some(saved)
    }

    /// What refutes the portal's sorting, as it is on disk.
    pub fn refutation(&self) -> Option<Refutation> {
        self.refutation.clone()
    }

    /// Writes changes of folders, all in one transaction. Returns what another process wrote of some of them meanwhile: that holds.
    pub async fn write(&mut self, changes: Vec<FolderChange>) -> Result<Vec<Newer>, SqlError> {
        self.try_to(async move |store, _| store.write(changes).await)
            .await
    }

    /// Writes when every folder was counted.
    pub async fn write_success(&mut self, at: Timestamp) {
        let write = async move |store: Store, portal| store.write_success(portal, at).await;
        self.end_refused = self.try_to(write).await.err();
    }

    /// Checks whether writes succeed, after a collection that may have written nothing.
    pub async fn check_write(&mut self) {
        let check = async |store: Store, _| store.check_write().await;
        self.end_refused = self.try_to(check).await.err();
    }

    /// Writes what refutes the portal's sorting, if it changed: otherwise each new process would trust the portal for a while.
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
        let write = async move |store: Store, portal| store.write_refutation(portal, saved).await;
        if self.try_to(write).await.is_ok() {
            self.refutation = refutation;
        }
    }

    pub async fn forget(&mut self, folders: Vec<FolderId>) {
        let forget = async move |store: Store, portal| store.forget(portal, folders).await;
        // It was logged.
        let _ = self.try_to(forget).await;
    }

    /// Forgets the folders of other shards in a store that only this process has, if that is not done yet.
    pub async fn forget_other_shards(&mut self) {
        if self.of_other_shards.is_empty() {
            return;
        }
        let folders = self.of_other_shards.clone();
        let forget = async move |store: Store, portal| store.forget(portal, folders).await;
        if self.try_to(forget).await.is_ok() {
            let folders = self.of_other_shards.len();
            info!(portal = %self.portal, folders, "stored folders of other shards are deleted");
            self.of_other_shards.clear();
        }
    }

    /// Forgets portals that the configuration no longer has: all but these, from time to time.
    pub async fn forget_portals(&mut self, but: Vec<String>, now: Timestamp) {
        if Moment::now().steady < self.forget_portals_at {
            return;
        }
        self.forget_portals_at = Moment::now().steady + FORGET_PORTALS_EVERY;
        let before = now.before(PORTALS_STORED);
        let forget = async move |store: Store, _| store.forget_portals(but, before).await;
        // It was logged.
        let _ = self.try_to(forget).await;
    }

    /// Whether all that is known is on disk; `folder` is why a folder is not.
    pub fn writes(&mut self, folder: Option<&SqlError>) -> Writes {
        let refused = folder.or(self.unread.as_ref());
        let refused = refused.or(self.end_refused.as_ref());
        self.error = refused.map(ToString::to_string);
        match &self.error {
            Some(error) => Writes::Refused(error.clone()),
            None if self.store.saves() => Writes::Succeed,
            None => Writes::Off,
        }
    }

    /// Does something with the store, if what is stored was read.
    async fn try_to<T, F: Future<Output = Result<T, SqlError>>>(
        &mut self,
        act: impl FnOnce(Store, PortalName) -> F,
    ) -> Result<T, SqlError> {
        let result = match &self.unread {
            Some(unread) => Err(unread.clone()),
            None => act(self.store.clone(), self.portal.clone()).await,
        };
        self.log_refusal(&result);
        result
    }

    /// Logs a refusal when it is new.
    fn log_refusal<T>(&mut self, result: &Result<T, SqlError>) {
        if let (Err(failed), None) = (result, &self.error) {
            error!(portal = %self.portal, error = %failed, "state cannot be used: counters of entries do not change until it can");
            self.error = Some(failed.to_string());
        }
    }
}

/// The refutation that was saved, unless it was of another address.
fn restored(saved: Option<SavedRefutation>, settings: &Settings) -> Option<Refutation> {
    let saved = saved.filter(|saved| saved.address == settings.portal.base_url.normalised())?;
    Some(Refutation {
        folder: saved.folder,
        pages: saved.pages.into_iter().map(PageNumber).collect(),
    })
}
