-- Bytes by status when every page was last read, as a JSON array; null where that is not known.
ALTER TABLE folder ADD COLUMN sizes TEXT;
