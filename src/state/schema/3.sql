-- When a folder was counted for the first time; null where that is not known any more.
ALTER TABLE folder ADD COLUMN first_counted INTEGER;
