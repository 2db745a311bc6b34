//! Errors of `state migrate`.

use std::path::PathBuf;

use thiserror::Error;

use crate::ledger::LedgerError;
use crate::model::PortalAddress;
use crate::sql::SqlError;

#[derive(Debug, Error)]
pub enum MigrateError {
    #[error("there is no {}; check state.path (kb-exporter makes the file when it runs with this folder)", file.display())]
    Missing { file: PathBuf },
    #[error("there is nothing to copy: no kb-exporter has stored anything there")]
    Empty,
    #[error("a process uses the state folder {}; stop kb-exporter and try again", path.display())]
    FolderInUse { path: PathBuf },
    #[error(
        "a process uses the database: it may reindex in shard {shard} of {portal} for {seconds} more seconds; stop every kb-exporter that uses the database and try again"
    )]
    DatabaseInUse {
        /// The portal of the lease that lasts longest.
        portal: PortalAddress,
        shard: i64,
        seconds: u64,
    },
    #[error("the folder is not empty: {} exists; move it away, or name another folder in state.path", file.display())]
    FolderNotEmpty { file: PathBuf },
    #[error(
        "the database is not empty: there are rows in {table}; choose another database, or remove everything that is stored in this one with: DROP SCHEMA kb_state, kb_ledger CASCADE"
    )]
    DatabaseNotEmpty { table: String },
    /// The times in the ledger would be wrong.
    #[error(
        "the clocks of this machine and of the PostgreSQL server differ by {seconds} seconds, and the ledger has times; set the clocks and try again"
    )]
    Clocks { seconds: u64 },
    /// The copy differs from the original.
    #[error("the copy of the {part} is not the same as the original: {what}; please report this")]
    Different {
        part: &'static str,
        /// The first difference.
        what: String,
    },
    /// The connection ended before it was known whether the server committed.
    #[error(
        "it is not known whether the PostgreSQL server committed ({0}); try again: if it did, the database is not empty, and the copy is complete"
    )]
    CommitUnknown(String),
    #[error("the folder {} cannot be used: {cause}", path.display())]
    Folder {
        path: PathBuf,
        cause: std::io::Error,
    },
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("{0}")]
    Sql(SqlError),
}

impl From<SqlError> for MigrateError {
    fn from(error: SqlError) -> Self {
        match error {
            SqlError::CommitUnknown(why) => Self::CommitUnknown(why),
            SqlError::InUse { path } => Self::FolderInUse { path },
            error => Self::Sql(error),
        }
    }
}
