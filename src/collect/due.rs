//! When a folder is read next: pure (docs/architecture.md, Which folders are read).
//!
//! A folder that *presses* is due in each collection: its entry in the list changed, it has files that move, its count is in doubt,
//! or it could not be counted.
//! Any other folder is due when `collect.quiet_every` has passed since its last read.

use std::time::Duration;

use tokio::time::Instant;

use crate::collect::queue::{Due, Need};
use crate::history::ListEntry;
use crate::portal::ListedFolder;

/// A quiet folder may be read earlier than it should by this part of `collect.quiet_every`, because collections do not begin to the second.
const EARLY_SHARE: u32 = 8;

/// File lists may be behind the list of folders by this much: a read that began earlier after a change may not show it.
const LIST_AHEAD: Duration = Duration::from_secs(30);

/// How a read ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadOutcome {
    Counted,
    /// The folder is gone, or refused while it is listed: the portal answered 403 or 404.
    NothingToCount,
    /// It could not count the folder.
    Failed,
}

/// When a folder was read, and what the list says since.
#[derive(Debug, Default)]
pub(super) struct ReadLog {
    /// The entry in the latest list, and when that was read.
    listed: Option<(ListEntry, Instant)>,
    /// When the entry changed, until a read has shown it.
    changed: Option<Instant>,
    last: Option<LastRead>,
    /// How the last read ended that is not under way any more.
    outcome: Option<ReadOutcome>,
}

#[derive(Debug)]
struct LastRead {
    began: Instant,
    /// The entry of the list that it began with.
    entry: Option<ListEntry>,
    /// Files by a list that had been read shortly before.
    reported: Option<u64>,
}

impl ReadLog {
    /// What is known of a read before this process.
    pub fn restored(began: Instant, outcome: ReadOutcome) -> Self {
        Self {
            last: Some(LastRead {
                began,
                entry: None,
                reported: None,
            }),
            outcome: Some(outcome),
            ..Self::default()
        }
    }

    pub fn listed(&mut self, folder: &ListedFolder, now: Instant) {
        let entry = ListEntry {
            file_count: folder.file_count,
            updated_at: folder.updated_at,
        };
        let before = self.listed.replace((entry, now));
        if before.is_some_and(|(before, _)| entry.differs(before)) {
            self.changed = Some(now);
        }
    }

    /// A read found other counts than the one before it.
    pub fn saw_change(&mut self) {
        self.changed = None;
    }

    pub fn begin(&mut self, now: Instant) {
        let recent = self.listed.filter(|(_, at)| now <= *at + LIST_AHEAD);
        self.last = Some(LastRead {
            began: now,
            entry: self.entry(),
            reported: recent.map(|(entry, _)| entry.file_count),
        });
    }

    pub fn end(&mut self, outcome: ReadOutcome) {
        self.outcome = Some(outcome);
    }

    /// The folder's entry in the latest list.
    pub fn entry(&self) -> Option<ListEntry> {
        self.listed.map(|(entry, _)| entry)
    }

    /// How many files the list reported shortly before the last read began.
    pub fn reported_recently(&self) -> Option<u64> {
        self.last.as_ref().and_then(|last| last.reported)
    }

    /// The folder came back: what was known of its reads does not hold any more.
    pub fn forget_reads(&mut self) {
        (self.last, self.outcome) = (None, None);
    }

    /// When the folder was read last.
    pub fn last_began(&self) -> Option<Instant> {
        self.last.as_ref().map(|last| last.began)
    }

    /// Whether the last read was refused, or found that the folder is gone. The list does not show when that ends.
    pub fn is_refused(&self) -> bool {
        self.outcome == Some(ReadOutcome::NothingToCount)
    }

    /// When the folder is due. `presses`: whether it presses whatever its reads and the list say.
    pub fn due(&self, presses: bool, quiet_every: Duration, now: Instant) -> Due {
        let quiet = self.last.as_ref().filter(|last| match self.outcome {
            Some(ReadOutcome::NothingToCount) => true,
            Some(ReadOutcome::Counted) => !presses && !self.shows_change(last),
            None | Some(ReadOutcome::Failed) => false,
        });
        match quiet {
            // Since a read before this process, nothing shows whether the folder changed.
            Some(last) => Due {
                need: Need::Quiet,
                at: last.entry.map_or(last.began, |_| last.began + quiet_every),
            },
            None => Due {
                need: Need::Pressing,
                at: now,
            },
        }
    }

