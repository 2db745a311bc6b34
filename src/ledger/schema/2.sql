-- When each portal was first met.
CREATE TABLE portal (
    name TEXT PRIMARY KEY,
    met INTEGER NOT NULL
) STRICT;

INSERT INTO portal SELECT DISTINCT portal, (SELECT created FROM ledger) FROM folder;
