//! Where the databases are, and what a process may do with them. A state folder belongs to one process at a time.

use std::fs::{DirBuilder, File, TryLockError};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::config::{HiddenPath, State};
use crate::store::error::StoreError;

/// A database of the program. In a folder each is a file of its own; a server has the tables of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What is known of folders. It can be rebuilt.
    State,
    /// The reindex ledger.
    Ledger,
}

impl Part {
    pub const ALL: [Self; 2] = [Self::State, Self::Ledger];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Ledger => "ledger",
        }
    }

    /// The name of its file in a state folder.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::State => "state.db",
            Self::Ledger => "ledger.db",
        }
    }

    /// The error where there is none.
    pub(super) const fn missing(self) -> StoreError {
        StoreError::Missing(match self {
            Self::State => "stored state",
            Self::Ledger => "reindex ledger",
        })
    }
}

/// Where both databases are. Cheap to clone.
#[derive(Debug, Clone)]
pub enum Place {
    Folder(StateFolder),
    /// In PostgreSQL. The file has the URL.
    Server(HiddenPath),
}

impl Place {
    pub fn folder(path: &Path) -> Self {
        Self::Folder(StateFolder::new(path))
    }

    /// Where a configuration stores its state; `None` if it is temporary.
    pub fn of(state: &State) -> Option<Self> {
        match state {
            State::Path(path) => Some(Self::folder(path)),
            State::Postgres(shared) => Some(Self::Server(shared.url_file.clone())),
            State::Temporary => None,
        }
    }
}

/// What a process may do with a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It is the service: it locks the folder, and makes the tables where they are missing.
    Serve,
    /// It writes to tables that are there.
    Write,
    Read,
}

/// The name of the file that is locked.
const LOCK_NAME: &str = "lock";

/// A state folder. Cheap to clone; other processes can use the folder when the last clone is dropped.
#[derive(Debug, Clone)]
pub struct StateFolder {
    path: PathBuf,
    lock: Arc<Mutex<Option<File>>>,
}

impl StateFolder {
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            lock: Arc::default(),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Locks the folder for this process, unless it is locked, and makes it if it is missing. Returns its path.
    pub fn hold(&self) -> Result<&Path, StoreError> {
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if lock.is_none() {
            *lock = Some(take_lock(&self.path)?);
        }
        Ok(&self.path)
    }
}

fn take_lock(folder: &Path) -> Result<File, StoreError> {
    let refused = |cause| StoreError::path(folder, &cause);
    // Names of files and errors are nobody else's.
    let mut new = DirBuilder::new();
    new.recursive(true).mode(0o700);
    new.create(folder).map_err(refused)?;
    let file = File::options()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(folder.join(LOCK_NAME))
        .map_err(refused)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse {
            path: folder.to_owned(),
        }),
        Err(TryLockError::Error(error)) => Err(refused(error)),
    }
}
