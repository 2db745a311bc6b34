//! The state that can be rebuilt: what is remembered of folders between reads and across restarts.
//!
//! One SQLite file in the state folder, written by a thread of its own, one transaction for each folder that was read and one
//! for all folders that leave at once, synced to disk before the commit counts. A file that cannot be used is never replaced: the program serves on
//! without it and says so.

mod lock;
mod saved;
mod schema;
mod store;
mod tables;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use crate::sqlite;

pub use saved::{FileChanges, FolderChange, Saved, SavedFolder, SavedPortal, SavedRefutation};
pub use store::Store;

/// The name of the file in the state folder.
pub const FILE_NAME: &str = "state.db";

/// Why the state cannot be used.
#[derive(Debug, Clone, Error)]
pub enum StateError {
    /// The folder cannot be used.
    #[error("the state folder {} cannot be used: {cause}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        cause: String,
    },
    /// Another process has it.
    #[error("the state folder {} is in use by another process; give each process a folder of its own", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// It was written by a newer version.
    #[error("the state file {} was written by a newer version (schema {found}, known {known}); it is left as it is", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The schema version of this program.
        known: i64,
    },
    /// The database reports an error.
    #[error("the state file cannot be used: {0}")]
    Database(Arc<rusqlite::Error>),
    /// A value in the file makes no sense.
    #[error("the state file holds what this program did not write: {0}")]
    Content(String),
    /// The writing thread has ended.
    #[error("the state is closed")]
    Closed,
}

impl From<rusqlite::Error> for StateError {
    fn from(error: rusqlite::Error) -> Self {
        match sqlite::invalid_value(&error) {
            Some(what) => Self::Content(what),
            None => Self::Database(Arc::new(error)),
        }
    }
}

/// The classes of error that have a slot in any folder; none where nothing was saved yet. Only reads, so it needs no lock. Blocks.
pub fn known_classes(folder: &Path) -> Result<BTreeSet<String>, StateError> {
    let path = folder.join(FILE_NAME);
    if !path.exists() {
        return Ok(BTreeSet::new());
    }
    let connection = sqlite::open_existing(&path, false)?;
    if !schema::has_classes(&connection, &path)? {
        return Ok(BTreeSet::new());
    }
    let query = "SELECT DISTINCT class FROM place";
    let classes = sqlite::select(&connection, query, [], |row| sqlite::column(row, "class"))?;
    Ok(classes.into_iter().collect())
}

#[cfg(test)]
mod tests;
