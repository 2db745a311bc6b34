//! Why a database cannot be used.

use std::sync::Arc;

use thiserror::Error;

/// Why a database cannot be used.
#[derive(Debug, Clone, Error)]
pub enum SqlError {
    /// SQLite reports an error.
    #[error("{0}")]
    Sqlite(Arc<rusqlite::Error>),
    /// PostgreSQL refuses a statement.
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
    /// The tables were made by a newer version.
    #[error(
        "the tables were made by a newer version (schema {found}, known {known}); they are left as they are"
    )]
    Newer {
        /// The version of the tables.
        found: i64,
        /// The version that this program knows.
        known: i64,
    },
    /// A value makes no sense.
    #[error("{0}")]
    Content(String),
}

impl From<rusqlite::Error> for SqlError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(Arc::new(error))
    }
}
