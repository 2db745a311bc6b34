//! The state that can be rebuilt: what is remembered of folders between reads and across restarts.
//!
//! One SQLite file in the state folder, written by a thread of its own, one transaction for each folder that was read and one
//! for all folders that leave at once, synced to disk before the commit counts. A file that cannot be used is never replaced: the program serves on
//! without it and says so.

mod database;
mod lock;
mod saved;
mod schema;
mod tables;

use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};

use thiserror::Error;
use tokio::sync::oneshot;

pub use database::known_classes;
pub use saved::{
    FileChanges, FolderChange, Saved, SavedFolder, SavedPortal, SavedRefutation, Subject,
};

use crate::model::{FolderId, PortalName, Timestamp};
use crate::sqlite;

use database::Database;

/// The name of the file in the state folder.
pub const FILE_NAME: &str = "state.db";

/// Why the state cannot be used.
#[derive(Debug, Clone, Error)]
pub enum StateError {
    /// The folder cannot be used.
    #[error("the state folder {} cannot be used: {cause}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        cause: String,
    },
    /// Another process has it.
    #[error("the state folder {} is in use by another process; give each process a folder of its own", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// It was written by a newer version.
    #[error("the state file {} was written by a newer version (schema {found}, known {known}); it is left as it is", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The schema version of this program.
        known: i64,
    },
    /// The database reports an error.
    #[error("the state file cannot be used: {0}")]
    Database(Arc<rusqlite::Error>),
    /// A value in the file makes no sense.
    #[error("the state file holds what this program did not write: {0}")]
    Content(String),
    /// The writing thread has ended.
    #[error("the state is closed")]
    Closed,
}

impl From<rusqlite::Error> for StateError {
    fn from(error: rusqlite::Error) -> Self {
        match sqlite::invalid_value(&error) {
            Some(what) => Self::Content(what),
            None => Self::Database(Arc::new(error)),
        }
    }
}

type Job = Box<dyn FnOnce(&mut Database) + Send>;

/// A handle to the state. Cheap to clone; the file is closed when the last one is dropped.
#[derive(Debug, Clone)]
pub struct Store(Backend);

#[derive(Debug, Clone)]
enum Backend {
    File(mpsc::Sender<Job>),
    Refused(StateError),
    Nowhere,
}

impl Store {
    /// Opens the state in a folder and reads what was saved. Blocks.
    ///
    /// Where that fails, the store refuses every write with the reason, which is returned as well.
    #[must_use]
    pub fn open(folder: &Path) -> (Self, Saved, Option<StateError>) {
        match Database::open(folder).and_then(|mut database| {
            let saved = database.load()?;
            Ok((database, saved))
        }) {
            Ok((database, saved)) => (Self(Backend::File(start(database))), saved, None),
            Err(error) => {
                let store = Self(Backend::Refused(error.clone()));
                (store, Saved::default(), Some(error))
            }
        }
    }

    /// A store that saves nothing: for a single collection.
    #[must_use]
    pub fn nowhere() -> Self {
        Self(Backend::Nowhere)
    }

    /// Reads what is saved of one portal, after everything that was written before. Nothing where nothing is saved.
    pub async fn load(&self, portal: PortalName) -> Result<SavedPortal, StateError> {
        self.act(move |database| database.load_portal(&portal))
            .await
    }

    /// Writes what is new about folders: all of it, in one transaction, or nothing. It is on disk when this returns.
    pub async fn write(&self, changes: Vec<FolderChange>) -> Result<(), StateError> {
        self.act(move |database| database.write(&changes)).await
    }

    /// Forgets folders of a portal, in one transaction.
    pub async fn forget(&self, portal: PortalName, ids: Vec<FolderId>) -> Result<(), StateError> {
        self.act(move |database| database.forget_folders(portal.as_str(), &ids))
            .await
    }

    /// Forgets folders that were counted, or left, before a time, of all portals but these.
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
        let jobs = match &self.0 {
            Backend::File(jobs) => jobs,
            Backend::Refused(error) => return Err(error.clone()),
            Backend::Nowhere => return Ok(T::default()),
        };
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |database| {
            // Nobody waits for the answer any more: the collection was given up.
            let _ = answer.send(job(database));
        });
        jobs.send(job).map_err(|_| StateError::Closed)?;
        answered.await.map_err(|_| StateError::Closed)?
    }
}

fn start(mut database: Database) -> mpsc::Sender<Job> {
    let (jobs, queue) = mpsc::channel::<Job>();
    std::thread::spawn(move || {
        for job in queue {
            job(&mut database);
        }
    });
    jobs
}

#[cfg(test)]
mod tests;
