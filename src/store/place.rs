//! Where the databases are.

use std::fmt;
use std::path::Path;

use crate::config::{HiddenPath, State};
use crate::store::error::StoreError;
use crate::store::folder::StateFolder;

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
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
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
