//! The result of a read of a folder: counts, and the files that are not done.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::classify::{Class, Classifier, Reason, Reasons};
use crate::model::{ByStatus, FileKey, FileMap, FolderSizes, Status, Timestamp, label_values};
use crate::portal::{FileRow, PageRequest};

/// Files that are not done and are remembered of one folder, at most (docs/metrics.md, Whole rows).
pub const MAX_REMEMBERED: usize = 100_000;

/// More files than any folder has: a portal that says so is wrong.
pub const MAX_FILES: u64 = 1_000_000_000_000;

/// Whether changes between two requests, or wrong numbers of a portal, usually explain that this number of files is missing.
pub fn are_few(missing: u64, of: u64) -> bool {
    const FEW: u64 = 10;
    const SHARE: u64 = 100;
    missing <= FEW.max(of / SHARE)
}

/// A file that is not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    pub status: Status,
    /// When it was uploaded by this machine's clock, if the portal says it.
    pub created_at: Option<Timestamp>,
    /// The class of its reason, if it failed or was flagged.
    pub class: Option<Class>,
}

impl Unfinished {
    /// The file of a row. `clock_ahead`: how far the portal's clock is ahead of ours, in milliseconds.
    pub fn read(
        row: &FileRow<'_>,
        classifier: &Classifier,
        reasons: &mut Reasons,
        clock_ahead: i64,
    ) -> Self {
        let status = row.status();
        let created_at = row.created_at();
        let created_at = created_at.map(|at| at.moved(clock_ahead.saturating_neg()));
        let class = status.has_reason().then(|| {
            let (text, file) = (row.reason(), row.filename());
            let reason = Reason {
                text: text.as_deref(),
                file: &file,
            };
            reasons.read(classifier, row.key(), status, created_at, reason)
        });
        Self {
            status,
            created_at,
            class,
        }
    }
}

label_values! {
    /// Whether lists are sorted by status, of a folder or of a portal: the label `state` of `kb_portal_sorting`.
    #[derive(Default, Serialize, Deserialize)]
    pub enum SortingState {
        /// Rows of full scans are in order.
        #[serde(rename = "sorted")]
        Shown = "shown",
        /// The portal's interface says so (docs/portal.md, File list), and no rows have shown or refuted it yet.
        #[default]
        #[serde(rename = "unknown")]
        Assumed = "assumed",
        /// Statuses come again after other ones, in two reads of the same pages.
        #[serde(rename = "unsorted")]
        Refuted = "refuted",
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FolderCount {
    pub files: ByStatus<u64>,
    /// What is kept of the reasons of the failed and flagged files that were read.
    pub reasons: Reasons,
    /// Whether the counts are those of one moment, if nothing contradicts it.
    pub consistent: bool,
    /// The files that are not done, or as many as the limit allows.
    pub unfinished: FileMap<Unfinished>,
    /// The statuses of which every row was read: by a full scan, or between two searches that counted as many files.
    pub whole: ByStatus<bool>,
    pub done: DoneFiles,
    /// A page that listed a failed file.
    pub failed_page: Option<PageRequest>,
    /// What its rows show about their order; `None` if they were not asked for in the order of status.
    pub order: Option<SortingState>,
    /// Files of the latest total, or of the list of folders, that were not listed, if it is known: other ones may be left out each time
    /// where the total stays the same and rows come twice.
    pub left_out: Option<u64>,
    /// Files that the total counts and no page lists, by a full scan whose totals agreed. Others may be listed twice in their place.
    pub missing_rows: u64,
    /// Rows that such a scan found again.
    pub repeated_rows: u64,
    pub requests: u64,
}

impl FolderCount {
    /// The statuses of which a consistent read lists every file: it read every row, and none of them twice. Done files need not be listed.
    pub fn complete(&self) -> ByStatus<bool> {
        let mut listed = ByStatus::<u64>::default();
        for file in self.unfinished.values() {
            listed[file.status] += 1;
        }
        ByStatus::from_fn(|status| {
            let lists_all = self.whole[status] && listed[status] >= self.files[status];
            status == Status::Done || self.consistent && lists_all
        })
    }

    /// Whether pages were read from both ends of the list.
    pub fn is_from_both_ends(&self) -> bool {
        matches!(&self.done, DoneFiles::Counted(boundaries) if boundaries.from_both_ends)
    }

    pub fn way(&self) -> Way {
        match self.done {
            DoneFiles::Read { .. } => Way::Full,
            DoneFiles::Counted(_) => Way::Sorted,
        }
    }
}

label_values! {
    /// How a folder was counted: the label `strategy` of `kb_folder_collection_requests`.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Way {
        #[default]
        Full = "full",
        Sorted = "sorted",
    }
}

/// What is known of the files that are done, by the way the folder was counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DoneFiles {
    /// A full scan read the row of each.
    Read {
        /// Bytes by status, of all files.
        sizes: FolderSizes,
        /// Those that were remembered as not done, and those that the ledger watches.
        noted: HashSet<FileKey>,
    },
    /// They were counted by the boundaries of their status.
    Counted(Boundaries),
}

impl Default for DoneFiles {
    fn default() -> Self {
        Self::Counted(Boundaries::default())
    }
}

/// The positions in a list sorted by status where one status ends and the next begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Boundaries {
    /// The positions in ascending order, counted from 0.
    pub positions: Vec<u64>,
    pub total: u64,
    /// Whether pages were read from both ends of the list.
    pub from_both_ends: bool,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_keep_their_distance_from_the_nearer_end() {
        let boundaries = Boundaries {
            positions: vec![10, 90],
            total: 100,
            ..Boundaries::default()
        };
        assert_eq!(boundaries.in_list_of(100), [10, 90]);
        assert_eq!(boundaries.in_list_of(150), [10, 140]);
        assert_eq!(boundaries.in_list_of(5), [10, 0]);
    }
}
