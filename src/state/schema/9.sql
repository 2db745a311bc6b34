-- The base of entries by growth, the torn reads that listed a status, and the whole reads that missed a file. The counts of a read that
-- was whole for some status were consistent, so they are a base; others may not have been.
ALTER TABLE folder ADD COLUMN base TEXT;
ALTER TABLE folder ADD COLUMN torn TEXT;
ALTER TABLE file ADD COLUMN missed INTEGER NOT NULL DEFAULT 0;
UPDATE folder SET base = counts WHERE instr(whole, 'true');
