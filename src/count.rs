//! The result of a read of a folder: counts, and the files that are not done.

use std::hash::BuildHasher;
use std::sync::{Arc, LazyLock};

use foldhash::fast::RandomState;

use crate::classify::{Class, ClassCounts};
use crate::model::{ByStatus, FileKey, FileMap, FolderSizes, Status, Timestamp};
use crate::portal::PageRequest;

/// Files that are not done and are remembered of one folder, at most (docs/metrics.md, Whole rows).
pub const MAX_REMEMBERED: usize = 100_000;

/// A file that is not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    pub status: Status,
    /// When it was uploaded, if the portal says it.
    pub created_at: Option<Timestamp>,
    /// The class of its reason, if it failed or was flagged.
    pub class: Option<Class>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderCount {
    pub files: ByStatus<u64>,
    /// Failed and flagged files by class.
    pub errors: ClassCounts,
    /// Whether the counts are those of one moment, if nothing contradicts it.
    pub consistent: bool,
    /// The files that are not done, or as many as the limit allows.
    pub unfinished: FileMap<Unfinished>,
    /// Whether all files of a status are in [`Self::unfinished`].
    pub complete: ByStatus<bool>,
    /// The files that are done; what is known depends on how the folder was counted.
    pub done: DoneFiles,
    /// The rows of each status that were read; the rows of files that are done only if all were read.
    pub rows_read: ByStatus<RowsRead>,
    /// A page that listed a failed file.
    pub failed_page: Option<PageRequest>,
    /// Rows beyond the total that the portal gives, if they were asked for.
    pub rows_beyond: Option<u64>,
    /// Files that the total counts and no page lists, by a full scan whose totals agreed.
    pub missing_rows: u64,
    pub requests: u64,
}

impl FolderCount {
    /// Whether every file that is not done is in [`Self::unfinished`], and nothing that was read contradicts that.
    pub fn lists_all_unfinished(&self) -> bool {
        let mut statuses = self.complete.iter();
        self.consistent && statuses.all(|(status, complete)| *complete || status == Status::Done)
    }

    pub fn way(&self) -> Way {
        match self.done {
            DoneFiles::Read { .. } => Way::Full,
            DoneFiles::Counted(_) => Way::Sorted,
        }
    }
}

/// The pages of a status that were read, counted from the outer end of its run, from 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RowsRead {
    pub from: u64,
    /// The first page behind these; `None` if the run ends before.
    pub next: Option<u64>,
}

/// How a folder was counted: the label `strategy` of `kb_folder_collection_requests`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Full,
    Sorted,
}

impl Way {
    /// The value of the label `strategy`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Sorted => "sorted",
        }
    }
}

/// The files that are done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DoneFiles {
    /// In a full scan every row was read.
    Read {
        /// Bytes by status, of all files.
        sizes: FolderSizes,
        /// Files that were remembered as not done and are done now.
        finished: Vec<FileKey>,
        watched: Vec<FileKey>,
        /// The sorted hashes of all files (see [`hash`]), shared with what is remembered until the next read.
        rows: Arc<Vec<u64>>,
    },
    /// They were counted by the boundaries of their status.
    Counted(Boundaries),
}

/// The positions in a list sorted by status where one status ends and the next begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Boundaries {
    /// The positions in ascending order, counted from 0.
    pub positions: Vec<u64>,
    pub total: u64,
}

impl Boundaries {
    /// The positions to expect in a list of this length: each as far from the nearer end as it was.
    pub fn in_list_of(&self, total: u64) -> Vec<u64> {
        let expected = |&front: &u64| {
            let back = self.total - front;
            if front <= back {
                front
            } else {
                total.saturating_sub(back)
            }
        };
        self.positions.iter().map(expected).collect()
    }
}

/// A file in eight bytes, the same while the process lives.
pub fn hash(key: FileKey) -> u64 {
    static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::default);
    HASHER.hash_one(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_keep_their_distance_from_the_nearer_end() {
        let boundaries = Boundaries {
            positions: vec![10, 90],
            total: 100,
        };
        assert_eq!(boundaries.in_list_of(100), [10, 90]);
        assert_eq!(boundaries.in_list_of(150), [10, 140]);
        assert_eq!(boundaries.in_list_of(5), [10, 0]);
    }
}
