//! A handle to the database.

use std::path::Path;

use crate::model::{FolderId, PortalName, Shard, Timestamp};
use crate::sql::Worker;
use crate::state::StateError;
use crate::state::database::{Database, Newer};
use crate::state::saved::{FolderChange, Saved, SavedPortal, SavedRefutation};

/// A handle to the state. Cheap to clone; the database is closed when the last one is dropped.
#[derive(Debug, Clone)]
pub struct Store(Backend);

#[derive(Debug, Clone)]
enum Backend {
    File(Worker<Database>),
    /// A database that other processes use as well.
    Server(Worker<Database>),
    Refused(StateError),
    Nowhere,
}

impl Store {
    /// Opens the state in a folder and reads what was saved. Blocks.
    ///
    /// Where that fails, the store refuses every write with the error, which is returned as well.
    #[must_use]
    pub fn open(folder: &Path) -> (Self, Saved, Option<StateError>) {
        let opened = Database::open(folder).and_then(|mut database| {
            let saved = database.load()?;
            Ok((database, saved))
        });
        match opened {
            Ok((database, saved)) => (Self(Backend::File(Worker::start(database))), saved, None),
            Err(error) => {
                let store = Self(Backend::Refused(error.clone()));
                (store, Saved::default(), Some(error))
            }
        }
    }

    /// Uses the state in PostgreSQL. Connects with the first use, and again where a connection ended.
    #[must_use]
    pub fn on_server(url_file: &Path) -> Self {
        Self(Backend::Server(Worker::start(Database::on_server(
            url_file,
        ))))
    }

    /// A store that saves nothing: for a single collection.
    #[must_use]
    pub fn nowhere() -> Self {
        Self(Backend::Nowhere)
    }

    /// Whether anything is ever saved.
    #[must_use]
    pub const fn saves(&self) -> bool {
        !matches!(self.0, Backend::Nowhere)
    }

    /// Whether no other process writes to it, so that what it has of folders of other shards is outdated.
    #[must_use]
    pub const fn is_private(&self) -> bool {
        matches!(self.0, Backend::File(_))
    }

    /// Whether other processes use the state as well.
    #[must_use]
    pub const fn is_shared(&self) -> bool {
        matches!(self.0, Backend::Server(_))
    }

    /// Why the file could not be opened, if it could not.
    #[must_use]
    pub const fn open_error(&self) -> Option<&StateError> {
        match &self.0 {
            Backend::Refused(error) => Some(error),
            Backend::File(_) | Backend::Server(_) | Backend::Nowhere => None,
        }
    }

    /// Fails where nothing can be written.
    pub async fn check_write(&self) -> Result<(), StateError> {
        self.act(Database::check_write).await
    }

    /// Reads what is saved of one portal, but for the folders of other shards, after everything that was written before. Nothing where nothing
    /// is saved.
    pub async fn load(&self, portal: PortalName, shard: Shard) -> Result<SavedPortal, StateError> {
        self.act(move |database| database.load_portal(&portal, shard))
            .await
    }

    /// Writes what is new about folders of a portal, in one transaction, which is on disk when this returns. Where another process wrote what is
    /// known of a folder meanwhile, nothing of it is written, and what that process wrote is returned.
    pub async fn write(&self, changes: Vec<FolderChange>) -> Result<Vec<Newer>, StateError> {
        self.act(move |database| database.write(changes)).await
    }

    /// Forgets folders of a portal, in one transaction.
    pub async fn forget(&self, portal: PortalName, ids: Vec<FolderId>) -> Result<(), StateError> {
        self.act(move |database| database.forget(&portal, &ids))
            .await
    }

    /// Forgets the folders of all portals but these that were counted, or left, before a time.
    pub async fn forget_portals(
        &self,
        but: Vec<String>,
        before: Timestamp,
    ) -> Result<(), StateError> {
        self.act(move |database| database.forget_portals(&but, before))
            .await
    }

    /// Writes when every folder of a portal that was due was last counted.
    pub async fn write_success(&self, portal: PortalName, at: Timestamp) -> Result<(), StateError> {
        self.act(move |database| database.write_success(&portal, at))
            .await
    }

    /// Writes what refutes that a portal sorts by status, or that nothing does.
    pub async fn write_refutation(
        &self,
        portal: PortalName,
        refutation: Option<SavedRefutation>,
    ) -> Result<(), StateError> {
        self.act(move |database| database.write_refutation(&portal, refutation))
            .await
    }

    async fn act<T: Default + Send + 'static>(
        &self,
        job: impl FnOnce(&mut Database) -> Result<T, StateError> + Send + 'static,
    ) -> Result<T, StateError> {
        match &self.0 {
            Backend::File(worker) | Backend::Server(worker) => {
                worker.run(job).await.unwrap_or(Err(StateError::Closed))
            }
            Backend::Refused(error) => Err(error.clone()),
            Backend::Nowhere => Ok(T::default()),
        }
    }
}
