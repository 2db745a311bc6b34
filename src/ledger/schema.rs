//! The tables, and the version that they are at. A file that cannot be used is never written.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, Transaction};

use crate::ledger::error::LedgerError;
use crate::model::Timestamp;

/// The version that the last step leads to.
const VERSION: i64 = 3;

/// What brings the tables to each version from the one before.
const STEPS: [(i64, &str); 3] = [(1, ATTEMPTS), (2, PORTALS), (VERSION, CLASSES)];

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

const CLASSES: &str = "
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

/// What tells when each portal was first met. Version 1 did not write that down: it knows the portals that have folders.
pub(super) const fn portals(version: i64) -> &'static str {
    if version < 2 {
        "SELECT DISTINCT portal AS name, (SELECT created FROM ledger) AS met FROM folder"
    } else {
        "SELECT name, met FROM portal"
    }
}

/// Looks at the file without touching it.
pub(super) fn inspect(path: &Path) -> Result<(), LedgerError> {
    let file = match fs::metadata(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            return Err(LedgerError::File {
                path: path.to_owned(),
                cause: error.to_string(),
            });
        }
    };
    // Asked before the database is: a privileged user could write it all the same.
    if file.permissions().readonly() {
        return Err(LedgerError::ReadOnly {
            path: path.to_owned(),
        });
    }
    known_version(&read_only(path)?, path).map(drop)
}

/// Opens a file that is there, for reading alone.
pub(super) fn read_only(path: &Path) -> Result<Connection, LedgerError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(Connection::open_with_flags(path, flags)?)
}

/// The version of the tables: 0 where there are none.
pub(super) fn known_version(connection: &Connection, path: &Path) -> Result<i64, LedgerError> {
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found > VERSION {
        return Err(LedgerError::Newer {
            path: path.to_owned(),
            found,
            known: VERSION,
        });
    }
    // A crash may have come between the file and its first tables; anything else without a version is not ours.
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if found <= 0 && tables > 0 {
        return Err(LedgerError::Foreign {
            path: path.to_owned(),
        });
    }
    Ok(found)
}

/// Prepares a connection: every commit is synced to disk.
pub(super) fn configure(connection: &Connection) -> Result<(), LedgerError> {
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(())
}

/// Brings the tables from a version to that of this program, which is returned, and notes that the ledger was opened.
pub(super) fn upgrade(
    transaction: &Transaction<'_>,
    found: i64,
    now: Timestamp,
) -> Result<i64, LedgerError> {
    for (_, tables) in STEPS.iter().filter(|(version, _)| *version > found) {
        transaction.execute_batch(tables)?;
    }
    transaction.pragma_update(None, "user_version", VERSION)?;
    let opened = if found == 0 {
        "INSERT INTO ledger (created, opened) VALUES (?1, ?1)"
    } else {
        "UPDATE ledger SET opened = ?1"
    };
    transaction.execute(opened, [now.as_millis()])?;
    Ok(VERSION)
}
