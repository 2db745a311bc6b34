//! Folders that left, or that the configuration excludes.

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
        !self.is_excluded() && !self.left_before(SHOWN_AFTER_LEAVING, now)
    }

    /// Whether the folder can be forgotten. One that is gone and still listed is known to be gone, so that this
    /// is not logged again.
    pub fn is_forgettable(&self, is_listed: bool, now: Timestamp) -> bool {
        let is_known = is_listed && !self.is_excluded();
        !is_known && !self.is_being_read && self.left_before(STORED_AFTER_LEAVING, now)
    }

    fn left_before(&self, time: Duration, now: Timestamp) -> bool {
        let departure = self.stored.departure;
        departure.is_some_and(|departure| now.since(departure.since) > time)
    }

    /// Whether the folder is neither gone, nor unlisted, nor excluded.
    pub fn is_there(&self) -> bool {
        self.stored.departure.is_none()
    }

    /// Whether the folder is asked for: the list names it, and the configuration does not exclude it. One that is gone may come back.
    pub fn is_collected(&self) -> bool {
        let reason = self.stored.departure.map(|departure| departure.reason);
        matches!(reason, None | Some(DepartureReason::Gone))
    }

    /// Whether the configuration excludes the folder.
    pub fn is_excluded(&self) -> bool {
        let departure = self.stored.departure;
        departure.is_some_and(|departure| departure.reason == DepartureReason::Excluded)
    }

    /// The folder is not there any more, or excluded: its counts are withdrawn at once, and its counters stay stored. True if this is new.
    pub fn leave(&mut self, reason: DepartureReason, now: Timestamp) -> bool {
        let before = self.stored.departure;
        if before.is_some_and(|before| before.reason == reason) {
            return false;
        }
        let since = before.map_or(now, |before| before.since);
        self.stored.departure = Some(Departure { reason, since });
        self.show_departure();
        let view = self.view_mut();
        view.counts = None;
        view.reported_files = None;
        self.show_stored();
        true
    }

    /// The list names the folder, and the configuration does not exclude it.
    pub fn come_back(&mut self) {
        if !self.is_collected() {
            self.stored.departure = None;
            self.read_log.forget_reads();
            self.view_mut().state = FolderState::Unseen;
            self.show_stored();
        }
    }

    /// Shows that it left, if it did.
    pub(super) fn show_departure(&mut self) {
        if let Some(departure) = self.stored.departure {
            self.view_mut().state = FolderState::Departed(departure);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::folder::stored::Stored;
    use crate::model::FolderName;
    use DepartureReason::{Excluded, Gone, Unlisted};

    const DAY: i64 = 24 * 3_600_000;

    fn folder() -> Folder {
        let id = uuid::Uuid::from_u128(7).into();
        Folder::new(id, FolderName::new("Inbox"), Stored::default())
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn a_folder_that_left_is_shown_for_a_day_and_stored_for_seven() {
        for (reason, is_listed, is_shown, is_kept) in [
            (Gone, false, true, false),
            (Gone, true, true, true),
            (Unlisted, false, true, false),
            (Excluded, true, false, false),
            (Excluded, false, false, false),
        ] {
            let mut folder = folder();
            assert!(folder.leave(reason, at(0)) && !folder.leave(reason, at(6 * DAY)));
            for (now, within_a_day, within_seven) in [
                (DAY, true, true),
                (DAY + 1, false, true),
                (7 * DAY, false, true),
                (7 * DAY + 1, false, false),
            ] {
                let shown = folder.is_shown(at(now));
                assert_eq!(shown, is_shown && within_a_day, "{reason:?} {now}");
                let forgotten = folder.is_forgettable(is_listed, at(now));
                assert_eq!(!forgotten, is_kept || within_seven, "{reason:?} {now}");
            }
        }
    }
}
