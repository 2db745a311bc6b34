//! Walks: counts by boundaries that read the rows of all failed and flagged files as well, where there are more than a count reads.
//!
//! They are made beside the collections, so that no count waits for them to be published.

use std::time::Duration;

use tokio::time::Instant;
use tracing::debug;

use crate::clock::Moment;
use crate::collect::Collector;
use crate::collect::error::ReadError;
use crate::collect::queue::{Due, Need, ReadKind};
use crate::collect::sorted::PAGES_OF_A_RUN;
use crate::collect::strategy::FEW_PAGES;
use crate::count::FolderCount;
use crate::model::{FolderId, Status};
use crate::portal::PAGE_SIZE;
use crate::snapshot::FolderState;

/// A walk of many pages is made again after this time, and one of few pages if the numbers of files stay until then.
const EVERY: Duration = Duration::from_mins(10);

/// Numbers of failed and of flagged files.
type Files = [u64; 2];

/// When the rows of a folder were read that one count does not read.
#[derive(Debug, Default)]
pub(super) struct Walks {
    /// Files by the last count, if it left out rows because they are too many.
    left_out: Option<Files>,
    /// When all rows were read last, or as many as possible, and how many files there were.
    last: Option<(Instant, Files)>,
}

impl Walks {
    /// The folder was counted.
    pub fn counted(&mut self, count: &FolderCount, now: Instant) {
        let files = Status::WITH_REASON.map(|status| count.files[status]);
        let leaves_out =
            |status| count.files[status] > PAGES_OF_A_RUN * PAGE_SIZE && !count.whole[status];
        let is_short = Status::WITH_REASON.into_iter().any(leaves_out);
        self.left_out = is_short.then_some(files);
        if !is_short {
            self.last = Some((now, files));
        }
    }

    /// A walk ended, one way or another.
    pub fn ended(&mut self, now: Instant) {
        if let Some(files) = self.left_out {
            self.last = Some((now, files));
        }
    }

    /// The pages of the walk that is due, if one is.
    fn due(&self, now: Instant) -> Option<u64> {
        let files = self.left_out?;
        let pages = files.iter().map(|files| files.div_ceil(PAGE_SIZE)).sum();
        let is_due = self.last.is_none_or(|(at, last)| {
            now.saturating_duration_since(at) >= EVERY || files != last && pages <= FEW_PAGES
        });
        is_due.then_some(pages)
    }
}

impl Collector {
    /// Begins the walks that are due and for which there is room, the shortest first.
    pub(super) fn start_walks(&mut self) {
        while !self.log.is_single()
            && self.may_read()
            && self.queue.has_room_for_large(self.concurrency())
            && let Some(id) = self.next_walk()
            && let Some(folder) = self.folders.get_mut(id)
        {
            let due = Due {
                need: Need::Pressing,
                at: Moment::now().steady,
            };
            let read = folder.queue(ReadKind::Walk, due);
            let lane = self.queue.begin(&read);
            self.start_read(read, lane);
        }
    }

    fn next_walk(&self) -> Option<FolderId> {
        let now = Moment::now().steady;
        let folders = self.folders.iter();
        let folders = folders.filter(|folder| folder.view.state == FolderState::Counted);
        let folders = folders.filter(|folder| folder.is_idle());
        let due = folders.filter_map(|folder| Some((folder.walks.due(now)?, folder.view.id)));
        due.min().map(|(_, id)| id)
    }

    /// A walk failed, or was refused. What was counted before holds; the next collection counts the folder again, and shows what is wrong.
    pub(super) fn walk_failed(&mut self, id: FolderId, error: &ReadError) {
        let portal = &self.settings.portal.name;
        debug!(%portal, %id, %error, "not all failed and flagged files of a folder were read");
        if let Some(folder) = self.folders.get_mut(id) {
            folder.forget_read();
            folder.walks.ended(Moment::now().steady);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        for (walked, failed, is_whole, minutes, pages) in [
            (None, 2_001, false, 0, Some(21)),
            (None, 2_001, true, 0, None),
            (None, 2_000, false, 20, None),
            (Some(3_000), 3_000, false, 9, None),
            (Some(3_000), 3_000, false, 10, Some(30)),
            (Some(3_000), 3_001, false, 1, Some(31)),
            (Some(6_000), 6_001, false, 9, None),
            (Some(6_000), 6_001, false, 10, Some(61)),
        ] {
            let mut walks = Walks::default();
            if let Some(failed) = walked {
                walks.counted(&count(failed, true), start);
            }
            let now = start + Duration::from_mins(minutes);
            walks.counted(&count(failed, is_whole), now);
            assert_eq!(
                walks.due(now),
                pages,
                "{walked:?} {failed} {is_whole} {minutes}"
            );
        }
    }
}
