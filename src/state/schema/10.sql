-- How often what is known of a folder was written.
ALTER TABLE folder ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
