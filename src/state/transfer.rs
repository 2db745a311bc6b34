//! The state as `crate::migrate` copies it.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use crate::sql::{Numbers, Server, SqlError, SqliteFile, Table, Transaction};
use crate::state::database;
use crate::state::load::{Versions, load};
use crate::state::saved::{Saved, SavedPortal};
use crate::state::{StateError, lock, schema};

/// The tables, each after those that it refers to.
pub(crate) const TABLES: [Table; 5] = [
    table("portal", &["name"], Numbers::None),
    table("refutation", &["portal"], Numbers::None),
    table("folder", &["number"], Numbers::Any),
    table("file", &["folder", "link", "id"], Numbers::None),
    table("place", &["folder", "class"], Numbers::None),
];

const fn table(name: &'static str, key: &'static [&'static str], numbers: Numbers) -> Table {
    Table { name, key, numbers }
}

/// The tables in PostgreSQL.
pub(crate) fn server(url_file: &Path) -> Server {
    database::server(url_file)
}

/// Makes the folder where it is missing and locks it for this process, until the file is dropped.
pub(crate) fn lock(folder: &Path) -> Result<File, StateError> {
    lock::lock(folder)
}

/// Opens a file that there is, to read it. Of an older version, a copy in memory is brought up to date.
pub(crate) fn open(path: &Path) -> Result<SqliteFile, StateError> {
    schema::open_to_read(path)
}

/// Makes a file with empty tables.
pub(crate) fn create(path: &Path) -> Result<SqliteFile, StateError> {
    let mut file = SqliteFile::open(path)?;
    file.upgrade(0, &schema::STEPS, |_| Ok::<(), SqlError>(()))?;
    Ok(file)
}

/// Reads both sides as the program does, and says what is not the same.
pub(crate) fn difference(
    one: &mut dyn Transaction,
    other: &mut dyn Transaction,
) -> Result<Option<String>, StateError> {
    let one = load(one)?;
    let other = load(other)?;
    if one == other {
        return Ok(None);
    }
    let names = one.0.portals().chain(other.0.portals());
    let names: BTreeSet<&String> = names.map(|(name, _)| name).collect();
    let what = names
        .into_iter()
        .find_map(|name| difference_of(name, &one, &other));
    Ok(Some(what.unwrap_or_else(|| "the portals".to_owned())))
}

fn difference_of(name: &str, one: &(Saved, Versions), other: &(Saved, Versions)) -> Option<String> {
    let (of_one, of_other) = (one.0.get(name), other.0.get(name));
    if of_one == of_other && one.1.get(name) == other.1.get(name) {
        return None;
    }
    let none = SavedPortal::default();
    let (of_one, of_other) = (of_one.unwrap_or(&none), of_other.unwrap_or(&none));
    let mut ids = of_one.folders.keys().chain(of_other.folders.keys());
    let folder = ids.find(|id| of_one.folders.get(id) != of_other.folders.get(id));
    Some(folder.map_or_else(
        || format!("the portal {name}"),
        |folder| format!("the folder {folder} of the portal {name}"),
    ))
}
