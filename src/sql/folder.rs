//! A state folder belongs to one process at a time.

use std::path::Path;

use crate::sql::error::SqlError;
use crate::store::{self, StoreError};

/// A state folder. Cheap to clone; other processes can use the folder when the last clone is dropped.
#[derive(Debug, Clone)]
pub struct StateFolder(store::StateFolder);

impl StateFolder {
    pub fn new(path: &Path) -> Self {
        Self(store::StateFolder::new(path))
    }

    /// Locks the folder for this process, unless it is locked, and makes it if it is missing. Returns its path.
    pub fn hold(&self) -> Result<&Path, SqlError> {
        Ok(self.0.hold()?)
    }
}

impl From<store::StateFolder> for StateFolder {
    fn from(folder: store::StateFolder) -> Self {
        Self(folder)
    }
}

impl From<StoreError> for SqlError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Path { path, cause } => Self::Path { path, cause },
            StoreError::InUse { path } => Self::InUse { path },
            error => Self::Content(error.to_string()),
        }
    }
}
