//! When the rows of a folder were walked that one count does not read.

use std::time::Duration;

use tokio::time::Instant;

use crate::collect::queue::Walk;
use crate::collect::sorted::PAGES_OF_A_RUN;
use crate::collect::strategy::FEW_PAGES;
use crate::count::{FolderCount, Way};
use crate::model::Status;
use crate::portal::PAGE_SIZE;

/// Failed and flagged files of many pages are walked again after this time, and those of few pages if their numbers stay until then.
const EVERY: Duration = Duration::from_mins(10);

/// Numbers of failed and of flagged files.
type Files = [u64; 2];

#[derive(Debug, Default)]
pub(in crate::collect) struct Walks {
    /// Failed and flagged files by the last count, if it left out rows because they are too many.
    left_out: Option<Files>,
    /// When their rows were read last, or as many as possible, and how many files there were.
    last: Option<(Instant, Files)>,
    /// Whether that read missed files that only another one shows to be gone.
    misses_files: bool,
    /// When a walk of all rows ended last in this process, one way or another.
    pub last_of_all: Option<Instant>,
}

impl Walks {
    /// The folder was counted. `misses_files`: whether some are gone if the next read of their rows misses them, too.
    pub fn counted(&mut self, count: &FolderCount, misses_files: bool, now: Instant) {
        let files = Status::WITH_REASON.map(|status| count.files[status]);
        let leaves_out =
            |status| count.files[status] > PAGES_OF_A_RUN * PAGE_SIZE && !count.whole[status];
        let is_short =
            count.way() == Way::Sorted && Status::WITH_REASON.into_iter().any(leaves_out);
        self.left_out = is_short.then_some(files);
        if !is_short {
            self.last = Some((now, files));
            self.misses_files = misses_files;
        }
    }

    /// A walk ended, one way or another.
    pub fn ended(&mut self, walk: Walk, now: Instant) {
        match walk {
            Walk::WithReason => {
                if let Some(files) = self.left_out {
                    self.last = Some((now, files));
                    self.misses_files = false;
                }
            }
            Walk::AllRows => self.last_of_all = Some(now),
        }
    }

    /// Whether files were counted since that time whose rows no walk has looked for.
    pub fn are_owed(&self) -> bool {
        let walked = self.last.map(|(_, files)| files);
        self.left_out.is_some() && self.left_out != walked
    }

    pub fn are_due(&self, now: Instant) -> bool {
        let Some((at, files)) = self.last else {
            return self.left_out.is_some();
        };
        self.left_out.is_some_and(|left_out| {
            let pages: u64 = left_out.iter().map(|files| files.div_ceil(PAGE_SIZE)).sum();
            let is_asked = left_out != files || self.misses_files;
            now.saturating_duration_since(at) >= EVERY || is_asked && pages <= FEW_PAGES
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use crate::model::ByStatus;
    use crate::model::Status::Failed;

    #[test]
    fn a_walk_is_due_when_the_numbers_of_files_differ_or_after_ten_minutes_and_a_long_one_only_then()
     {
        let count = |failed: u64, is_whole: bool| {
            let mut count = FolderCount::default();
            count.files[Failed] = failed;
            count.whole = ByStatus::from_fn(|status| status != Failed || is_whole);
            count
        };
        let start = Moment::now().steady;
        for (walked, failed, is_whole, minutes, are_due) in [
            (None, 2_001, false, 0, true),
            (None, 2_001, true, 0, false),
            (None, 2_000, false, 20, false),
            (Some((3_000, false)), 3_000, false, 9, false),
            (Some((3_000, false)), 3_000, false, 10, true),
            (Some((3_000, false)), 3_001, false, 1, true),
            (Some((3_000, true)), 3_000, false, 1, true),
            (Some((6_000, false)), 6_001, false, 9, false),
            (Some((6_000, true)), 6_001, false, 9, false),
            (Some((6_000, false)), 6_001, false, 10, true),
        ] {
            let mut walks = Walks::default();
            if let Some((failed, misses_files)) = walked {
                walks.counted(&count(failed, true), misses_files, start);
            }
            let now = start + Duration::from_mins(minutes);
            walks.counted(&count(failed, is_whole), false, now);
            assert_eq!(
                walks.are_due(now),
                are_due,
                "{walked:?} {failed} {is_whole} {minutes}"
            );
        }
    }
}
