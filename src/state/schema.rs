//! The tables and their versions.

use std::path::Path;

use rusqlite::Connection;

use crate::sqlite;
use crate::state::StateError;

/// The version that the last step leads to.
const VERSION: i64 = 9;

/// The version that has classes of error.
const WITH_CLASSES: i64 = 2;

/// What brings the tables to each version from the one before.
const STEPS: [(i64, &str); 9] = [
    (1, FOLDERS),
    (WITH_CLASSES, PLACES),
    (3, FIRST_COUNTED),
    (4, SIZES),
    (5, CLASSIFIER),
    (6, CLASS_SLOTS),
    (7, EXCLUDED),
    (8, REFUTATIONS),
    (VERSION, MISSED),
];

const FOLDERS: &str = "
    CREATE TABLE portal (
        name TEXT PRIMARY KEY,
        last_success INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- What is known of a folder. The columns of the last count are null until there is one;
    -- counts, whole, entries and indexing are JSON arrays in the order of the statuses and buckets.
    CREATE TABLE folder (
        number INTEGER PRIMARY KEY,
        portal TEXT NOT NULL,
        id TEXT NOT NULL,
        name TEXT NOT NULL,
        began INTEGER,
        counted INTEGER,
        full_read INTEGER,
        counts TEXT,
        whole TEXT,
        entries TEXT,
        indexing TEXT,
        left_reason TEXT,
        left_since INTEGER,
        UNIQUE (portal, id)
    ) STRICT;

    -- Files that are not done.
    CREATE TABLE file (
        folder INTEGER NOT NULL REFERENCES folder (number) ON DELETE CASCADE,
        link BLOB NOT NULL,
        id BLOB NOT NULL,
        status TEXT NOT NULL,
        settled TEXT,
        since INTEGER NOT NULL,
        timed_from INTEGER,
        PRIMARY KEY (folder, link, id)
    ) STRICT, WITHOUT ROWID;
";

/// Classes of error that have a slot in a folder.
const PLACES: &str = "
    CREATE TABLE place (
        folder INTEGER NOT NULL REFERENCES folder (number) ON DELETE CASCADE,
        class TEXT NOT NULL,
        example TEXT NOT NULL,
        first_seen INTEGER NOT NULL,
        last_seen INTEGER NOT NULL,
        PRIMARY KEY (folder, class)
    ) STRICT, WITHOUT ROWID;
";

/// When a folder was counted for the first time; null where that is not known any more.
const FIRST_COUNTED: &str = "ALTER TABLE folder ADD COLUMN first_counted INTEGER;";

/// Bytes by status when every page was last read, as a JSON array; null where that is not known.
const SIZES: &str = "ALTER TABLE folder ADD COLUMN sizes TEXT;";

/// The version of the classifier that found the class; null where that is not known.
const CLASSIFIER: &str = "ALTER TABLE place ADD COLUMN classifier TEXT;";

/// What decides which classes keep their slots: files at the last count by status, counts in a row without a file, and whether the class is
/// shown. Classes of earlier versions were shown, and had files as far as is known.
const CLASS_SLOTS: &str = "
    ALTER TABLE place ADD COLUMN failed INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE place ADD COLUMN flagged INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE place ADD COLUMN empty_counts INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE place ADD COLUMN shown INTEGER NOT NULL DEFAULT 1;
";

/// Since when the configuration excludes a folder; null where it does not.
const EXCLUDED: &str = "ALTER TABLE folder ADD COLUMN excluded_since INTEGER;";

/// Pages that refute that a portal sorts by status; `pages` is a JSON array of numbers.
const REFUTATIONS: &str = "
    CREATE TABLE refutation (
        portal TEXT PRIMARY KEY,
        address TEXT NOT NULL,
        folder TEXT NOT NULL,
        pages TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
";

/// The base of entries by growth, the torn reads that listed a status, and the whole reads that missed a file. The counts of a read that
/// was whole for some status were consistent, so they are a base; others may not have been.
const MISSED: &str = "
    ALTER TABLE folder ADD COLUMN base TEXT;
    ALTER TABLE folder ADD COLUMN torn TEXT;
    ALTER TABLE file ADD COLUMN missed INTEGER NOT NULL DEFAULT 0;
    UPDATE folder SET base = counts WHERE instr(whole, 'true');
";

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
