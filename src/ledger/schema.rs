//! The tables and their versions. A file that cannot be used is never written.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::ledger::error::LedgerError;
use crate::ledger::{Addresses, adopt};
use crate::model::Timestamp;
use crate::sql::{SqliteFile, Transaction, to_value};

/// The version that the last step leads to.
pub(super) const VERSION: i64 = 5;

/// What brings the tables of a file to each version from the one before.
pub(super) const STEPS: [&str; 5] = [
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
    include_str!("schema/5.sql"),
];

/// The same for the tables in PostgreSQL.
pub(super) const POSTGRES_STEPS: [&str; 1] = [include_str!("schema/postgres/1.sql")];

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
    known_version(&SqliteFile::open_existing(path, false)?, path).map(drop)
}

/// The version of the tables: 0 where there are none.
pub(super) fn known_version(file: &SqliteFile, path: &Path) -> Result<i64, LedgerError> {
    let found = file.version()?;
    if found > VERSION {
        return Err(LedgerError::Newer {
            path: path.to_owned(),
            found,
            known: VERSION,
        });
    }
    // A crash may have come between the file and its first tables; anything else without a version is not ours.
    if found <= 0 && file.has_tables()? {
        return Err(LedgerError::Foreign(path.to_owned()));
    }
    Ok(found)
}

/// A file that is there, to be read. Of an older version, a copy in memory is brought up to date.
pub(super) fn up_to_date(
    mut file: SqliteFile,
    path: &Path,
    addresses: &Addresses,
) -> Result<SqliteFile, LedgerError> {
    match known_version(&file, path)? {
        0 => Err(LedgerError::Missing(path.to_owned())),
        VERSION => Ok(file),
        older => {
            let mut copy = file.copy()?;
            copy.upgrade(older, &STEPS, |transaction| {
                replace_names(transaction, older, addresses)
            })?;
            Ok(copy)
        }
    }
}

/// Replaces the names of old versions by addresses.
fn replace_names(
    transaction: &mut dyn Transaction,
    found: i64,
    addresses: &Addresses,
) -> Result<(), LedgerError> {
    if found < 4 {
        adopt::by_address(transaction, addresses)?;
    }
    Ok(())
}

/// After the steps from a version to that of this program: replaces the names of old versions, and notes that the ledger was opened.
pub(super) fn opened(
    transaction: &mut dyn Transaction,
    found: i64,
    addresses: &Addresses,
    now: Timestamp,
) -> Result<(), LedgerError> {
    replace_names(transaction, found, addresses)?;
    let opened = if found == 0 {
        "INSERT INTO ledger (created, opened) VALUES ($1, $1)"
    } else {
        "UPDATE ledger SET opened = $1"
    };
    transaction.execute(opened, &[to_value(&now)?])?;
    Ok(())
}
