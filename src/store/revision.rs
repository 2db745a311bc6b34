//! What a writer knows of a row, or of a log.

use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::store::error::StoreError;

/// A row's, or a log's, last write. The number grows by one with each write; the token is random, and tells the writes to a database apart from
/// those with the same numbers to a copy of it that lost some.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revision {
    pub number: i64,
    pub token: i64,
}

impl Revision {
    /// The revision in the columns of a row.
    pub(super) fn of(row: &AnyRow) -> Result<Self, StoreError> {
        Ok(Self {
            number: row.try_get("number")?,
            token: row.try_get("token")?,
        })
    }

    /// The write after a known one, or after none.
    pub fn after(known: Option<Self>) -> Self {
        Self {
            number: known.map_or(0, |known| known.number).saturating_add(1),
            token: fastrand::i64(..),
        }
    }
}
