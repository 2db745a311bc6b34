//! Folders that left, and folders that the configuration excludes.
//!
//! The two are independent: a folder that is gone may be excluded, and is still gone when it is admitted again.

use std::time::Duration;

use super::Folder;
use crate::history::{Departure, DepartureReason};
use crate::model::Timestamp;
use crate::snapshot::FolderState;

/// How long a folder that left is still shown as such (docs/metrics.md, Folders that leave).
const SHOWN_AFTER_LEAVING: Duration = Duration::from_hours(24);

/// The counters are stored for this long after the folder left or was excluded, in case it comes back
/// (docs/metrics.md, Folders that leave).
const STORED_AFTER_LEAVING: Duration = Duration::from_hours(7 * 24);

impl Folder {
    /// Whether the folder belongs into a snapshot: one that left does for a day, one that is excluded does not.
    pub fn is_shown(&self, now: Timestamp) -> bool {
        !self.is_excluded() && !is_older(self.left_at(), SHOWN_AFTER_LEAVING, now)
    }

    /// Whether the folder can be forgotten. One that is gone and still listed is known to be gone, so that this
    /// is not logged again.
    pub fn is_forgettable(&self, is_listed: bool, now: Timestamp) -> bool {
        let is_over = |since| is_older(since, STORED_AFTER_LEAVING, now);
        !self.is_being_read()
            && (is_over(self.left_at().filter(|_| !is_listed)) || is_over(self.stored.excluded))
    }

    /// Forgets the counters of a folder that left long enough ago; true if there were any.
    pub fn forget_counts(&mut self, now: Timestamp) -> bool {
        let forgets = self.stored.record.is_some()
            && !self.is_being_read()
            && is_older(self.left_at(), STORED_AFTER_LEAVING, now);
        if forgets {
            self.stored.forget_counts();
        }
        forgets
    }

    fn left_at(&self) -> Option<Timestamp> {
        self.stored.departure.map(|departure| departure.since)
    }

    /// The configuration excludes the folder: it is not shown, and its counters stay stored. True if this is new.
    pub fn exclude(&mut self, now: Timestamp) -> bool {
        let is_new = !self.is_excluded();
        if is_new {
            self.stored.excluded = Some(now);
            self.withdraw();
        }
        is_new
    }

    /// The configuration does not exclude the folder any more.
    pub fn admit(&mut self) {
        if self.stored.excluded.take().is_some() {
            self.read_log.forget_reads();
            self.withdraw();
        }
    }

    /// Whether the configuration excludes the folder.
    pub fn is_excluded(&self) -> bool {
        self.stored.excluded.is_some()
    }

    /// Whether the folder is neither gone, nor unlisted, nor excluded.
    pub fn is_there(&self) -> bool {
        self.stored.departure.is_none() && !self.is_excluded()
    }

    /// Whether the folder is asked for: the list names it, and the configuration does not exclude it. One that is gone may come back.
    pub fn is_collected(&self) -> bool {
        !self.is_excluded() && !self.is_unlisted()
    }

    /// Whether the list does not name the folder any more.
    pub fn is_unlisted(&self) -> bool {
        let departure = self.stored.departure;
        departure.is_some_and(|departure| departure.reason == DepartureReason::Unlisted)
    }

    /// The folder is not there any more: its counts are withdrawn at once.
    pub fn leave(&mut self, reason: DepartureReason, now: Timestamp) {
        let since = self.left_at().unwrap_or(now);
        self.stored.departure = Some(Departure { reason, since });
        self.withdraw();
    }

    /// Shows that it left, if it did.
    pub(super) fn show_departure(&mut self) {
        if let Some(departure) = self.stored.departure {
            self.view_mut().state = FolderState::Departed(departure);
        }
    }

    /// Withdraws the counts, and keeps the other facts about the folder.
    fn withdraw(&mut self) {
        self.view_mut().state = FolderState::Unseen;
        self.show_departure();
        let view = self.view_mut();
        view.counts = None;
        view.reported_files = None;
        self.show_stored();
    }
}

/// Whether something happened longer ago than this.
fn is_older(since: Option<Timestamp>, than: Duration, now: Timestamp) -> bool {
    since.is_some_and(|since| now.since(since) > than)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use crate::collect::folder::stored::Stored;
    use crate::collect::queue::{Due, Need};
    use crate::model::FolderName;

    const HOUR: i64 = 3_600_000;
    const DAY: i64 = 24 * HOUR;

    fn folder() -> Folder {
        let id = uuid::Uuid::from_u128(7).into();
        Folder::new(id, FolderName::new("Inbox"), Stored::default())
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn a_folder_that_left_is_shown_for_a_day_and_stored_for_seven_unless_it_is_still_listed() {
        for reason in [DepartureReason::Gone, DepartureReason::Unlisted] {
            let mut folder = folder();
            folder.leave(reason, at(0));
            folder.leave(reason, at(6 * DAY));
            for (now, shown, stored) in [
                (DAY, true, true),
                (DAY + 1, false, true),
                (7 * DAY, false, true),
                (7 * DAY + 1, false, false),
            ] {
                assert_eq!(folder.is_shown(at(now)), shown, "{reason:?} {now}");
                assert_eq!(
                    !folder.is_forgettable(false, at(now)),
                    stored,
                    "{reason:?} {now}"
                );
                assert!(!folder.is_forgettable(true, at(now)), "{reason:?} {now}");
            }
        }
    }

    #[test]
    fn an_excluded_folder_is_not_shown_and_stored_for_seven_days_listed_or_not() {
        let mut folder = folder();
        assert!(folder.exclude(at(0)) && !folder.exclude(at(DAY)));
        assert!(!folder.is_shown(at(0)) && !folder.is_collected() && !folder.is_there());
        for listed in [true, false] {
            assert!(!folder.is_forgettable(listed, at(7 * DAY)));
            assert!(folder.is_forgettable(listed, at(7 * DAY + 1)));
        }
        let at_once = Due {
            need: Need::Quiet,
            at: Moment::now().steady,
        };
        folder.queue(at_once);
        assert!(!folder.is_forgettable(true, at(8 * DAY)));
        folder.admit();
        assert!(folder.is_shown(at(8 * DAY)) && folder.is_there());
    }

    #[test]
    fn a_folder_that_is_gone_is_not_news_again_when_it_was_excluded_meanwhile() {
        let mut folder = folder();
        folder.leave(DepartureReason::Gone, at(0));
        folder.exclude(at(HOUR));
        folder.admit();
        assert!(matches!(folder.view.state, FolderState::Departed(_)));
        folder.leave(DepartureReason::Gone, at(2 * DAY));
        assert!(!folder.is_shown(at(2 * DAY)) && folder.is_collected());
    }
}