    /// Whether the list shows a change that the last read has not shown.
    fn shows_change(&self, last: &LastRead) -> bool {
        let entries = self.entry().zip(last.entry);
        let is_early = |changed: Instant| last.began < changed + LIST_AHEAD;
        entries.is_some_and(|(now, then)| now.differs(then)) || self.changed.is_some_and(is_early)
    }
}

/// Whether a folder is read in the collection that begins now.
pub(super) fn is_due(due: Due, quiet_every: Duration, now: Instant) -> bool {
    match due.need {
        Need::Pressing => true,
        Need::Quiet => due.at <= now + quiet_every / EARLY_SHARE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use crate::model::{FolderName, Timestamp};
    use ReadOutcome::{Counted, Failed, NothingToCount};

    const MINUTE: Duration = Duration::from_mins(1);

    const QUIET_EVERY: Duration = Duration::from_mins(10);

    fn listed(file_count: u64, updated: Option<i64>) -> ListedFolder {
        ListedFolder {
            id: uuid::Uuid::nil().into(),
            name: FolderName::new("Inbox"),
            file_count,
            created_at: None,
            updated_at: updated.map(Timestamp::from_millis),
        }
    }

    /// The minutes after a read with this outcome at which a collection reads the folder again, of those in each minute.
    fn again_after(outcome: ReadOutcome, presses: bool, listed_now: &ListedFolder) -> u32 {
        let (mut log, start) = (ReadLog::default(), Moment::now().steady);
        log.listed(&listed(5, Some(1)), start);
        log.begin(start);
        log.end(outcome);
        log.listed(listed_now, start);
        let is_read = |minute: &u32| {
            let now = start + *minute * MINUTE;
            let due = log.due(presses, QUIET_EVERY, now);
            is_due(due, QUIET_EVERY, now)
        };
        (1..60).find(is_read).unwrap()
    }

    #[test]
    fn what_presses_is_read_in_each_collection_and_the_rest_about_every_ten_minutes() {
        let unchanged = listed(5, Some(1));
        for (outcome, presses, listed, minutes) in [
            (Counted, false, &unchanged, 9),
            (Counted, true, &unchanged, 1),
            (Failed, false, &unchanged, 1),
            (NothingToCount, true, &unchanged, 9),
            (Counted, false, &listed(6, Some(1)), 1),
            (Counted, false, &listed(5, Some(2)), 1),
            (Counted, false, &listed(5, None), 9),
        ] {
            let again = again_after(outcome, presses, listed);
            assert_eq!(again, minutes, "{outcome:?} {presses} {listed:?}");
        }
    }

    #[test]
    fn a_folder_that_changed_is_read_until_a_read_has_shown_it_or_is_late_enough() {
        let start = Moment::now().steady;
        let presses_after = |read: Duration, shown: bool| {
            let mut log = ReadLog::default();
            log.listed(&listed(5, Some(1)), start);
            log.listed(&listed(6, Some(2)), start);
            log.begin(start + read);
            log.end(Counted);
            if shown {
                log.saw_change();
            }
            log.due(false, QUIET_EVERY, start).need == Need::Pressing
        };
        for (seconds, shown, presses) in [
            (0, false, true),
            (29, false, true),
            (30, false, false),
            (0, true, false),
        ] {
            let read = Duration::from_secs(seconds);
            assert_eq!(presses_after(read, shown), presses, "{seconds} {shown}");
        }
    }

    #[test]
    fn a_report_says_nothing_about_a_read_that_begins_long_after_it() {
        let start = Moment::now().steady;
        for (seconds, recent) in [(0, Some(5)), (30, Some(5)), (31, None)] {
            let mut log = ReadLog::default();
            log.listed(&listed(5, None), start);
            log.begin(start + Duration::from_secs(seconds));
            assert_eq!(log.reported_recently(), recent, "{seconds}");
        }
    }

    #[test]
    fn of_quiet_folders_the_one_is_due_first_that_was_read_longest_ago() {
        let start = Moment::now().steady;
        let due = |began: u32| {
            let mut log = ReadLog::default();
            log.begin(start + began * MINUTE);
            log.end(Counted);
            log.due(false, QUIET_EVERY, start)
        };
        assert!(due(4) < due(5));
    }
}
