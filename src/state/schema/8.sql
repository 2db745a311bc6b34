-- Pages that refute that a portal sorts by status; `pages` is a JSON array of numbers.
CREATE TABLE refutation (
    portal TEXT PRIMARY KEY,
    address TEXT NOT NULL,
    folder TEXT NOT NULL,
    pages TEXT NOT NULL
) STRICT, WITHOUT ROWID;
