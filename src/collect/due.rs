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
    listed: Option<ListEntry>,
    /// When the list was read that has the entry.
    listed_at: Option<Instant>,
    /// When the entry changed, until a read has shown it.
    changed: Option<Instant>,
    last: Option<LastRead>,
}

#[derive(Debug)]
struct LastRead {
    began: Instant,
    /// The entry of the list that it began with.
    entry: Option<ListEntry>,
    /// Whether the list had been read shortly before.
    is_entry_recent: bool,
    /// While it is under way, that of the read before.
    outcome: Option<ReadOutcome>,
}

impl ReadLog {
    pub fn listed(&mut self, folder: &ListedFolder, now: Instant) {
        let entry = ListEntry {
            file_count: folder.file_count,
            updated_at: folder.updated_at,
        };
        self.listed_at = Some(now);
        let before = self.listed.replace(entry);
        if before.is_some_and(|before| entry.differs(before)) {
            self.changed = Some(now);
        }
    }

    /// A read found other counts than the one before it.
    pub fn saw_change(&mut self) {
        self.changed = None;
    }

    pub fn begin(&mut self, now: Instant) {
        let before = self.last.take().and_then(|last| last.outcome);
        self.last = Some(LastRead {
            began: now,
            entry: self.listed,
            is_entry_recent: self.listed_at.is_some_and(|at| now <= at + LIST_AHEAD),
            outcome: before,
        });
    }

    pub fn end(&mut self, outcome: ReadOutcome) {
        if let Some(last) = &mut self.last {
            last.outcome = Some(outcome);
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

    /// How many files the list reported shortly before the last read began.
    pub fn reported_recently(&self) -> Option<u64> {
        let last = self.last.as_ref().filter(|last| last.is_entry_recent);
        Some(last?.entry?.file_count)
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

    /// When the folder is due by the reads of this process; none if there was none. `presses`: whether it presses
    /// whatever its reads and the list say.
    pub fn due(&self, presses: bool, quiet_every: Duration, now: Instant) -> Option<Due> {
        let last = self.last.as_ref()?;
        let need = self.need(last, presses);
        let at = match need {
            Need::Pressing => now,
            Need::Quiet => last.began + quiet_every,
        };
        Some(Due { need, at })
    }

    fn need(&self, last: &LastRead, presses: bool) -> Need {
        let changed = self.listed.zip(last.entry);
        match last.outcome {
            Some(ReadOutcome::NothingToCount) => Need::Quiet,
            None | Some(ReadOutcome::Failed) => Need::Pressing,
            Some(ReadOutcome::Counted) => {
                let differs = changed.is_some_and(|(now, then)| now.differs(then));
                let is_early = |changed: Instant| last.began < changed + LIST_AHEAD;
                if presses || differs || self.changed.is_some_and(is_early) {
                    Need::Pressing
                } else {
                    Need::Quiet
                }
            }
        }
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
            let due = log.due(presses, QUIET_EVERY, now).unwrap();
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
            log.due(false, QUIET_EVERY, start).unwrap().need == Need::Pressing
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
            log.due(false, QUIET_EVERY, start).unwrap()
        };
        assert!(due(4) < due(5));
    }
}
