//! How many files entered each status: by identity, or by the growth of consistent counts.

use crate::history::record::{FolderRecord, Listing, Settled};
use crate::history::update::CompletedRead;
use crate::model::{ByStatus, Status};

/// What a read tells about the files of one status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grade {
    /// Consistent, and all of them are listed.
    Whole,
    /// Consistent, and not all of them are listed.
    Counted,
    /// Not consistent. Whether the rows that were read had room.
    Torn { fits: bool },
}

impl Grade {
    fn of(read: &CompletedRead<'_>, status: Status) -> Self {
        match (read.consistent, read.reading.fits[status]) {
            (true, true) => Self::Whole,
            (true, false) => Self::Counted,
            (false, fits) => Self::Torn { fits },
        }
    }
}

impl Listing {
    /// What it is after another read.
    const fn after(self, grade: Grade) -> Self {
        match (grade, self) {
            (Grade::Whole, Self::Torn(_)) => Self::Once,
            (Grade::Whole, _) => Self::Whole,
            (Grade::Counted, _) => Self::NONE,
            (Grade::Torn { fits: true }, Self::Torn(reads)) => Self::Torn(reads.saturating_add(1)),
            (Grade::Torn { .. }, _) => self,
        }
    }

    /// Whether a file that a read of this grade lists, and that is not remembered, was not there before.
    fn tells_new_files(self, grade: Grade) -> bool {
        match grade {
            Grade::Whole => !matches!(self, Self::Torn(_)),
            Grade::Counted => false,
            Grade::Torn { .. } => self.is_complete(),
        }
    }
}

/// Adds the entries of a read to a record that otherwise is as the read before left it. `fresh` is the number of files that are
/// listed in a settled status, are not remembered there, and were not left out by the only whole read.
pub(super) fn add(record: &mut FolderRecord, read: &CompletedRead<'_>, fresh: &ByStatus<u64>) {
    let counts = &read.reading.counts;
    let base = record.base;
    let entered = ByStatus::from_fn(|status| {
        let by_identity = Settled::of(status).is_some()
            && record.listing[status].tells_new_files(Grade::of(read, status));
        match base {
            _ if by_identity => fresh[status],
            Some(base) if read.consistent => counts[status].saturating_sub(base[status]),
            _ => 0,
        }
    });
    record.base = if read.consistent {
        Some(*counts)
    } else {
        base.map(|base| ByStatus::from_fn(|status| base[status] + entered[status]))
    };
    for status in Status::ALL {
        record.entries[status] += entered[status];
        record.listing[status] = record.listing[status].after(Grade::of(read, status));
    }
}
