//! Compares the counts of an audit with those that boundaries gave meanwhile: pure.

use crate::count::FolderCount;
use crate::model::{ByStatus, FileMap, Status};

/// The counts of boundaries from the last before an audit began to the first after it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::collect) struct Range {
    /// The last counts before the audit.
    pub before: ByStatus<u64>,
    least: ByStatus<u64>,
    most: ByStatus<u64>,
    /// Whether all counts were consistent and the same.
    still: bool,
}

/// What an audit found that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::collect) struct Audited {
    pub files: ByStatus<u64>,
    pub consistent: bool,
    /// Whether the pages listed every file that the total counts.
    pub lists_all: bool,
    /// The files that are not done.
    pub unfinished: FileMap<Status>,
}

impl Audited {
    /// Files that are not done in one of two audits, and not so in the other one.
    pub fn changed_since(&self, before: &Self) -> u64 {
        let missing = |one: &Self, other: &Self| {
            let differs =
                |(key, status): &(_, &Status)| other.unfinished.get(*key) != Some(*status);
            one.unfinished.iter().filter(differs).count() as u64
        };
        missing(self, before).max(missing(before, self))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::collect) enum Verdict {
    /// The boundaries are right.
    Agreed {
        /// Whether the folder has several statuses: a list of one status is sorted in any order.
        shows_sorting: bool,
    },
    /// The boundaries are wrong, unless files changed meanwhile and their counts did not.
    Wrong {
        /// By so many files of a status, at least.
        files: u64,
    },
    /// Files changed too much to tell, or the pages do not list all.
    Inconclusive,
}

impl Range {
    pub fn new(before: ByStatus<u64>) -> Self {
        Self {
            before,
            least: before,
            most: before,
            still: true,
        }
    }

    /// Boundaries gave these counts.
    pub fn add(&mut self, files: &ByStatus<u64>, consistent: bool) {
        self.still &= consistent && *files == self.before;
        self.least = ByStatus::from_fn(|status| self.least[status].min(files[status]));
        self.most = ByStatus::from_fn(|status| self.most[status].max(files[status]));
    }

    pub fn verdict(&self, audited: &Audited) -> Verdict {
        let outside = |status: Status| {
            let (least, most) = (self.least[status], self.most[status]);
            let files = audited.files[status];
            files.saturating_sub(most).max(least.saturating_sub(files))
        };
        let files = Status::ALL.into_iter().map(outside).max().unwrap_or(0);
        let statuses = audited.files.iter().filter(|(_, files)| **files > 0);
        match () {
            () if files == 0 && audited.lists_all => Verdict::Agreed {
                shows_sorting: statuses.count() > 1,
            },
            () if self.still && audited.consistent => Verdict::Wrong { files },
            () => Verdict::Inconclusive,
        }
    }

    /// How much an audit differs from the counts before it.
    pub fn difference(&self, audited: &ByStatus<u64>) -> ByStatus<i64> {
        ByStatus::from_fn(|status| {
            let of = |counts: &ByStatus<u64>| i64::try_from(counts[status]).unwrap_or(i64::MAX);
            of(audited).saturating_sub(of(&self.before))
        })
    }
}

impl From<&FolderCount> for Audited {
    fn from(count: &FolderCount) -> Self {
        Self {
            files: count.files,
            consistent: count.consistent,
            lists_all: count.missing_rows == 0,
            unfinished: count
                .unfinished
                .iter()
                .map(|(key, file)| (*key, file.status))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Status::{Done, Failed};

    fn counts(done: u64, failed: u64) -> ByStatus<u64> {
        ByStatus::from_fn(|status| match status {
            Done => done,
            Failed => failed,
            _ => 0,
        })
    }

    fn verdict(boundaries: &[(u64, u64)], audited: (u64, u64), consistent: bool) -> Verdict {
        let mut all = boundaries
            .iter()
            .map(|(done, failed)| counts(*done, *failed));
        let mut range = Range::new(all.next().unwrap());
        all.for_each(|files| range.add(&files, true));
        range.verdict(&Audited {
            files: counts(audited.0, audited.1),
            consistent,
            lists_all: true,
            unfinished: FileMap::default(),
        })
    }

    #[test]
    fn an_audit_agrees_with_what_boundaries_counted_while_it_ran() {
        let agreed = |shows_sorting| Verdict::Agreed { shows_sorting };
        for (boundaries, audited, expected) in [
            (&[(90, 10), (90, 10)][..], (90, 10), agreed(true)),
            (&[(90, 0), (90, 0)], (90, 0), agreed(false)),
            (&[(90, 10), (85, 15), (88, 12)], (87, 13), agreed(true)),
            (
                &[(90, 10), (90, 10)],
                (80, 20),
                Verdict::Wrong { files: 10 },
            ),
            (&[(90, 10), (91, 10)], (80, 20), Verdict::Inconclusive),
        ] {
            assert_eq!(
                verdict(boundaries, audited, true),
                expected,
                "{boundaries:?}"
            );
        }
        let torn = verdict(&[(90, 10), (90, 10)], (89, 10), false);
        assert_eq!(torn, Verdict::Inconclusive);
    }

    #[test]
    fn counts_that_are_not_consistent_refute_nothing() {
        let mut range = Range::new(counts(90, 10));
        range.add(&counts(90, 10), false);
        let audited = Audited {
            files: counts(80, 20),
            consistent: true,
            lists_all: true,
            unfinished: FileMap::default(),
        };
        assert_eq!(range.verdict(&audited), Verdict::Inconclusive);
    }
}
