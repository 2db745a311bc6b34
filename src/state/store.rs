//! A handle to the database.

use crate::config::HiddenPath;
use crate::model::{FolderId, PortalName, Shard, Timestamp};
use crate::sql::{SqlError, StateFolder, Worker};
use crate::state::database::{Newer, StateDatabase};
use crate::state::saved::{FolderChange, SavedPortal, SavedRefutation};

/// A handle to the state. Cheap to clone; the database is closed when the last one is dropped.
///
/// The database is opened with the first use. Where that fails, or the database ends, the next use tries again.
#[derive(Debug, Clone)]
pub struct Store(Backend);

#[derive(Debug, Clone)]
enum Backend {
    File(Worker<StateDatabase>),
    /// A database that other processes use as well.
    Server(Worker<StateDatabase>),
    Nowhere,
}

impl Store {
    pub fn in_folder(folder: StateFolder) -> Self {
        Self(Backend::File(Worker::start(StateDatabase::in_folder(
            folder,
        ))))
    }

    /// Uses the state in PostgreSQL.
    pub fn on_server(url_file: &HiddenPath) -> Self {
        Self(Backend::Server(Worker::start(StateDatabase::on_server(
            url_file,
        ))))
    }

    /// A store that saves nothing: for a single collection.
    pub fn nowhere() -> Self {
        Self(Backend::Nowhere)
    }

    pub const fn saves(&self) -> bool {
        !matches!(self.0, Backend::Nowhere)
    }

    /// Fails if nothing can be written.
    pub async fn check_write(&self) -> Result<(), SqlError> {
        self.act(StateDatabase::check_write).await
    }

    /// Reads what is saved of one portal, after everything that was written before. Folders of other shards are left out if other
    /// processes use the state as well.
    pub async fn load(&self, portal: PortalName, shard: Shard) -> Result<SavedPortal, SqlError> {
        let shard = match self.0 {
            Backend::Server(_) => shard,
            Backend::File(_) | Backend::Nowhere => Shard::default(),
        };
        self.act(move |database| database.load_portal(&portal, shard))
            .await
    }

    /// Writes changes of folders of a portal, in one transaction, which is on disk when this returns. If another process wrote a folder
    /// meanwhile, nothing of it is written, and the version of that process is returned.
    pub async fn write(&self, changes: Vec<FolderChange>) -> Result<Vec<Newer>, SqlError> {
        self.act(move |database| database.write(changes)).await
    }

    /// Forgets folders of a portal, in one transaction.
    pub async fn forget(&self, portal: PortalName, ids: Vec<FolderId>) -> Result<(), SqlError> {
        self.act(move |database| database.forget(&portal, &ids))
            .await
    }

    /// Forgets the folders of all portals but these that were counted, or left, before a time.
    pub async fn forget_portals(
        &self,
        but: Vec<String>,
        before: Timestamp,
    ) -> Result<(), SqlError> {
        self.act(move |database| database.forget_portals(&but, before))
            .await
    }

    /// Writes when every folder of a portal that was due was last counted.
    pub async fn write_success(&self, portal: PortalName, at: Timestamp) -> Result<(), SqlError> {
        self.act(move |database| database.write_success(&portal, at))
            .await
    }

    /// Writes what refutes that a portal sorts by status, or that nothing does.
    pub async fn write_refutation(
        &self,
        portal: PortalName,
        refutation: Option<SavedRefutation>,
    ) -> Result<(), SqlError> {
        self.act(move |database| database.write_refutation(&portal, refutation))
            .await
    }

    async fn act<T: Default + Send + 'static>(
        &self,
        job: impl FnOnce(&mut StateDatabase) -> Result<T, SqlError> + Send + 'static,
    ) -> Result<T, SqlError> {
        match &self.0 {
            Backend::File(worker) | Backend::Server(worker) => {
                worker.run(job).await.unwrap_or(Err(SqlError::Closed))
            }
            Backend::Nowhere => Ok(T::default()),
        }
    }
}
