//! How many files entered each status.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::history::record::FolderRecord;
use crate::history::update::CompletedRead;
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

/// What a read shows about the files of one status.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// Files that are listed, and whose last settled status was another one, or none.
    new: u64,
    /// Counted files that are not remembered.
    unidentified: u64,
    /// Files that had to be forgotten.
    evicted: u64,
}

impl Unidentified {
    /// Inconsistent reads after which every row was listed. Pages of files with equal names in an arbitrary order leave out 37 rows of 100
    /// at most, so that sixteen reads leave out one row in eight million.
    const ENOUGH: u8 = 16;

    pub fn files(self) -> Option<u64> {
        match self {
            Self::Unknown(_) => None,
            Self::Files(files) => Some(files),
        }
    }

    /// The files that entered the status by a read, and the value after it.
    const fn after(self, seen: Seen, is_consistent: bool) -> (u64, Self) {
        let Seen {
            new,
            unidentified,
            evicted,
        } = seen;
        match self {
            Self::Unknown(reads) if !is_consistent && reads + 1 < Self::ENOUGH => {
                (0, Self::Unknown(reads + 1))
            }
            Self::Unknown(_) => (0, Self::Files(unidentified)),
            Self::Files(before) if is_consistent => {
                let entered = (new + unidentified).saturating_sub(before + evicted);
                (entered, Self::Files(unidentified))
            }
            Self::Files(before) => {
                let left = before.saturating_sub(new) + evicted;
                (new.saturating_sub(before), Self::Files(left))
            }
        }
    }
}

/// Adds the entries of a read to the record of the read before. `new`: files that are listed in a status with a reason and were not
/// settled there; `remembered`: files that are remembered in a status with a reason after the read; `evicted`: those that had
/// to be forgotten.
pub(super) fn add(
    record: &mut FolderRecord,
    read: &CompletedRead<'_>,
    new: &ByStatus<u64>,
    remembered: &ByStatus<u64>,
    evicted: &ByStatus<u64>,
) {
    let mut entered = ByStatus::<u64>::default();
    for status in Status::ALL {
        // Without a count, nothing is known of files whose rows are not remembered.
        if !read.count.consistent && !status.has_reason() {
            continue;
        }
        let seen = Seen {
            new: new[status],
            unidentified: read.count.files[status].saturating_sub(remembered[status]),
            evicted: evicted[status],
        };
        let unidentified = &mut record.unidentified[status];
        (entered[status], *unidentified) = unidentified.after(seen, read.count.consistent);
    }
    if entered.total() > 0 {
        Arc::make_mut(&mut record.counters).entries += entered;
    }
}
