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
