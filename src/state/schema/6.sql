-- What decides which classes keep their slots: files at the last count by status, counts in a row without a file, and whether the class is
-- shown. Classes of earlier versions were shown, and had files as far as is known.
ALTER TABLE place ADD COLUMN failed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE place ADD COLUMN flagged INTEGER NOT NULL DEFAULT 0;
ALTER TABLE place ADD COLUMN empty_counts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE place ADD COLUMN shown INTEGER NOT NULL DEFAULT 1;
