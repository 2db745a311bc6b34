//! Where the databases are.

use std::path::Path;

use crate::config::{HiddenPath, State};
use crate::store::error::StoreError;
use crate::store::folder::StateFolder;
use crate::store::part::Part;

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

    /// Locks a folder that is there.
    pub(super) fn hold_existing(&self) -> Result<(), StoreError> {
        match self {
            Self::Folder(folder) if folder.path().exists() => folder.hold().map(drop),
            Self::Folder(_) => Err(StoreError::Missing(Part::State)),
            Self::Server(_) => Ok(()),
        }
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
    /// It moves what is there to another place, also if that was begun before.
    Move,
    Read,
}
