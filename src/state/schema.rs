//! The tables and their versions.

use std::path::Path;

use rusqlite::Connection;

use crate::sqlite;
use crate::state::StateError;

/// The version that the last step leads to.
const VERSION: i64 = 9;

/// What brings the tables to each version from the one before.
const STEPS: [&str; 9] = [
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
    include_str!("schema/5.sql"),
    include_str!("schema/6.sql"),
    include_str!("schema/7.sql"),
    include_str!("schema/8.sql"),
    include_str!("schema/9.sql"),
];

/// The first version that has classes of error.
const WITH_CLASSES: i64 = 2;

/// The version of the tables: 0 where there are none.
fn known_version(connection: &Connection, path: &Path) -> Result<i64, StateError> {
    let found = sqlite::version(connection)?;
    if found > VERSION {
        return Err(StateError::Newer {
            path: path.to_owned(),
            found,
            known: VERSION,
        });
    }
    Ok(found)
}

/// Whether the tables are at a version that has classes of error.
pub(super) fn has_classes(connection: &Connection, path: &Path) -> Result<bool, StateError> {
    Ok(known_version(connection, path)? >= WITH_CLASSES)
}

/// Prepares a connection: full sync, and tables of this version. A newer file is left as it is.
pub(super) fn prepare(connection: &mut Connection, path: &Path) -> Result<(), StateError> {
    let found = known_version(connection, path)?;
    sqlite::configure(connection)?;
    let transaction = connection.transaction()?;
    sqlite::upgrade(&transaction, found, &STEPS)?;
    Ok(transaction.commit()?)
}
