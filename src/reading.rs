//! What a read of a folder brings: counts, and the files that are not done.

use std::hash::BuildHasher;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

use crate::classify::{ClassCounts, ClassNumber};
use crate::model::{ByStatus, FileKey, FileMap, FolderSizes, Status, Timestamp};

/// Files that are not done and are remembered of one folder, at most (docs/metrics.md, Whole rows).
pub const MAX_REMEMBERED: usize = 100_000;

/// A file that is not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unfinished {
    /// Its state.
    pub status: Status,
    /// When it was uploaded, as far as the portal says.
    pub created_at: Option<Timestamp>,
    /// The class of its reason, where it failed or was flagged.
    pub class: Option<ClassNumber>,
}

/// What the rows of one folder amount to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Files by status.
    pub counts: ByStatus<u64>,
    /// Failed and flagged files by class.
    pub errors: ClassCounts,
    /// Whether no file was read twice.
    pub distinct: bool,
    /// The files that are not done, as far as there is room for them.
    pub unfinished: FileMap<Unfinished>,
    /// Whether all files of a status are among [`Self::unfinished`].
    pub fits: ByStatus<bool>,
    /// What is known of the files that are done.
    pub done: DoneFiles,
}

/// What a read knows of the files that are done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DoneFiles {
    /// Every row was read.
    Read {
        /// Bytes by status, of all files.
        sizes: FolderSizes,
        /// Files that were remembered as not done and are done now.
        finished: Vec<FileKey>,
        /// Watched files that are done.
        watched: Vec<FileKey>,
        /// The hashes of all files, in order: see [`hash`].
        rows: Vec<u64>,
    },
    /// They were counted by their boundaries.
    Counted,
}

/// A file in eight bytes, the same while the process lives.
#[must_use]
pub fn hash(key: FileKey) -> u64 {
    static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::default);
    HASHER.hash_one(key)
}
