-- How often what is known of a portal was written, and the version at which something was last removed. A folder, an attempt and a class have the
-- version at which they were last written.
ALTER TABLE portal ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE portal ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE folder ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attempt ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE class ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
