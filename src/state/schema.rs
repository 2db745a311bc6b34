//! The tables and their versions.

use std::path::Path;

use crate::sql::{SqlError, SqliteFile};
use crate::state::StateError;

/// The version that the last step leads to.
const VERSION: i64 = 10;

/// What brings the tables of a file to each version from the one before.
pub(super) const STEPS: [&str; 10] = [
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
    include_str!("schema/5.sql"),
    include_str!("schema/6.sql"),
    include_str!("schema/7.sql"),
    include_str!("schema/8.sql"),
    include_str!("schema/9.sql"),
    include_str!("schema/10.sql"),
];

/// The same for the tables in PostgreSQL.
pub(super) const POSTGRES_STEPS: [&str; 1] = [include_str!("schema/postgres/1.sql")];

/// The first version that has classes of error.
const WITH_CLASSES: i64 = 2;

/// The version of the tables: 0 where there are none.
fn known_version(file: &SqliteFile, path: &Path) -> Result<i64, StateError> {
    let found = file.version()?;
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
pub(super) fn has_classes(file: &SqliteFile, path: &Path) -> Result<bool, StateError> {
    Ok(known_version(file, path)? >= WITH_CLASSES)
}

/// Opens a file that there is, to read it. Of an older version, a copy in memory is brought up to date.
pub(super) fn open_to_read(path: &Path) -> Result<SqliteFile, StateError> {
    let mut file = SqliteFile::open_existing(path, false)?;
    let found = known_version(&file, path)?;
    if found == VERSION {
        return Ok(file);
    }
    let mut copy = file.copy()?;
    copy.upgrade(found, &STEPS, |_| Ok::<(), SqlError>(()))?;
    Ok(copy)
}

/// Prepares a file: full sync, and tables of this version. A newer file is left as it is.
pub(super) fn prepare(file: &mut SqliteFile, path: &Path) -> Result<(), StateError> {
    let found = known_version(file, path)?;
    file.configure()?;
    file.upgrade(found, &STEPS, |_| Ok::<(), SqlError>(()))?;
    Ok(())
}
