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
