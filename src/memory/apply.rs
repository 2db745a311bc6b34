//! One look after another: what changed between them.

use std::time::Duration;

use crate::aggregate::{Reading, Unfinished};
use crate::memory::indexing::IndexingTimes;
use crate::memory::record::{FolderRecord, Memory, Remembered, Settled};
use crate::model::{ByStatus, FileKey, FolderName, Status, Timestamp};

/// How far the portal's clock may be behind ours (contract, Indexing time).
const CLOCK_GRACE: Duration = Duration::from_mins(2);

/// Every status but done: those whose files are remembered.
const UNFINISHED: [Status; 5] = [
    Status::Pending,
    Status::Processing,
    Status::Failed,
    Status::Flagged,
    Status::Unknown,
];

/// A look at a folder that reached the end.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// When it began.
    pub began: Timestamp,
    /// When it ended.
    pub ended: Timestamp,
    /// Whether all totals agreed and the rows were distinct and as many as the total.
    pub consistent: bool,
    /// What was read.
    pub reading: &'a Reading,
}

impl Look<'_> {
    /// Whether the rows of a status are whole: as many distinct files read as the count says, in a consistent look.
    fn whole(&self) -> ByStatus<bool> {
        ByStatus::from_fn(|status| self.consistent && self.reading.fits[status])
    }
}

/// What a look changes in what is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// The folder's new record.
    pub record: FolderRecord,
    /// Files that are not done and are new, or changed.
    pub changed: Vec<(FileKey, Remembered)>,
    /// Files that are done, or no longer there.
    pub forgotten: Vec<FileKey>,
    /// Since when the longest-waiting file is in each status, of the rows read.
    pub oldest: ByStatus<Option<Timestamp>>,
}

/// Compares a look with what is kept of the ones before it.
#[must_use]
pub fn apply(
    name: &FolderName,
    before: Option<&FolderRecord>,
    memory: &Memory,
    look: &Look<'_>,
) -> Update {
    let whole = look.whole();
    let mut update = Update {
        record: FolderRecord {
            name: name.clone(),
            began: look.began,
            counted: look.ended,
            full_read: look.ended,
            counts: look.reading.counts,
            whole,
            entries: before.map_or_else(ByStatus::default, |before| before.entries),
            indexing: before.map_or_else(IndexingTimes::default, |before| before.indexing),
        },
        changed: Vec::new(),
        forgotten: Vec::new(),
        oldest: ByStatus::default(),
    };
    let mut fresh = ByStatus::<u64>::default();
    for (key, row) in &look.reading.unfinished {
        let known = memory.get(*key);
        let file = remember(before, known, row, look);
        if Settled::of(row.status).is_some() && known.and_then(|file| file.settled) != file.settled
        {
            fresh[row.status] += 1;
        }
        let oldest = &mut update.oldest[row.status];
        *oldest = Some(oldest.map_or(file.since, |oldest| oldest.min(file.since)));
        if known != Some(&file) {
            update.changed.push((*key, file));
        }
    }
    if let Some(before) = before {
        for (status, entries) in entries(before, look, whole, fresh).iter() {
            update.record.entries[status] += entries;
        }
    }
    forget(&mut update, memory, look, whole);
    update
}

/// How a file that is not done is remembered after this look.
fn remember(
    before: Option<&FolderRecord>,
    known: Option<&Remembered>,
    row: &Unfinished,
    look: &Look<'_>,
) -> Remembered {
    let settled = Settled::of(row.status);
    let since = match (known, before) {
        (Some(known), _) if known.status == row.status => known.since,
        (None, None) => row.created_at.map_or(look.ended, |at| at.min(look.ended)),
        _ => look.ended,
    };
    let timed_from = match known {
        Some(known) => known.timed_from,
        None => before.and_then(|before| arrived_since(before, row)),
    };
    Remembered {
        status: row.status,
        settled: settled.or(known.and_then(|known| known.settled)),
        since,
        timed_from: timed_from.filter(|_| settled.is_none()),
    }
}

/// The createdAt of a file that was uploaded after the look before began.
fn arrived_since(before: &FolderRecord, row: &Unfinished) -> Option<Timestamp> {
    row.created_at
        .filter(|created_at| *created_at >= before.began.before(CLOCK_GRACE))
}

