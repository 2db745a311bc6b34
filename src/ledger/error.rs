//! Why the ledger cannot be used.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use crate::ledger::change::Misfit;
use crate::sql::SqlError;

/// Why the ledger cannot be used. While it cannot, nothing is reindexed.
#[derive(Debug, Clone, Error)]
pub enum LedgerError {
    /// The state folder is not there, or another process has it.
    #[error("there is no reindex ledger: {why}")]
    NoFolder {
        /// Why the folder cannot be used.
        why: String,
    },
    /// There is no file.
    #[error("there is no reindex ledger {} yet", .0.display())]
    Missing(PathBuf),
    /// It was written by a newer version.
    #[error("the reindex ledger {} was written by a newer version (schema {found}, known {known}); it is left as it is", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The schema version of this program.
        known: i64,
    },
    /// It was written by an older version, and this process does not hold it.
    #[error("the reindex ledger {} was written by an older version; start kb-exporter once, which brings it up to date", .0.display())]
    Older(PathBuf),
    /// It must not be written.
    #[error("the reindex ledger {} is read-only; make it writable, or move it away to begin with a new one", .0.display())]
    ReadOnly(PathBuf),
    /// It is another kind of database.
    #[error("{} is a database, but not a reindex ledger; it is left as it is", .0.display())]
    Foreign(PathBuf),
    /// It was taken away while it was in use.
    #[error("the reindex ledger {} was removed or replaced while it was in use; put it back, or start again", .0.display())]
    Replaced(PathBuf),
    /// The system does not let it be read.
    #[error("the reindex ledger {} cannot be used: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: String,
    },
    /// The database reports an error.
    #[error("the reindex ledger cannot be used: {0}")]
    Database(Arc<rusqlite::Error>),
    /// The PostgreSQL server reports an error, or cannot be reached.
    #[error("the reindex ledger in PostgreSQL cannot be used: {0}")]
    Server(SqlError),
    /// Another process acts for this shard.
    #[error("another process has the lease of this shard")]
    NoLease,
    /// A value in the file makes no sense.
    #[error("the reindex ledger holds what this program did not write: {0}")]
    Content(String),
    /// The change does not fit what the ledger knows.
    #[error("the reindex ledger refuses a change: {0}")]
    Misfit(#[from] Misfit),
    /// The thread that writes has ended.
    #[error("the reindex ledger is closed")]
    Closed,
}

impl LedgerError {
    pub(super) fn content(what: &str) -> Self {
        Self::Content(what.to_owned())
    }

    pub(super) fn file(path: &Path, cause: &std::io::Error) -> Self {
        Self::File {
            path: path.to_owned(),
            cause: cause.to_string(),
        }
    }
}

impl From<SqlError> for LedgerError {
    fn from(error: SqlError) -> Self {
        match error {
            SqlError::Sqlite(error) => Self::Database(error),
            SqlError::Content(what) => Self::Content(what),
            // Another process made an attempt in the folder.
            SqlError::Duplicate => Misfit::Changed.into(),
            error => Self::Server(error),
        }
    }
}
