//! Whether a folder's file list hides files: the list of folders says how many there are, too.

use crate::count::MAX_FILES;
use crate::history::Look;

/// Reads in a row that found fewer files than the list of folders reported before and after them. One may be due to a change.
const READS: u32 = 2;

/// The reported files that a read did not find; none if no folder can have so many.
pub(super) fn hidden(files: u64, reported: u64) -> u64 {
    if reported > MAX_FILES {
        return 0;
    }
    reported.saturating_sub(files)
}

/// Compares the totals of reads with what the list of folders reports.
#[derive(Debug, Default)]
pub(in crate::collect) struct Witnesses {
    /// Files that the latest read found, and those that were reported before it, until the next report.
    read: Option<(u64, u64)>,
    short_reads: u32,
    missing: u64,
}

impl Witnesses {
    /// What is known of the folder by its stored count.
    pub fn restored(look: Look) -> Self {
        Self {
            read: None,
            short_reads: if look.missing_files > 0 { READS } else { 0 },
            missing: look.missing_files,
        }
    }

    /// A read found this number of files; `reported` were reported before.
    pub fn counted(&mut self, files: u64, reported: u64) {
        self.read = Some((files, reported));
    }

    /// The list of folders reports this number of files.
    pub fn reported(&mut self, files: u64) {
        let Some((counted, before)) = self.read.take() else {
            return;
        };
        self.missing = hidden(counted, before.min(files));
        if self.missing > 0 {
            self.short_reads = self.short_reads.saturating_add(1);
        } else {
            self.short_reads = 0;
        }
    }

    /// Files that are reported, and that several reads did not find.
    pub fn missing(&self) -> u64 {
        if self.short_reads >= READS {
            self.missing
        } else {
            0
        }
    }

    /// Whether the latest read found fewer files than are reported.
    pub fn contradict(&self) -> bool {
        self.short_reads > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads of a folder: files found, files reported before; then what is missing after the report that follows.
    fn missing(reads: &[(u64, u64)], last: u64) -> Vec<u64> {
        let mut witnesses = Witnesses::default();
        let after = reads.iter().skip(1).map(|(_, reported)| *reported);
        let reports = after.chain([last]);
        let missing = reads.iter().zip(reports).map(|((found, before), after)| {
            witnesses.counted(*found, *before);
            witnesses.reported(after);
            witnesses.missing()
        });
        missing.collect()
    }

    #[test]
    fn files_are_missing_when_two_reads_found_fewer_than_both_reports_around_them() {
        for (reads, last, expected) in [
            (vec![(5, 7), (5, 7), (5, 7)], 7, vec![0, 2, 2]),
            // Files that are deleted one by one, and files that come.
            (vec![(9, 10), (8, 9), (7, 8)], 7, vec![0, 0, 0]),
            (vec![(9, 8), (10, 9), (11, 10)], 11, vec![0, 0, 0]),
            (vec![(5, 7), (7, 7), (5, 7)], 7, vec![0, 0, 0]),
            // A list that reports no number.
            (vec![(5, 0), (5, 0)], 0, vec![0, 0]),
        ] {
            assert_eq!(missing(&reads, last), expected, "{reads:?}");
        }
    }
}