/// Files that entered each status since the look before.
fn entries(
    before: &FolderRecord,
    look: &Look<'_>,
    whole: ByStatus<bool>,
    fresh: ByStatus<u64>,
) -> ByStatus<u64> {
    ByStatus::from_fn(|status| {
        let by_file = Settled::of(status).is_some() && before.whole[status] && whole[status];
        if by_file {
            fresh[status]
        } else {
            look.reading.counts[status].saturating_sub(before.counts[status])
        }
    })
}

/// Drops the files that are not waiting any more. Absence from rows that are not whole proves nothing.
fn forget(update: &mut Update, memory: &Memory, look: &Look<'_>, whole: ByStatus<bool>) {
    if !look.consistent {
        return;
    }
    let finished = &look.reading.finished;
    for key in finished {
        if let Some(from) = memory.get(*key).and_then(|file| file.timed_from) {
            update.record.indexing.observe(look.ended.since(from));
        }
    }
    if UNFINISHED.iter().all(|status| whole[*status]) {
        let absent = |key: &FileKey| !look.reading.unfinished.contains_key(key);
        update.forgotten = memory.iter().map(|(key, _)| key).filter(absent).collect();
    } else {
        update.forgotten.clone_from(finished);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    const MINUTE: i64 = 60_000;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_millis(1_000 * MINUTE + minute * MINUTE)
    }

    fn key(number: u128) -> FileKey {
        FileKey {
            link: number,
            id: number,
        }
    }

    /// A folder that is looked at once a minute.
    #[derive(Default)]
    struct Story {
        minute: i64,
        record: Option<FolderRecord>,
        memory: Memory,
        oldest: ByStatus<Option<Timestamp>>,
    }

    struct Rows<'a> {
        files: &'a [(u128, Status)],
        created: i64,
        consistent: bool,
        fits: bool,
    }

    impl Story {
        fn look(&mut self, files: &[(u128, Status)]) -> &mut Self {
            self.look_at(&Rows {
                files,
                created: self.minute,
                consistent: true,
                fits: true,
            })
        }

        fn look_at(&mut self, rows: &Rows<'_>) -> &mut Self {
            self.minute += 1;
            let mut reading = Reading {
                counts: ByStatus::default(),
                sizes: ByStatus::default(),
                errors: crate::classify::ClassCounts::default(),
                distinct: true,
                unfinished: HashMap::new(),
                fits: ByStatus::from_fn(|_| rows.fits),
                finished: Vec::new(),
            };
            for (number, status) in rows.files {
                reading.counts[*status] += 1;
                let created_at = Some(at(rows.created));
                if *status != Status::Done {
                    let status = *status;
                    let file = Unfinished { status, created_at };
                    reading.unfinished.insert(key(*number), file);
                } else if self.memory.remembers(key(*number)) {
                    reading.finished.push(key(*number));
                }
            }
            let look = Look {
                began: at(self.minute),
                ended: at(self.minute),
                consistent: rows.consistent,
                reading: &reading,
            };
            let name = FolderName::new("Inbox");
            let update = apply(&name, self.record.as_ref(), &self.memory, &look);
            self.memory.update(&update.changed, &update.forgotten);
            self.record = Some(update.record);
            self.oldest = update.oldest;
            self
        }

        fn entries(&self, status: Status) -> u64 {
            self.record.as_ref().unwrap().entries[status]
        }

        fn indexed(&self) -> u64 {
            self.record.as_ref().unwrap().indexing.count
        }
    }

    use Status::{Done, Failed, Flagged, Pending, Processing};

    #[test]
    fn the_first_look_enters_nothing() {
        let mut story = Story::default();
        story.look(&[(1, Failed), (2, Done)]);
        assert!(Status::ALL.iter().all(|status| story.entries(*status) == 0));
    }

    #[test]
    fn a_file_that_fails_enters_once_however_often_it_is_seen() {
        let mut story = Story::default();
        story
            .look(&[(1, Done)])
            .look(&[(1, Failed)])
            .look(&[(1, Failed)]);
        assert_eq!(story.entries(Failed), 1);
    }

    #[test]
    fn a_retry_that_fails_again_is_no_new_failure() {
        let mut story = Story::default();
        story.look(&[(1, Failed)]).look(&[(1, Pending)]);
        story.look(&[(1, Processing)]).look(&[(1, Failed)]);
        assert_eq!(story.entries(Failed), 0);
        assert_eq!(story.entries(Pending), 1);
    }

    #[test]
    fn a_failure_after_done_or_after_flagged_is_a_new_one() {
        let mut story = Story::default();
        story
            .look(&[(1, Failed), (2, Flagged)])
            .look(&[(1, Done), (2, Flagged)]);
        story.look(&[(1, Failed), (2, Failed)]);
        assert_eq!(story.entries(Failed), 2);
    }

    #[test]
    fn one_failure_for_another_is_seen_where_the_count_stands_still() {
        let mut story = Story::default();
        story
            .look(&[(1, Failed), (2, Done)])
            .look(&[(1, Done), (2, Failed)]);
        assert_eq!(story.entries(Failed), 1);
    }

    #[test]
    fn a_replaced_file_that_fails_is_another_file() {
        let mut story = Story::default();
        story.look(&[(1, Failed)]).look(&[(9, Failed)]);
        assert_eq!(story.entries(Failed), 1);
    }

    #[test]
    fn without_whole_rows_the_growth_of_the_count_is_what_entered() {
        let mut story = Story::default();
        story.look(&[(1, Failed), (2, Done), (3, Done)]);
        let files = &[(1, Failed), (2, Failed), (3, Done)];
        let torn = Rows {
            files,
            created: 0,
            consistent: false,
            fits: true,
        };
        story.look_at(&torn);
        assert_eq!(story.entries(Failed), 1);
        story.look(files);
        assert_eq!(
            story.entries(Failed),
            1,
            "the first whole look sets the base"
        );
        story.look(&[(1, Failed), (2, Failed), (3, Failed)]);
        assert_eq!(story.entries(Failed), 2);
    }

    #[test]
    fn absence_from_rows_that_are_not_whole_proves_nothing() {
        for (consistent, fits) in [(false, true), (true, false)] {
            let mut story = Story::default();
            story.look(&[(1, Failed)]).look(&[(1, Pending)]);
            story.look_at(&Rows {
                files: &[],
                created: 0,
                consistent,
                fits,
            });
            assert!(story.memory.remembers(key(1)));
            story.look(&[(2, Done)]);
            assert!(!story.memory.remembers(key(1)));
        }
    }

    #[test]
    fn the_time_to_done_counts_for_a_file_that_arrived_between_two_looks() {
        let mut story = Story::default();
        story
            .look(&[])
            .look(&[(1, Pending)])
            .look(&[(1, Processing)]);
        assert_eq!(story.indexed(), 0);
        story.look(&[(1, Done)]).look(&[(1, Done)]);
        let indexing = story.record.as_ref().unwrap().indexing;
        assert_eq!((indexing.count, indexing.sum_millis), (1, 180_000));
    }

    #[test]
    fn the_time_to_done_does_not_count_for_other_files() {
        let first_look: &[&[(u128, Status)]] = &[&[(1, Pending)], &[(1, Done)]];
        let failed: &[&[(u128, Status)]] = &[
            &[],
            &[(1, Pending)],
            &[(1, Failed)],
            &[(1, Pending)],
            &[(1, Done)],
        ];
        let seen_failed: &[&[(u128, Status)]] =
            &[&[], &[(1, Failed)], &[(1, Pending)], &[(1, Done)]];
        let deleted: &[&[(u128, Status)]] = &[&[], &[(1, Pending)], &[]];
        let done_at_once: &[&[(u128, Status)]] = &[&[], &[(1, Done)]];
        for looks in [first_look, failed, seen_failed, deleted, done_at_once] {
            let mut story = Story::default();
            for files in looks {
                story.look(files);
            }
            assert_eq!(story.indexed(), 0, "{looks:?}");
        }
    }

    #[test]
    fn the_time_to_done_does_not_count_for_an_old_file_that_is_read_again() {
        let mut story = Story::default();
        story
            .look(&[(1, Done)])
            .look(&[])
            .look(&[])
            .look(&[])
            .look(&[]);
        story.look_at(&Rows {
            files: &[(1, Pending)],
            created: 0,
            consistent: true,
            fits: true,
        });
        story.look(&[(1, Done)]);
        assert_eq!(story.indexed(), 0);
    }

    #[test]
    fn the_longest_waiting_file_is_known_by_its_upload_at_the_first_count_and_by_its_sight_later() {
        let mut story = Story::default();
        story.look(&[(1, Pending)]);
        assert_eq!(story.oldest[Pending], Some(at(0)));
        story.look(&[(1, Processing), (2, Pending)]);
        assert_eq!(story.oldest[Processing], Some(at(2)));
        assert_eq!(story.oldest[Pending], Some(at(2)));
        story.look(&[(1, Processing)]);
        assert_eq!(story.oldest[Processing], Some(at(2)));
        assert_eq!(story.oldest[Pending], None);
    }
}
