//! Why the ledger cannot be used.

use std::path::PathBuf;

use thiserror::Error;

use crate::ledger::change::Misfit;
use crate::sql::SqlError;

/// Why the ledger cannot be used. While it cannot, nothing is reindexed.
#[derive(Debug, Clone, Error)]
pub enum LedgerError {
    #[error("there is no reindex ledger: the state is temporary")]
    Temporary,
    #[error("there is no reindex ledger {} yet", .0.display())]
    Missing(PathBuf),
    #[error("the reindex ledger cannot be used: {0}")]
    Sql(SqlError),
    /// Another process acts for this shard.
    #[error("another process has the lease of this shard")]
    NoLease,
    /// The change does not fit what the ledger knows.
    #[error("the reindex ledger refuses a change: {0}")]
    Misfit(#[from] Misfit),
}

impl LedgerError {
    pub(super) fn content(what: &str) -> Self {
        Self::Sql(SqlError::Content(what.to_owned()))
    }
}

impl From<SqlError> for LedgerError {
    fn from(error: SqlError) -> Self {
        match error {
            // Another process made an attempt in the folder.
            SqlError::Duplicate => Misfit::Changed.into(),
            error => Self::Sql(error),
        }
    }
}
