-- Every time is in milliseconds since 1970. Arrays are JSON, in the order of the statuses.
CREATE TABLE portal (
    name TEXT PRIMARY KEY,
    last_success INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What refutes that a portal sorts by status; `pages` is a JSON array of numbers, empty if an audit refuted it.
CREATE TABLE refutation (
    portal TEXT PRIMARY KEY,
    address TEXT NOT NULL,
    folder TEXT NOT NULL,
    pages TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- `version` is how often the folder was written. The columns of the last count are null until there is one, those of the last full read as well
-- (`missing_rows`: files that the total counts and no page lists; `shows_sorting`: whether an audit showed that the folder is sorted).
CREATE TABLE folder (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    portal TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    excluded_since INTEGER,
    left_since INTEGER,
    left_reason TEXT,
    counted INTEGER,
    began INTEGER,
    first_counted INTEGER,
    counts TEXT,
    look TEXT,
    unidentified TEXT,
    entries TEXT,
    indexing TEXT,
    full_read INTEGER,
    sizes TEXT,
    missing_rows INTEGER,
    shows_sorting INTEGER,
    UNIQUE (portal, id)
) STRICT;

-- Files that are not done. `missed_since` is null for a file that was not missed; `is_done` is whether a missed file was taken for done.
CREATE TABLE file (
    folder INTEGER NOT NULL REFERENCES folder (number) ON DELETE CASCADE,
    link BLOB NOT NULL,
    id BLOB NOT NULL,
    status TEXT NOT NULL,
    settled TEXT,
    since INTEGER NOT NULL,
    timed_from INTEGER,
    missed_since INTEGER,
    is_done INTEGER NOT NULL,
    class TEXT,
    PRIMARY KEY (folder, link, id)
) STRICT, WITHOUT ROWID;

-- Classes of error that have a slot in a folder. `classifier` is the version of the classifier that found the class last; `failed` and `flagged` are
-- files at the last count, `empty_counts` counts in a row without a file.
CREATE TABLE slot (
    folder INTEGER NOT NULL REFERENCES folder (number) ON DELETE CASCADE,
    class TEXT NOT NULL,
    example TEXT NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    classifier TEXT,
    failed INTEGER NOT NULL,
    flagged INTEGER NOT NULL,
    empty_counts INTEGER NOT NULL,
    shown INTEGER NOT NULL,
    PRIMARY KEY (folder, class)
) STRICT, WITHOUT ROWID;
