-- Classes of error that have a slot in a folder.
CREATE TABLE place (
    folder INTEGER NOT NULL REFERENCES folder (number) ON DELETE CASCADE,
    class TEXT NOT NULL,
    example TEXT NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    PRIMARY KEY (folder, class)
) STRICT, WITHOUT ROWID;
