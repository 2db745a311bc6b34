//! Why the ledger cannot be used.

use thiserror::Error;

use crate::attempts::Misfit;
use crate::store::error::StoreError;

/// Why the ledger cannot be used. While it cannot, nothing is reindexed.
#[derive(Debug, Clone, Error)]
pub enum LedgerError {
    #[error("there is no reindex ledger: the state is temporary")]
    Temporary,
    #[error("the reindex ledger cannot be used: {0}")]
    Store(StoreError),
    /// An event does not fit what the ledger knows.
    #[error("the reindex ledger refuses a change: {0}")]
    Misfit(#[from] Misfit),
}

impl LedgerError {
    /// Whether another process acts for this shard.
    pub const fn is_other_process(&self) -> bool {
        matches!(self, Self::Store(StoreError::NoLease))
    }
}

impl From<StoreError> for LedgerError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Stale => Misfit::Changed.into(),
            error => Self::Store(error),
        }
    }
}
