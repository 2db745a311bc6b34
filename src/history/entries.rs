//! How many files entered each status: by identity, or by the growth of consistent counts.

use std::sync::Arc;

use crate::history::record::{Coverage, FolderRecord};
use crate::history::update::CompletedRead;
use crate::model::{ByStatus, Status};

/// How completely a read listed the files of one status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grade {
    /// Consistent, and all of them are listed.
    Whole,
    /// Consistent, and not all of them are listed.
    Counted,
    /// Not consistent. Whether all rows that were read are listed.
    Torn { complete: bool },
}

impl Grade {
    fn of(read: &CompletedRead<'_>, status: Status) -> Self {
        match (read.count.consistent, read.count.complete[status]) {
            (true, true) => Self::Whole,
            (true, false) => Self::Counted,
            (false, complete) => Self::Torn { complete },
        }
    }
}

impl Coverage {
    /// The value after another read.
    const fn after(self, grade: Grade) -> Self {
        match (grade, self) {
            (Grade::Whole, Self::Torn(_)) => Self::Once,
            (Grade::Whole, _) => Self::Whole,
            (Grade::Counted, _) => Self::NONE,
            (Grade::Torn { complete: true }, Self::Torn(reads)) => {
                Self::Torn(reads.saturating_add(1))
            }
            (Grade::Torn { .. }, _) => self,
        }
    }

    /// Whether a file that a read of this grade lists, and that is not remembered, was not there before.
    fn proves_new_files(self, grade: Grade) -> bool {
        match grade {
            Grade::Whole => !matches!(self, Self::Torn(_)),
            Grade::Counted => false,
            Grade::Torn { .. } => self.is_complete(),
        }
    }
}

/// Adds the entries of a read to the record of the read before. `new` is the number of files that are
/// listed in a status with a reason, are not remembered there, and were not left out by the only whole read.
pub(super) fn add(record: &mut FolderRecord, read: &CompletedRead<'_>, new: &ByStatus<u64>) {
    let (counts, base) = (&read.count.files, record.base);
    let entered = ByStatus::from_fn(|status| {
        let by_identity = status.has_reason()
            && record.coverage[status].proves_new_files(Grade::of(read, status));
        match base {
            _ if by_identity => new[status],
            Some(base) if read.count.consistent => counts[status].saturating_sub(base[status]),
            _ => 0,
        }
    });
    record.base = if read.count.consistent {
        Some(*counts)
    } else {
        base.map(|mut base| {
            base += entered;
            base
        })
    };
    if entered.total() > 0 {
        Arc::make_mut(&mut record.counters).entries += entered;
    }
    for status in Status::ALL {
        record.coverage[status] = record.coverage[status].after(Grade::of(read, status));
    }
}
