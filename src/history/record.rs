//! The facts that are stored about a folder.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::classify::NewestFiles;
use crate::count::{DoneFiles, FolderCount, Way};
use crate::history::counters::FolderCounters;
use crate::history::day::Day;
use crate::history::entries::Unidentified;
use crate::model::{ByStatus, FolderSizes, Timestamp};

/// The stored facts about the last count of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderRecord {
    /// When its first count ended: no file was seen in any state before that.
    pub first_counted: Timestamp,
    /// When the last read that counted the folder began.
    pub began: Timestamp,
    /// When that read ended: the time of the counts.
    pub counted: Timestamp,
    /// The last time that every page was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_read: Option<FullRead>,
    /// Files by status at that read.
    pub counts: ByStatus<u64>,
    pub look: Look,
    /// The files of each status that were counted, and whose rows no read has shown.
    pub unidentified: ByStatus<Unidentified>,
    /// The counters since the folder was first counted. Shared, because in most folders they seldom change.
    pub counters: Arc<FolderCounters>,
    #[serde(default)]
    pub day: Arc<Day>,
    /// The newest failed and flagged files whose rows were read, if there are some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest: Option<Arc<NewestFiles>>,
}

impl FolderRecord {
    /// Whether no read has shown anything of the folder: its list was empty, although the list of folders reports files.
    pub(super) fn shows_nothing(&self) -> bool {
        self.counts.total() == 0 && self.unidentified == ByStatus::default()
    }
}

/// How a folder was counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    pub way: Way,
    /// Whether all totals agreed, the rows were as many as the total, and either all rows were read and distinct, or every boundary
    /// between statuses was the same in both passes.
    pub consistent: bool,
    pub requests: u64,
    /// How long it took.
    pub duration: Duration,
    /// Files that the list of folders reports, and that reads do not find; 0 until several reads agree on that.
    pub missing_files: u64,
}

/// The entry of a folder in the list of folders, as far as it shows changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListEntry {
    pub file_count: u64,
    pub updated_at: Option<Timestamp>,
}

impl ListEntry {
    /// Whether this differs from an earlier one. A missing `updated_at` is no difference.
    pub fn differs(self, earlier: Self) -> bool {
        let updated = self.updated_at.zip(earlier.updated_at);
        self.file_count != earlier.file_count || updated.is_some_and(|(now, then)| now != then)
    }
}

/// Facts that only a read of every page shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FullRead {
    /// When the last page was read.
    pub at: Timestamp,
    pub sizes: FolderSizes,
    /// Files that the total counts and no page lists.
    pub missing_rows: u64,
    /// Rows that it found again.
    #[serde(default)]
    pub repeated_rows: u64,
    /// Whether another read is to show that rows are missing or come twice: the read before found other numbers of them.
    #[serde(default)]
    pub is_doubtful: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scanned: Option<Scanned>,
}

/// What a consistent full scan counted, and the folder's entry when it began: the counts of a folder that has not changed since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scanned {
    pub counts: ByStatus<u64>,
    pub entry: ListEntry,
}

impl FullRead {
    /// What a count shows that read every page, and the one before. `entry`: the folder's entry when the read began.
    pub fn of(
        count: &FolderCount,
        entry: Option<ListEntry>,
        at: Timestamp,
        before: Option<Self>,
    ) -> Option<Self> {
        let DoneFiles::Read { sizes, .. } = count.done else {
            return None;
        };
        let counts = count.files;
        let scanned = entry.filter(|_| count.consistent);
        let faults = (count.missing_rows, count.repeated_rows);
        let before = before.map_or((0, 0), |before| (before.missing_rows, before.repeated_rows));
        Some(Self {
            at,
            sizes,
            missing_rows: count.missing_rows,
            repeated_rows: count.repeated_rows,
            is_doubtful: faults != (0, 0) && faults != before,
            scanned: scanned.map(|entry| Scanned { counts, entry }),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn rows_that_are_missing_or_come_twice_are_in_doubt_until_two_reads_find_as_many() {
        let mut before = None;
        for (missing_rows, repeated_rows, is_doubtful) in [
            (0, 0, false),
            (1, 1, true),
            (1, 2, true),
            (1, 2, false),
            (0, 0, false),
            (1, 2, true),
        ] {
            let count = FolderCount {
                done: DoneFiles::Read {
                    sizes: FolderSizes::default(),
                    noted: HashSet::new(),
                },
                missing_rows,
                repeated_rows,
                ..FolderCount::default()
            };
            before = FullRead::of(&count, None, Timestamp::from_millis(0), before);
            assert_eq!(before.unwrap().is_doubtful, is_doubtful);
        }
    }
}
