//! The identity of a file.

use std::collections::HashMap;

use foldhash::quality::RandomState;

use crate::model::ByStatus;

/// The sum of `fileSize` by status, in bytes.
pub type FolderSizes = ByStatus<u64>;

/// Identifies a file in a folder: the pair of `linkId` and `id`. Another `id` under a known `linkId`
/// (a replaced file) is another file (docs/metrics.md, Whole rows).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileKey {
    pub link: u128,
    pub id: u128,
}

/// Something about each of many files.
pub type FileMap<T> = HashMap<FileKey, T, RandomState>;
