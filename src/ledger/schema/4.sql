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
