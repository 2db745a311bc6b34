//! Compares a full scan with the counts that boundaries gave just before and just after it: pure.

use crate::count::FolderCount;
use crate::model::{ByStatus, Status};

#[derive(Debug, Clone)]
pub(in crate::collect) struct Comparison {
    pub scan: FolderCount,
    /// The counts by boundaries before and after the scan, if there are both.
    pub boundaries: Option<(FolderCount, FolderCount)>,
    /// The files of the folder by the list of folders. If the file list has another number, some are hidden, and not the same ones in
    /// each order.
    pub reported: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::collect) enum Verdict {
    /// The boundaries are right, in a folder of several statuses.
    Sorted,
    /// The boundaries are wrong by so many files of a status at least, unless files changed meanwhile and their counts did not.
    Wrong { files: u64 },
    /// The folder has one status, its files changed too much to tell, or the pages do not list all.
    Inconclusive,
}

impl Comparison {
    pub fn verdict(&self) -> Verdict {
        let Some((before, after)) = &self.boundaries else {
            return Verdict::Inconclusive;
        };
        let outside = |status: Status| {
            let (before, after) = (before.files[status], after.files[status]);
            let files = self.scan.files[status];
            let above = files.saturating_sub(before.max(after));
            above.max(before.min(after).saturating_sub(files))
        };
        let files = Status::ALL.into_iter().map(outside).max().unwrap_or(0);
        let are_consistent = [before, after, &self.scan].map(|count| count.consistent) == [true; 3];
        let is_whole = self.reported == before.files.total();
        let lists_all = self.scan.missing_rows == 0;
        match files {
            0 if lists_all && has_several_statuses(&self.scan.files) => Verdict::Sorted,
            1.. if are_consistent && is_whole && before.files == after.files => {
                Verdict::Wrong { files }
            }
            _ => Verdict::Inconclusive,
        }
    }

    /// The verdict, where one just before found the boundaries wrong: they are, if that was by more files than changed from then to now.
    pub fn verdict_after(&self, first: &Self) -> Verdict {
        match (self.verdict(), first.verdict()) {
            (Verdict::Wrong { files }, Verdict::Wrong { files: before })
                if files.min(before) <= self.changed_since(first) =>
            {
                Verdict::Inconclusive
            }
            (verdict, _) => verdict,
        }
    }

    /// Files that are not done in one of two scans, and not so in the other one.
    fn changed_since(&self, before: &Self) -> u64 {
        let missing = |one: &FolderCount, other: &FolderCount| {
            let status = |count: &FolderCount, key| count.unfinished.get(key).map(|it| it.status);
            let mut files = 0;
            for key in one.unfinished.keys() {
                files += u64::from(status(one, key) != status(other, key));
            }
            files
        };
        let (now, before) = (&self.scan, &before.scan);
        missing(now, before).max(missing(before, now))
    }

    /// How much the scan differs from the count by boundaries before it.
    pub fn difference(&self) -> Option<ByStatus<i64>> {
        let (before, _) = self.boundaries.as_ref()?;
        Some(ByStatus::from_fn(|status| {
            let of = |count: &FolderCount| i64::try_from(count.files[status]).unwrap_or(i64::MAX);
            of(&self.scan).saturating_sub(of(before))
        }))
    }
}

pub(super) fn has_several_statuses(counts: &ByStatus<u64>) -> bool {
    counts.iter().filter(|(_, files)| **files > 0).count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::{Boundaries, DoneFiles, Unfinished};
    use crate::model::FileKey;

    /// A count of this many files that are done, and these that failed.
    fn count(done: u64, failed: std::ops::Range<u64>) -> FolderCount {
        let files = ByStatus::from_fn(|status| match status {
            Status::Done => done,
            Status::Failed => failed.end - failed.start,
            _ => 0,
        });
        let file = |number: u64| {
            let (link, id) = (u128::from(number), u128::from(number));
            let file = Unfinished {
                status: Status::Failed,
                created_at: None,
                class: None,
            };
            (FileKey { link, id }, file)
        };
        FolderCount {
            files,
            unfinished: failed.map(file).collect(),
            consistent: true,
            ..FolderCount::empty(DoneFiles::Counted(Boundaries::default()))
        }
    }

    fn compare(before: FolderCount, scan: FolderCount, after: FolderCount) -> Comparison {
        Comparison {
            scan,
            reported: before.files.total(),
            boundaries: Some((before, after)),
        }
    }

    #[test]
    fn an_audit_agrees_with_what_boundaries_count_before_and_after_it() {
        for (before, scan, after, expected) in [
            ((90, 10), (90, 10), (90, 10), Verdict::Sorted),
            ((90, 0), (90, 0), (90, 0), Verdict::Inconclusive),
            ((90, 10), (87, 13), (85, 15), Verdict::Sorted),
            ((90, 10), (80, 20), (90, 10), Verdict::Wrong { files: 10 }),
            ((90, 10), (80, 20), (91, 10), Verdict::Inconclusive),
        ] {
            let of = |(done, failed)| count(done, 0..failed);
            let comparison = compare(of(before), of(scan), of(after));
            assert_eq!(comparison.verdict(), expected, "{before:?} {scan:?}");
        }
    }

    #[test]
    fn counts_that_are_not_consistent_or_not_of_all_files_refute_nothing() {
        let wrong = || compare(count(90, 0..10), count(80, 0..20), count(90, 0..10));
        let mut torn = wrong();
        torn.scan.consistent = false;
        let mut unstable = wrong();
        if let Some((before, _)) = &mut unstable.boundaries {
            before.consistent = false;
        }
        let hidden = Comparison {
            reported: 110,
            ..wrong()
        };
        let unknown = Comparison {
            boundaries: None,
            ..wrong()
        };
        for comparison in [torn, unstable, hidden, unknown] {
            assert_eq!(comparison.verdict(), Verdict::Inconclusive);
        }
    }

    #[test]
    fn audits_that_are_off_by_what_changed_refute_nothing() {
        let of = |failed: std::ops::Range<u64>| {
            let files = failed.end - failed.start;
            compare(
                count(100, 0..10),
                count(110 - files, failed),
                count(100, 0..10),
            )
        };
        // As many files fail as recover all the time.
        for (failed, swapped, is_wrong) in
            [(9, 0, true), (9, 1, false), (8, 2, false), (4, 5, true)]
        {
            let verdict = of(swapped..swapped + failed).verdict_after(&of(0..failed));
            let is_found_wrong = matches!(verdict, Verdict::Wrong { .. });
            assert_eq!(is_found_wrong, is_wrong, "{failed} {swapped}");
        }
        // A file failed, and was done again when the boundaries were read.
        assert_eq!(of(0..10).verdict_after(&of(0..9)), Verdict::Sorted);
        let difference = of(0..60).difference().unwrap();
        assert_eq!(
            (difference[Status::Done], difference[Status::Failed]),
            (-50, 50)
        );
    }
}
