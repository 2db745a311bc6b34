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
