//! Stories of a folder that is looked at once a minute.

use super::*;
use crate::aggregate::DoneFiles;
use crate::model::FileMap;

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
    /// Whether done files were read, and not only counted.
    every_row: bool,
}

impl Story {
    fn look(&mut self, files: &[(u128, Status)]) -> &mut Self {
        self.look_at(&Rows {
            files,
            created: self.minute,
            consistent: true,
            fits: true,
            every_row: true,
        })
    }

    fn look_at(&mut self, rows: &Rows<'_>) -> &mut Self {
        self.minute += 1;
        let mut finished = Vec::new();
        let mut reading = Reading {
            counts: ByStatus::default(),
            errors: crate::classify::ErrorTally::new(std::sync::Arc::default()).finish(),
            distinct: true,
            unfinished: FileMap::default(),
            fits: ByStatus::from_fn(|_| rows.fits),
            done: DoneFiles::Counted,
        };
        for (number, status) in rows.files {
            reading.counts[*status] += 1;
            let created_at = Some(at(rows.created));
            if *status != Status::Done {
                let status = *status;
                let file = Unfinished {
                    status,
                    created_at,
                    class: None,
                };
                reading.unfinished.insert(key(*number), file);
            } else if self.memory.remembers(key(*number)) {
                finished.push(key(*number));
            }
        }
        if rows.every_row {
            reading.done = DoneFiles::Read {
                sizes: ByStatus::default(),
                finished,
                watched: Vec::new(),
            };
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
        every_row: true,
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
            every_row: true,
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
    let seen_failed: &[&[(u128, Status)]] = &[&[], &[(1, Failed)], &[(1, Pending)], &[(1, Done)]];
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
        every_row: true,
    });
    story.look(&[(1, Done)]);
    assert_eq!(story.indexed(), 0);
}

/// A look that counts done files by their borders, and reads all others.
fn by_borders(files: &[(u128, Status)], minute: i64) -> Rows<'_> {
    Rows {
        files,
        created: minute,
        consistent: true,
        fits: true,
        every_row: false,
    }
}

#[test]
fn files_that_are_missing_among_those_not_done_are_done_where_done_files_grew_by_as_many() {
    let mut story = Story::default();
    story.look(&[(9, Done)]);
    story.look_at(&by_borders(&[(1, Pending), (2, Pending), (9, Done)], 1));
    story.look_at(&by_borders(&[(1, Done), (2, Done), (9, Done)], 2));
    assert_eq!(story.indexed(), 2);
    assert!(story.memory.is_empty());
}

#[test]
fn where_more_are_missing_than_done_files_grew_by_no_time_to_done_is_taken() {
    let mut story = Story::default();
    story.look(&[(9, Done)]);
    story.look_at(&by_borders(&[(1, Pending), (2, Pending), (9, Done)], 1));
    story.look_at(&by_borders(&[(1, Done), (9, Done)], 2));
    assert_eq!(story.indexed(), 0, "which of the two was deleted?");
    assert!(story.memory.is_empty());
}

#[test]
fn a_look_by_borders_counts_entries_and_keeps_what_the_last_full_read_told() {
    let mut story = Story::default();
    story.look(&[(1, Done), (2, Done)]);
    let full_read = story.record.as_ref().unwrap().full_read;
    assert!(full_read.is_some());
    story.look_at(&by_borders(&[(1, Failed), (2, Done)], 1));
    story.look_at(&by_borders(&[(1, Pending), (2, Done)], 2));
    story.look_at(&by_borders(&[(1, Failed), (2, Done)], 3));
    let record = story.record.as_ref().unwrap();
    assert_eq!((record.entries[Failed], record.full_read), (1, full_read));
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
