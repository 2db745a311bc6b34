//! The state that can be rebuilt: the data of folders between reads and across restarts.
//!
//! One SQLite file in the state folder, or tables in PostgreSQL, written by a thread of its own, one transaction for each folder that was read
//! and one for all folders that leave at once, synced to disk before the commit counts. A file that cannot be used is never replaced: the
//! exporter continues without it, reports this, and tries again.

mod database;
mod load;
mod saved;
mod store;
mod tables;
pub(crate) mod transfer;
mod write;

use std::collections::BTreeSet;

use crate::config::State;
use crate::sql::{Database, Schema, select};

pub use crate::sql::{SqlError, StateFolder};
pub use database::Newer;
pub use saved::{FileChanges, FolderChange, SavedFolder, SavedPortal, SavedRefutation};
pub use store::Store;

/// The name of the file in the state folder.
pub const FILE_NAME: &str = "state.db";

pub(crate) const SCHEMA: Schema = Schema {
    name: "kb_state",
    version: 1,
    tables: include_str!("state/schema.sql"),
    shared_tables: "",
};

/// The error classes that have a slot in any folder; none if nothing was saved yet. Only reads, so it needs no lock. Blocks.
pub fn known_classes(state: &State) -> Result<BTreeSet<String>, SqlError> {
    let Some(mut database) = Database::open_existing(state, FILE_NAME, false, &SCHEMA)? else {
        return Ok(BTreeSet::new());
    };
    database.transaction(|transaction| {
        let query = "SELECT DISTINCT class FROM slot";
        let classes = select(transaction, query, &[], |row| row.get("class"));
        let classes: Result<Vec<String>, SqlError> = classes;
        Ok(classes?.into_iter().collect())
    })
}
