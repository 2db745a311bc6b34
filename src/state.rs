//! The state that can be rebuilt: what is remembered of folders between reads and across restarts.
//!
//! One SQLite file in the state folder, or tables in PostgreSQL, written by a thread of its own, one transaction for each folder that was read
//! and one for all folders that leave at once, synced to disk before the commit counts. A file that cannot be used is never replaced: the
//! program serves on without it and says so.

mod database;
mod load;
mod lock;
mod saved;
mod schema;
mod store;
mod tables;
pub(crate) mod transfer;
mod write;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;

use crate::config::State;
use crate::sql::{Database as Sql, Postgres, SqlError, SqliteFile, select};

pub use database::Newer;
pub use saved::{FileChanges, FolderChange, Saved, SavedFolder, SavedPortal, SavedRefutation};
pub use store::Store;

/// The name of the file in the state folder.
pub const FILE_NAME: &str = "state.db";

/// The PostgreSQL schema of the tables.
const POSTGRES_SCHEMA: &str = "kb_state";

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
    /// The PostgreSQL server reports an error, or cannot be reached.
    #[error("the state in PostgreSQL cannot be used: {0}")]
    Server(SqlError),
    /// A value in the file makes no sense.
    #[error("the state file holds what this program did not write: {0}")]
    Content(String),
    /// The writing thread has ended.
    #[error("the state is closed")]
    Closed,
}

impl From<SqlError> for StateError {
    fn from(error: SqlError) -> Self {
        match error {
            SqlError::Sqlite(error) => Self::Database(error),
            SqlError::Content(what) => Self::Content(what),
            error => Self::Server(error),
        }
    }
}

/// The classes of error that have a slot in any folder; none where nothing was saved yet. Only reads, so it needs no lock. Blocks.
pub fn known_classes(state: &State) -> Result<BTreeSet<String>, StateError> {
    let mut database = match state {
        State::Path(folder) => {
            let path = folder.join(FILE_NAME);
            if !path.exists() {
                return Ok(BTreeSet::new());
            }
            let file = SqliteFile::open_existing(&path, false)?;
            if !schema::has_classes(&file, &path)? {
                return Ok(BTreeSet::new());
            }
            Sql::Sqlite(file)
        }
        State::Postgres(shared) => {
            let server = database::server(&shared.url_file);
            Sql::Postgres(Box::new(Postgres::new(server)))
        }
        State::Temporary => return Ok(BTreeSet::new()),
    };
    database.transaction(|transaction| {
        let query = "SELECT DISTINCT class FROM place";
        let classes = select(transaction, query, &[], |row| row.get("class"));
        let classes: Result<Vec<String>, SqlError> = classes;
        Ok(classes?.into_iter().collect())
    })
}

#[cfg(test)]
mod tests;
