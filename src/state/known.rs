//! What is kept, for people, also while another process writes it.

use std::collections::BTreeSet;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::state::{FILE_NAME, StateError, schema};

/// The classes of error that have a slot in any folder; none where nothing was kept yet. Reads alone and needs no lock; blocks.
pub fn known_classes(folder: &Path) -> Result<BTreeSet<String>, StateError> {
    let path = folder.join(FILE_NAME);
    if !path.exists() {
        return Ok(BTreeSet::new());
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&path, flags)?;
    if !schema::has_classes(&connection, &path)? {
        return Ok(BTreeSet::new());
    }
    let mut classes = connection.prepare("SELECT DISTINCT class FROM place")?;
    let classes = classes.query_map([], |row| row.get(0))?;
    Ok(classes.collect::<Result<_, _>>()?)
}
