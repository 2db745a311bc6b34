//! Errors of `state migrate`.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::store::error::{Failure, StoreError};
use crate::store::tables::SCHEMA;

#[derive(Debug, Clone, Error)]
pub enum MigrateError {
    #[error("there is nothing to copy: no kb-exporter has stored anything there")]
    Empty,
    /// The target has changed since.
    #[error(
        "everything was moved to {to} before, which has been used since; start kb-exporter with it"
    )]
    AlreadyMoved { to: String },
    #[error(
        "a process uses the database: it watches shard {shard} of {portal}, and has {seconds} more seconds to show itself again; stop every kb-exporter that uses the database and try again"
    )]
    DatabaseInUse {
        /// The portal of the lease that lasts longest.
        portal: String,
        shard: String,
        seconds: i64,
    },
    #[error("the folder is not empty: {} exists; move it away, or name another folder in state.path", file.display())]
    FolderNotEmpty { file: PathBuf },
    #[error(
        "the database is not empty, and what it has is not a copy of the folder; choose another database, or remove everything that is stored in this one with: DROP SCHEMA {SCHEMA} CASCADE"
    )]
    DatabaseNotEmpty,
    /// The times in the ledger would be wrong.
    #[error(
        "the clocks of this machine and of the PostgreSQL server differ by {seconds} seconds, and the ledger has times; set the clocks and try again"
    )]
    Clocks { seconds: u64 },
    #[error("the copy of the table {table} is not the same as the original; please report this")]
    Different { table: &'static str },
    /// The connection ended before it was known whether the server committed.
    #[error("it is not known whether the PostgreSQL server committed ({0}); try again")]
    CommitUnknown(String),
    #[error(transparent)]
    Store(StoreError),
}

impl Failure for MigrateError {
    fn of_connection(&self) -> Option<&StoreError> {
        match self {
            Self::Store(error) => error.of_connection(),
            _ => None,
        }
    }

    fn of_file(self, path: &Path) -> Self {
        match self {
            Self::Store(error) => error.of_file(path).into(),
            error => error,
        }
    }
}

impl From<StoreError> for MigrateError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::CommitUnknown(why) => Self::CommitUnknown(why),
            error => Self::Store(error),
        }
    }
}
