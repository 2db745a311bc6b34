//! When a folder is read next: pure (docs/architecture.md, Which folders are read).
//!
//! A folder that *presses* is due in each interval: its entry in the list changed, it has files that move, or it could not be counted. The
//! time between two reads of any other folder is the time for which nothing new was found, up to `collect.quiet_every`.

use std::time::Duration;

use tokio::time::Instant;

use crate::collect::queue::{Due, Need};
use crate::history::ListEntry;
use crate::portal::ListedFolder;

/// A read may begin earlier than it should by this part of an interval, because collections do not begin to the second.
const EARLY_SHARE: u32 = 4;

/// How a read ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadOutcome {
    Counted,
    /// The folder is gone, or refused while it is listed: the portal answered 403 or 404.
    NothingToCount,
    /// It could not count the folder.
    Failed,
}

/// The time between two reads of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReadIntervals {
    /// Folders that press: in each interval.
    pub interval: Duration,
    /// The longest time between two reads (`collect.quiet_every`).
    pub quiet_every: Duration,
}

/// When a folder was read, and what the list says since.
#[derive(Debug, Default)]
pub(super) struct ReadLog {
    listed: Option<ListEntry>,
    last: Option<LastRead>,
    /// When the last read began that found something new.
    steady_since: Option<Instant>,
}

#[derive(Debug)]
struct LastRead {
    /// When a collection made it due: from then on, the time to the next read counts, however long it waited for its turn.
    queued: Instant,
    began: Instant,
    /// The entry of the list that it began with.
    entry: Option<ListEntry>,
    /// While it is under way, that of the read before.
    outcome: Option<ReadOutcome>,
}

impl ReadLog {
    pub fn listed(&mut self, folder: &ListedFolder) {
        self.listed = Some(ListEntry {
            file_count: folder.file_count,
            updated_at: folder.updated_at,
        });
    }

    /// A read begins that was queued at a time.
    pub fn begin(&mut self, queued: Instant, now: Instant) {
        let before = self.last.take().and_then(|last| last.outcome);
        self.last = Some(LastRead {
            queued,
            began: now,
            entry: self.listed,
            outcome: before,
        });
    }

    /// The read ended; `same`: it counted the folder and found what the one before it had found.
    pub fn end(&mut self, outcome: ReadOutcome, same: bool) {
        let Some(last) = &mut self.last else { return };
        let again = last.outcome.replace(outcome) == Some(outcome);
        let is_steady = again && (same || outcome == ReadOutcome::NothingToCount);
        if !is_steady {
            self.steady_since = Some(last.queued);
        }
    }

    /// The folder's entry in the latest list.
    pub fn entry(&self) -> Option<ListEntry> {
        self.listed
    }

    /// The entry that the last read began with.
    pub fn entry_read(&self) -> Option<ListEntry> {
        self.last.as_ref().and_then(|last| last.entry)
    }

    /// The folder is read again in the next collection, although nothing changed.
    pub fn press(&mut self) {
        if let Some(last) = &mut self.last {
            last.outcome = None;
        }
    }

    /// The folder came back: what was known of its reads does not hold any more.
    pub fn forget_reads(&mut self) {
        self.last = None;
    }

    /// When this process read the folder last.
    pub fn last_began(&self) -> Option<Instant> {
        self.last.as_ref().map(|last| last.began)
    }

    /// Whether the last read was refused, or found that the folder is gone. The list does not show when that ends.
    pub fn is_refused(&self) -> bool {
        let outcome = self.last.as_ref().and_then(|last| last.outcome);
        outcome == Some(ReadOutcome::NothingToCount)
    }

    /// When the folder is due by the reads of this process; none if there was none. `moves`: whether its files may change their
    /// status by themselves.
    pub fn due(&self, moves: bool, intervals: ReadIntervals) -> Option<Due> {
        let last = self.last.as_ref()?;
        let need = self.need(last, moves);
        let steady_since = self.steady_since.unwrap_or(last.queued);
        let steady = last.queued.saturating_duration_since(steady_since);
        let wait = match need {
            Need::Pressing => intervals.interval,
            Need::Quiet => steady.min(intervals.quiet_every).max(intervals.interval),
        };
        // Of folders that wait for longer than that, the one has its turn first that was read longest ago.
        let at = (last.queued + wait).max(last.began);
        Some(Due { need, at })
    }

