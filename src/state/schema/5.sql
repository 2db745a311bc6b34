-- The version of the classifier that found the class; null where that is not known.
ALTER TABLE place ADD COLUMN classifier TEXT;
