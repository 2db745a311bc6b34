-- Which process makes the attempts in the folders of a shard. `fence` grows with each change of the holder; `until` is when the lease ends.
CREATE TABLE lease (
    portal TEXT NOT NULL,
    shard INTEGER NOT NULL,
    shards INTEGER NOT NULL,
    holder TEXT NOT NULL,
    fence INTEGER NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (portal, shard, shards)
);