    fn need(&self, last: &LastRead, moves: bool) -> Need {
        let changed = self.listed.zip(last.entry);
        match last.outcome {
            Some(ReadOutcome::NothingToCount) => Need::Quiet,
            None | Some(ReadOutcome::Failed) => Need::Pressing,
            Some(ReadOutcome::Counted) => {
                if moves || changed.is_some_and(|(now, then)| now.differs(then)) {
                    Need::Pressing
                } else {
                    Need::Quiet
                }
            }
        }
    }
}

impl ReadIntervals {
    /// Whether a folder that is due at a time is read in the collection that begins now.
    pub fn is_due(self, due: Due, now: Instant) -> bool {
        due.at <= now + self.interval / EARLY_SHARE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use crate::model::{FolderName, Timestamp};
    use ReadOutcome::{Counted, Failed, NothingToCount};

    const MINUTE: Duration = Duration::from_mins(1);

    const INTERVALS: ReadIntervals = ReadIntervals {
        interval: MINUTE,
        quiet_every: Duration::from_mins(10),
    };

    fn listed(file_count: u64, updated: Option<i64>) -> ListedFolder {
        ListedFolder {
            id: uuid::Uuid::nil().into(),
            name: FolderName::new("Inbox"),
            file_count,
            created_at: None,
            updated_at: updated.map(Timestamp::from_millis),
        }
    }

    /// The minutes between reads of which each begins as soon as it is due, from the first one on.
    fn gaps(reads: &[(ReadOutcome, bool)], moves: bool) -> Vec<u64> {
        let (mut log, mut now) = (ReadLog::default(), Moment::now().steady);
        let gaps = reads.iter().map(|(outcome, same)| {
            log.begin(now, now);
            log.end(*outcome, *same);
            let due = log.due(moves, INTERVALS).unwrap().at;
            let gap = due - now;
            now = due;
            gap.as_secs() / 60
        });
        gaps.collect()
    }

    #[test]
    fn a_folder_is_read_less_often_the_longer_nothing_new_is_found() {
        let (new, same) = ((Counted, false), (Counted, true));
        let (refused, failed) = ((NothingToCount, false), (Failed, false));
        let steady = [new, same, same, same, same, same, same];
        assert_eq!(gaps(&steady, false), [1, 1, 2, 4, 8, 10, 10]);
        assert_eq!(gaps(&steady, true), [1; 7]);
        assert_eq!(
            gaps(&[new, same, same, new, same, same], false),
            [1, 1, 2, 1, 1, 2]
        );
        assert_eq!(gaps(&[refused; 5], false), [1, 1, 2, 4, 8]);
        assert_eq!(gaps(&[failed; 4], false), [1; 4]);
        assert_eq!(gaps(&[failed, refused, refused, new], false), [1; 4]);
    }

    #[test]
    fn of_folders_that_wait_for_long_the_one_is_next_that_was_read_longest_ago() {
        let start = Moment::now().steady;
        let due = |queued: u32, began: u32| {
            let mut log = ReadLog::default();
            log.begin(start + queued * MINUTE, start + began * MINUTE);
            log.end(Counted, true);
            log.due(false, INTERVALS).unwrap().at
        };
        assert!(due(0, 5) > due(1, 4));
        assert_eq!(due(3, 3), due(3, 4));
    }

    #[test]
    fn a_change_in_the_list_makes_a_folder_due_and_one_that_cannot_be_seen_does_not() {
        for (now, gap) in [
            (listed(5, Some(1)), 10),
            (listed(6, Some(1)), 1),
            (listed(5, Some(2)), 1),
            (listed(5, None), 10),
        ] {
            let began = Moment::now().steady + 10 * MINUTE;
            let mut log = ReadLog {
                steady_since: Some(began - 10 * MINUTE),
                ..ReadLog::default()
            };
            log.listed(&listed(5, Some(1)));
            log.begin(began, began);
            log.end(Counted, true);
            log.steady_since = Some(began - 10 * MINUTE);
            log.listed(&now);
            let due = log.due(false, INTERVALS).unwrap().at;
            assert_eq!(due - began, gap * MINUTE, "{now:?}");
            let need = Need::Quiet;
            let due = Due { need, at: due };
            assert!(INTERVALS.is_due(due, due.at - MINUTE / 4));
            assert!(!INTERVALS.is_due(due, due.at - MINUTE / 3));
        }
    }
}
