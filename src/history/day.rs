//! What changed in a folder in the last day: for the status page, which draws it and judges by it what the alerts mean.

use serde::{Deserialize, Serialize};

use crate::model::{ByStatus, Series, Status, Timestamp};

/// The last day of a folder. Files are noted every quarter of an hour, entries every five minutes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Day {
    /// When it was noted first.
    pub began: Timestamp,
    pub failed: Series,
    pub flagged: Series,
    /// Pending and processing files.
    pub waiting: Series,
    /// Since when the longest-waiting of them waits, in minutes since 1970; 0 for none.
    pub oldest: Series,
    pub failed_entries: Series,
    pub flagged_entries: Series,
    /// Since when files enter `failed` without a [`PAUSE`]: when the first of them was counted.
    pub failed_since: Timestamp,
    pub flagged_since: Timestamp,
    /// When a file was last seen to leave `pending` or to come to its end, or when the first of those arrived that wait.
    pub moved: Timestamp,
}

/// After so many steps without an entry, half an hour, the next one begins something new.
const PAUSE: u32 = 7;

/// The pending and processing files.
pub fn waiting(files: &ByStatus<u64>) -> u64 {
    files[Status::Pending] + files[Status::Processing]
}

impl Day {
    /// Notes a count of the folder and the entries until then. `before`: files and entries of the count before.
    pub fn note(
        &mut self,
        at: Timestamp,
        [files, entries]: [&ByStatus<u64>; 2],
        oldest: Option<Timestamp>,
        before: Option<[&ByStatus<u64>; 2]>,
    ) {
        const MINUTE: i64 = 60_000;
        let step = Series::step(at);
        let quarter = step - step % 3;
        let progress = |entries: &ByStatus<u64>| entries.total() - entries[Status::Pending];
        let moved = before.is_none_or(|[files, before]| {
            waiting(files) == 0 || progress(before) != progress(entries)
        });
        if moved && waiting(files) > 0 {
            self.moved = at;
        }
        if self.began == Timestamp::default() {
            self.began = at;
        }
        let oldest = oldest.map_or(0, |oldest| oldest.as_millis() / MINUTE);
        self.failed.note(quarter, files[Status::Failed]);
        self.flagged.note(quarter, files[Status::Flagged]);
        self.waiting.note(quarter, waiting(files));
        self.oldest.note(quarter, oldest.try_into().unwrap_or(0));
        for (status, known, since) in [
            (
                Status::Failed,
                &mut self.failed_entries,
                &mut self.failed_since,
            ),
            (
                Status::Flagged,
                &mut self.flagged_entries,
                &mut self.flagged_since,
            ),
        ] {
            let entries = entries[status];
            if entries > known.at(step) && known.grown_since(step.saturating_sub(PAUSE)) == 0 {
                *since = at;
            }
            known.note(step, entries);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_begin_anew_after_half_an_hour_without_any() {
        let mut day = Day::default();
        let none = ByStatus::default();
        for (minute, failed, since) in [
            (1, 0, 0),
            (8, 2, 8),
            (37, 3, 8),
            (70, 3, 8),
            (73, 4, 73),
            (74, 5, 73),
        ] {
            let entries = ByStatus::from_fn(|status| match status {
                Status::Failed => failed,
                _ => 0,
            });
            let at = Timestamp::from_millis(minute * 60_000);
            day.note(at, [&none, &entries], None, None);
            assert_eq!(
                day.failed_since.as_millis(),
                since * 60_000,
                "minute {minute}"
            );
        }
        assert_eq!(day.flagged_since, Timestamp::default());
    }

    #[test]
    fn files_move_when_one_is_processed_or_the_first_arrives_and_not_when_more_arrive() {
        let count = |pending, done| {
            ByStatus::from_fn(|status| match status {
                Status::Pending => pending,
                Status::Done => done,
                _ => 0,
            })
        };
        let mut day = Day::default();
        let mut before: Option<[ByStatus<u64>; 2]> = None;
        for (minute, pending, done, moved) in [
            (1, 0, 5, 0),
            (2, 3, 5, 2),
            (3, 4, 5, 2),
            (4, 3, 6, 4),
            (5, 0, 9, 4),
            (6, 1, 9, 6),
        ] {
            let now = [count(pending, done), count(0, done)];
            let at = Timestamp::from_millis(minute * 60_000);
            day.note(
                at,
                [&now[0], &now[1]],
                None,
                before.as_ref().map(|[a, b]| [a, b]),
            );
            assert_eq!(day.moved.as_millis(), moved * 60_000, "minute {minute}");
            before = Some(now);
        }
    }
}
