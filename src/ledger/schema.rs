//! The tables and their versions. A file that cannot be used is never written.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use rusqlite::{Connection, Transaction};

use crate::ledger::error::LedgerError;
use crate::ledger::{Addresses, adopt};
use crate::model::Timestamp;
use crate::sqlite;

/// The version that the last step leads to.
pub(super) const VERSION: i64 = 4;

/// What brings the tables to each version from the one before.
pub(super) const STEPS: [&str; 4] = [
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
];

/// Every column that holds a time which moves with the clock.
pub(super) const TIMES: [(&str, &str); 8] = [
    ("ledger", "created"),
    ("ledger", "opened"),
    ("portal", "met"),
    ("folder", "unseen_since"),
    ("attempt", "intended"),
    ("attempt", "answered"),
    ("attempt", "judged"),
    ("forgiven", "at"),
];

/// The query for the time at which each portal was first met. Version 1 did not store that: it knows the portals that have folders.
pub(super) const fn portals(version: i64) -> &'static str {
    if version < 2 {
        "SELECT DISTINCT portal AS address, (SELECT created FROM ledger) AS met FROM folder"
    } else if version < 4 {
        "SELECT name AS address, met FROM portal"
    } else {
        "SELECT address, met FROM portal"
    }
}

/// Checks the file without changing it.
pub(super) fn inspect(path: &Path) -> Result<(), LedgerError> {
    let file = match fs::metadata(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(LedgerError::file(path, &error)),
    };
    // Asked before the database is: a privileged user could write it all the same.
    if file.permissions().readonly() {
        return Err(LedgerError::ReadOnly(path.to_owned()));
    }
    known_version(&sqlite::open_existing(path, false)?, path).map(drop)
}

/// The version of the tables: 0 where there are none.
pub(super) fn known_version(connection: &Connection, path: &Path) -> Result<i64, LedgerError> {
    let found = sqlite::version(connection)?;
    if found > VERSION {
        return Err(LedgerError::Newer {
            path: path.to_owned(),
            found,
            known: VERSION,
        });
    }
    // A crash may have come between the file and its first tables; anything else without a version is not ours.
    let query = "SELECT count(*) FROM sqlite_schema";
    let tables: i64 = connection.query_row(query, [], |row| row.get(0))?;
    if found <= 0 && tables > 0 {
        return Err(LedgerError::Foreign(path.to_owned()));
    }
    Ok(found)
}

/// Brings the tables from a version to that of this program, and notes that the ledger was opened.
pub(super) fn upgrade(
    transaction: &Transaction<'_>,
    found: i64,
    addresses: &Addresses,
    now: Timestamp,
) -> Result<(), LedgerError> {
    sqlite::upgrade(transaction, found, &STEPS)?;
    if found < 4 {
        adopt::by_address(transaction, addresses)?;
    }
    let opened = if found == 0 {
        "INSERT INTO ledger (created, opened) VALUES (?1, ?1)"
    } else {
        "UPDATE ledger SET opened = ?1"
    };
    transaction.execute(opened, [now])?;
    Ok(())
}
