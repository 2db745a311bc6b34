//! Why nothing was copied.

use std::path::PathBuf;

use thiserror::Error;

use crate::ledger::LedgerError;
use crate::model::PortalAddress;
use crate::sql::SqlError;
use crate::state::StateError;

/// Why nothing was copied.
#[derive(Debug, Error)]
pub enum MigrateError {
    /// There is nothing to copy.
    #[error("there is no {}; check state.path (kb-exporter makes the file when it runs with this folder)", file.display())]
    Missing {
        /// What is missing.
        file: PathBuf,
    },
    /// There is nothing to copy.
    #[error("there is nothing to copy: no kb-exporter has stored anything there")]
    Empty,
    /// A process uses the folder.
    #[error("a process uses the state folder {}; stop kb-exporter and try again", path.display())]
    FolderInUse {
        /// The folder.
        path: PathBuf,
    },
    /// A process uses the database.
    #[error(
        "a process uses the database: it may reindex in shard {shard} of {portal} for {seconds} more seconds; stop every kb-exporter that uses the database and try again"
    )]
    DatabaseInUse {
        /// The portal of the lease that lasts longest.
        portal: PortalAddress,
        /// Its shard.
        shard: i64,
        /// How long it lasts.
        seconds: u64,
    },
    /// The folder has a database.
    #[error("the folder is not empty: {} exists; move it away, or name another folder in state.path", file.display())]
    FolderNotEmpty {
        /// What is there.
        file: PathBuf,
    },
    /// The database has rows.
    #[error(
        "the database is not empty: there are rows in {table}; choose another database, or remove everything that is stored in this one with: DROP SCHEMA kb_state, kb_ledger CASCADE"
    )]
    DatabaseNotEmpty {
        /// A table that has rows.
        table: String,
    },
    /// The times in the ledger would mean something else.
    #[error(
        "the clocks of this machine and of the PostgreSQL server differ by {seconds} seconds, and the ledger has times; set the clocks and try again"
    )]
    Clocks {
        /// By how much they differ.
        seconds: u64,
    },
    /// The copy is not like the original.
    #[error("the copy of the {part} is not the same as the original: {what}; please report this")]
    Different {
        /// Which of the two databases.
        part: &'static str,
        /// What is not the same.
        what: String,
    },
    /// The connection ended before it was known whether the server committed.
    #[error(
        "it is not known whether the PostgreSQL server committed ({0}); try again: if it did, the database is not empty, and the copy is complete"
    )]
    CommitUnknown(String),
    /// The files cannot be written.
    #[error("the folder {} cannot be used: {cause}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The state cannot be used.
    #[error(transparent)]
    State(StateError),
    /// The ledger cannot be used.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A database reports an error.
    #[error("{0}")]
    Sql(SqlError),
}

impl From<SqlError> for MigrateError {
    fn from(error: SqlError) -> Self {
        match error {
            SqlError::CommitUnknown(why) => Self::CommitUnknown(why),
            error => Self::Sql(error),
        }
    }
}

impl From<StateError> for MigrateError {
    fn from(error: StateError) -> Self {
        match error {
            StateError::InUse { path } => Self::FolderInUse { path },
            error => Self::State(error),
        }
    }
}
