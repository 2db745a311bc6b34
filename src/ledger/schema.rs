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
const STEPS: [(i64, &str); 4] = [
    (1, ATTEMPTS),
    (2, PORTALS),
    (3, CLASSES),
    (VERSION, ADDRESSES),
];

pub(super) const ATTEMPTS: &str = "
    -- One row. `opened` is written at every start, which proves that the file can be written.
    -- Every time is in milliseconds since 1970.
    CREATE TABLE ledger (
        created INTEGER NOT NULL,
        opened INTEGER NOT NULL
    ) STRICT;

    -- A folder in which something was attempted, with its counters, which outlive the attempts.
    CREATE TABLE folder (
        number INTEGER PRIMARY KEY,
        portal TEXT NOT NULL,
        id TEXT NOT NULL,
        name TEXT NOT NULL,
        unseen_since INTEGER,
        accepted INTEGER NOT NULL,
        refused INTEGER NOT NULL,
        unknown INTEGER NOT NULL,
        requeued INTEGER NOT NULL,
        recovered INTEGER NOT NULL,
        partial INTEGER NOT NULL,
        none INTEGER NOT NULL,
        inconclusive INTEGER NOT NULL,
        files_recovered INTEGER NOT NULL,
        files_refailed INTEGER NOT NULL,
        UNIQUE (portal, id)
    ) STRICT;

    -- Columns are null until what they tell has happened. `file_states` is a JSON array in the order of the states:
    -- sent, waiting, done, refailed, flagged, gone.
    CREATE TABLE attempt (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        folder INTEGER NOT NULL REFERENCES folder (number) ON DELETE CASCADE,
        mode TEXT NOT NULL,
        intended INTEGER NOT NULL,
        files INTEGER NOT NULL,
        outcome TEXT,
        answered INTEGER,
        updated INTEGER,
        status INTEGER,
        why TEXT,
        verdict TEXT,
        judged INTEGER,
        file_states TEXT
    ) STRICT;

    -- The files of attempts that are not judged.
    CREATE TABLE sent (
        attempt INTEGER NOT NULL REFERENCES attempt (id) ON DELETE CASCADE,
        link BLOB NOT NULL,
        id BLOB NOT NULL,
        state TEXT NOT NULL,
        PRIMARY KEY (attempt, link, id)
    ) STRICT, WITHOUT ROWID;

    -- How often a file was sent since it was done last.
    CREATE TABLE tries (
        folder INTEGER NOT NULL REFERENCES folder (number) ON DELETE CASCADE,
        link BLOB NOT NULL,
        id BLOB NOT NULL,
        attempts INTEGER NOT NULL,
        PRIMARY KEY (folder, link, id)
    ) STRICT, WITHOUT ROWID;
";

pub(super) const PORTALS: &str = "
    -- When each portal was first met.
    CREATE TABLE portal (
        name TEXT PRIMARY KEY,
        met INTEGER NOT NULL
    ) STRICT;

    INSERT INTO portal SELECT DISTINCT portal, (SELECT created FROM ledger) FROM folder;
";

pub(super) const CLASSES: &str = "
    -- A JSON array with an array for each class: its name, files sent, come back, failed again.
    ALTER TABLE attempt ADD COLUMN classes TEXT;
    -- Seconds that the portal asked to wait for.
    ALTER TABLE attempt ADD COLUMN retry_after INTEGER;
    ALTER TABLE sent ADD COLUMN class TEXT;
    -- The file's name, where it was read directly before the request.
    ALTER TABLE sent ADD COLUMN name TEXT;

    -- What all attempts made of the files of each class.
    CREATE TABLE class (
        portal TEXT NOT NULL,
        name TEXT NOT NULL,
        recovered INTEGER NOT NULL,
        refailed INTEGER NOT NULL,
        PRIMARY KEY (portal, name)
    ) STRICT, WITHOUT ROWID;
";

const ADDRESSES: &str = "
    -- From here on `portal` is the address of a portal, but for that of an attempt, which is the configured name under which it was made.
    ALTER TABLE portal RENAME COLUMN name TO address;
    ALTER TABLE attempt ADD COLUMN portal TEXT;
    UPDATE attempt SET portal = (SELECT folder.portal FROM folder WHERE folder.number = attempt.folder);

    -- By how many milliseconds all times were moved forward because the clock was set; when it was found set last.
    ALTER TABLE ledger ADD COLUMN moved INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE ledger ADD COLUMN clock_set INTEGER;

    -- What people forgave. `kind` is everything, folder, class, breaker or clock; `target` the folder's id or the class. `taken` is
    -- null until the program that holds the ledger has taken it in.
    CREATE TABLE forgiven (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        portal TEXT NOT NULL,
        at INTEGER NOT NULL,
        kind TEXT NOT NULL,
        target TEXT,
        taken INTEGER
    ) STRICT;
";

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
