//! How large the story is.

use std::ops::Range;

/// The folders and the shards of a story, and how fast things happen in it.
pub(crate) struct Size {
    pub(super) folders: usize,
    pub(super) shards: usize,
    /// Shards in the end.
    pub(super) fewer: usize,
    /// Folders that a shard may have at first: five standard deviations around its part, since ids are random.
    pub(super) part: Range<usize>,
    /// Between two collections of replicas.
    pub(super) schedule: &'static str,
    /// Between two scrapes.
    pub(super) scrapes: &'static str,
    /// How much more often than in life the rules are evaluated.
    pub(super) evaluations: u64,
}

pub(super) const SMALL: Size = Size {
    folders: 60,
    shards: 3,
    fewer: 2,
    part: 2..39,
    schedule: "3s",
    scrapes: "1s",
    evaluations: 60,
};

pub(crate) const LARGE: Size = Size {
    folders: 4_000,
    shards: 8,
    fewer: 6,
    part: 400..600,
    schedule: "30s",
    scrapes: "5s",
    evaluations: 6,
};
