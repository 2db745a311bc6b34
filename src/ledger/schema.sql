-- One row. Every time is in milliseconds since 1970, by the clock of the machine or of the PostgreSQL server. `moved` is by how much all times were
-- moved forward because the clock was set, `clock_set` when it was last found set.
CREATE TABLE ledger (
    created INTEGER NOT NULL,
    moved INTEGER NOT NULL DEFAULT 0,
    clock_set INTEGER
) STRICT;

INSERT INTO ledger (created) VALUES ({now});

-- When each portal was first met, how often it was written, and the version at which something was last removed. A folder, an attempt and a class
-- have the version of the portal at which they were last written.
CREATE TABLE portal (
    address TEXT PRIMARY KEY,
    met INTEGER NOT NULL,
    version INTEGER NOT NULL,
    removed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A folder in which something was attempted, with its counters, which outlive the attempts.
CREATE TABLE folder (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    portal TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
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

-- `portal` is the configured name under which the attempt was made. `classes` is a JSON array with an array for each class: its name, files sent,
-- recovered, failed again. `retry_after` is seconds that the portal asked to wait for. The columns of the outcome are null until it is known, and those of
-- the verdict; `file_states` is a JSON array in the order of the states: sent, waiting, done, refailed, flagged, gone.
CREATE TABLE attempt (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    folder INTEGER NOT NULL REFERENCES folder (number) ON DELETE CASCADE,
    portal TEXT NOT NULL,
    is_trial INTEGER NOT NULL,
    version INTEGER NOT NULL,
    intended INTEGER NOT NULL,
    files INTEGER NOT NULL,
    classes TEXT NOT NULL,
    answered INTEGER,
    outcome TEXT,
    updated INTEGER,
    status INTEGER,
    why TEXT,
    retry_after INTEGER,
    judged INTEGER,
    verdict TEXT,
    file_states TEXT
) STRICT;

-- A folder has one attempt at a time that was not judged, whoever makes it.
CREATE UNIQUE INDEX attempt_under_way ON attempt (folder)
WHERE judged IS NULL AND (outcome IS NULL OR outcome IN ('accepted', 'unknown'));

-- The files of attempts that are not judged, with their names where they were read directly before the request.
CREATE TABLE sent (
    attempt INTEGER NOT NULL REFERENCES attempt (id) ON DELETE CASCADE,
    link BLOB NOT NULL,
    id BLOB NOT NULL,
    state TEXT NOT NULL,
    class TEXT NOT NULL,
    name TEXT,
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

-- What all attempts made of the files of each class.
CREATE TABLE class (
    portal TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    recovered INTEGER NOT NULL,
    refailed INTEGER NOT NULL,
    PRIMARY KEY (portal, name)
) STRICT, WITHOUT ROWID;

-- What people forgave. `kind` is everything, folder, class or clock; `target` the folder's id or the class. `taken` is null until a
-- process that may reindex has taken it in.
CREATE TABLE forgiven (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    portal TEXT NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    target TEXT,
    taken INTEGER
) STRICT;
