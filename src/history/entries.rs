//! How many files entered each status.

use serde::{Deserialize, Serialize};

use crate::count::FolderCount;
use crate::model::{ByStatus, Status};

/// The files of a status that were counted and whose rows no read has shown. Of a status without a reason: all of its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unidentified {
    /// No count was consistent, and there were too few reads. The number of reads.
    Unknown(u8),
    Files(u64),
}

impl Default for Unidentified {
    fn default() -> Self {
        Self::Unknown(0)
    }
}

/// What a read shows about the files of each status. Those of a status without a reason are neither new nor remembered.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The statuses of which every file is listed, and not only counted.
    pub complete: ByStatus<bool>,
    /// Files that are listed and whose last settled status was another one, or none.
    pub new: ByStatus<u64>,
    /// Files that are remembered after the read and may be in the status.
    pub remembered: ByStatus<u64>,
    /// Files of the status that had to be forgotten.
    pub evicted: ByStatus<u64>,
}

impl Unidentified {
    /// A read that left out at most this number of files is good enough to begin with.
    const FEW: u64 = 10;

    /// Inconsistent reads after which every row was listed. Pages of files with equal names in an arbitrary order leave out 37 rows of 100
    /// at most, so that sixteen reads leave out one row in eight million.
    const ENOUGH: u8 = 16;

    pub fn files(self) -> Option<u64> {
        match self {
            Self::Unknown(_) => None,
            Self::Files(files) => Some(files),
        }
    }

    /// The files that entered a status by a read, and the value after it.
    pub(super) fn after(self, status: Status, count: &FolderCount, seen: &Seen) -> (u64, Self) {
        let (new, evicted) = (seen.new[status], seen.evicted[status]);
        let unidentified = count.files[status].saturating_sub(seen.remembered[status]);
        let is_base = count
            .left_out
            .map_or(count.consistent, |files| files <= Self::FEW);
        let lacks_files = !count.consistent || count.left_out > Some(0);
        match (self, count.consistent) {
            // An empty list, where the list of folders reports files, shows nothing.
            (Self::Unknown(_), _) if count.files.total() == 0 && lacks_files => (0, self),
            // Without a count, nothing is known of files that are not listed.
            (_, false) if !status.has_reason() => (0, self),
            (Self::Unknown(reads), _) if reads + 1 < Self::ENOUGH && !is_base => {
                (0, Self::Unknown(reads + 1))
            }
            // All rows were listed, and those that occur twice were counted twice.
            (Self::Unknown(_), false) if count.whole[status] => (0, Self::Files(0)),
            (Self::Unknown(_), _) => (0, Self::Files(unidentified)),
            (Self::Files(before), true) => {
                // Where all rows of failed or flagged files were read, a file that none of them shows enters when one does: it may have been
                // counted twice.
                let are_read = status.has_reason() && count.whole[status];
                let unidentified = if are_read && !seen.complete[status] {
                    unidentified.min(before)
                } else {
                    unidentified
                };
                let entered = (new + unidentified).saturating_sub(before + evicted);
                (entered, Self::Files(unidentified))
            }
            (Self::Files(before), false) => {
                let left = before.saturating_sub(new) + evicted;
                (new.saturating_sub(before), Self::Files(left))
            }
        }
    }
}
