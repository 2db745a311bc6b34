-- Since when the configuration excludes a folder; null where it does not.
ALTER TABLE folder ADD COLUMN excluded_since INTEGER;
