//! Errors of databases.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

/// Why a database cannot be used. While it cannot, it is left as it is.
#[derive(Debug, Clone, Error)]
pub enum SqlError {
    #[error("{} cannot be used: {cause}", path.display())]
    Path { path: PathBuf, cause: String },
    #[error("the state folder {} is in use by another process; give each process a folder of its own", path.display())]
    InUse { path: PathBuf },
    #[error("{} is read-only; make it writable, or move it away to begin with a new one", .0.display())]
    ReadOnly(PathBuf),
    /// The file was taken away while it was in use.
    #[error("{} was removed or replaced while it was in use; put it back, or start again", .0.display())]
    Replaced(PathBuf),
    #[error("{} is a database, but not one of kb-exporter", .0.display())]
    Foreign(PathBuf),
    #[error("{0}")]
    Sqlite(Arc<rusqlite::Error>),
    #[error("{0}")]
    Postgres(String),
    /// The server cannot be reached, or does not answer.
    #[error("the PostgreSQL server cannot be used: {0}")]
    Away(String),
    /// The connection ended before it was known whether the server committed.
    #[error("it is not known whether the PostgreSQL server committed: {0}")]
    CommitUnknown(String),
    /// Another transaction inserted a row with the same key.
    #[error("a row with this key exists")]
    Duplicate,
    #[error("its tables are of a newer version (schema {found}, known {known})")]
    Newer {
        found: i64,
        /// The version that this program knows.
        known: i64,
    },
    #[error("it contains data that kb-exporter did not write: {0}")]
    Content(String),
    #[error("it is closed")]
    Closed,
}

impl SqlError {
    pub(crate) fn path(path: &Path, cause: &std::io::Error) -> Self {
        Self::Path {
            path: path.to_owned(),
            cause: cause.to_string(),
        }
    }
}

impl From<crate::store::StoreError> for SqlError {
    fn from(error: crate::store::StoreError) -> Self {
        Self::Away(error.to_string())
    }
}

impl From<rusqlite::Error> for SqlError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(Arc::new(error))
    }
}
