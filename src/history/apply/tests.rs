//! Stories of a folder that is read once a minute.

mod histories;

use std::sync::Arc;

use super::*;
use crate::classify::{Classifier, ErrorTally};
use crate::count::{Boundaries, DoneFiles, FolderCount, MAX_REMEMBERED, hash};
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

/// A folder that is read once a minute.
#[derive(Default)]
struct Story {
    minute: i64,
    record: Option<FolderRecord>,
    history: FileHistory,
    classifier: Arc<Classifier>,
    oldest: ByStatus<Option<Timestamp>>,
    /// Files that became done by the last read.
    finished: usize,
}

struct Rows<'a> {
    files: &'a [(u128, Status)],
    created: i64,
    consistent: bool,
    complete: bool,
    /// Whether done files were read, and not only counted.
    every_row: bool,
}

impl Story {
    fn read(&mut self, files: &[(u128, Status)]) -> &mut Self {
        self.read_folder(&Rows {
            files,
            created: self.minute,
            consistent: true,
            complete: true,
            every_row: true,
        })
    }

    fn read_folder(&mut self, rows: &Rows<'_>) -> &mut Self {
        self.read_with_counts(rows, None)
    }

    /// A read whose counts need not be those of its rows.
    fn read_with_counts(&mut self, rows: &Rows<'_>, counts: Option<ByStatus<u64>>) -> &mut Self {
        self.minute += 1;
        let mut finished = Vec::new();
        let mut count = FolderCount {
            files: ByStatus::default(),
            errors: ErrorTally::new(self.classifier.clone()).finish(),
            consistent: rows.consistent,
            unfinished: FileMap::default(),
            complete: ByStatus::from_fn(|_| rows.complete),
            done: DoneFiles::Counted(Boundaries::default()),
            failed_page: None,
            requests: 1,
        };
        for (number, status) in rows.files {
            count.files[*status] += 1;
            let created_at = Some(at(rows.created));
            if *status != Status::Done {
                let status = *status;
                let file = Unfinished {
                    status,
                    created_at,
                    class: None,
                };
                count.unfinished.insert(key(*number), file);
            } else if self.history.remembers(key(*number)) {
                finished.push(key(*number));
            }
        }
        if let Some(counts) = counts {
            count.files = counts;
        }
        if rows.every_row {
            count.done = DoneFiles::Read {
                sizes: ByStatus::default(),
                finished,
                watched: Vec::new(),
                rows: hashes(rows.files),
            };
        }
        crate::history::limit_rows(&mut count, &self.history);
        let read = CompletedRead {
            began: at(self.minute),
            ended: at(self.minute),
            count: &count,
        };
        let name = FolderName::new("Inbox");
        let mut update = apply(&name, self.record.as_ref(), &self.history, &read);
        self.history.update(&mut update);
        self.record = Some(update.record);
        self.oldest = update.oldest;
        self.finished = update.finished.len();
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
fn the_first_read_enters_nothing() {
    let mut story = Story::default();
    story.read(&[(1, Failed), (2, Done)]);
    assert!(Status::ALL.iter().all(|status| story.entries(*status) == 0));
}

#[test]
fn a_file_that_fails_enters_once_however_often_it_is_seen() {
    let mut story = Story::default();
    story
        .read(&[(1, Done)])
        .read(&[(1, Failed)])
        .read(&[(1, Failed)]);
    assert_eq!(story.entries(Failed), 1);
}

#[test]
fn a_retry_that_fails_again_is_no_new_failure() {
    let mut story = Story::default();
    story.read(&[(1, Failed)]).read(&[(1, Pending)]);
    story.read(&[(1, Processing)]).read(&[(1, Failed)]);
    assert_eq!(story.entries(Failed), 0);
    assert_eq!(story.entries(Pending), 1);
}

#[test]
fn a_failure_after_done_or_after_flagged_is_a_new_one() {
    let mut story = Story::default();
    story
        .read(&[(1, Failed), (2, Flagged)])
        .read(&[(1, Done), (2, Flagged)]);
    story.read(&[(1, Failed), (2, Failed)]);
    assert_eq!(story.entries(Failed), 2);
}

#[test]
fn one_failure_for_another_is_seen_where_the_count_stands_still() {
    let mut story = Story::default();
    story
        .read(&[(1, Failed), (2, Done)])
        .read(&[(1, Done), (2, Failed)]);
    assert_eq!(story.entries(Failed), 1);
}

#[test]
fn a_replaced_file_that_fails_is_another_file() {
    let mut story = Story::default();
    story.read(&[(1, Failed)]).read(&[(9, Failed)]);
    assert_eq!(story.entries(Failed), 1);
}

fn hashes(files: &[(u128, Status)]) -> Vec<u64> {
    let mut hashes: Vec<_> = files.iter().map(|(number, _)| hash(key(*number))).collect();
    hashes.sort_unstable();
    hashes
}

/// A read that was not consistent.
fn torn(files: &[(u128, Status)]) -> Rows<'_> {
    Rows {
        files,
        created: 0,
        consistent: false,
        complete: true,
        every_row: true,
    }
}

/// A consistent read of which not every row is listed.
fn counted(files: &[(u128, Status)]) -> Rows<'_> {
    Rows {
        complete: false,
        consistent: true,
        ..torn(files)
    }
}

/// A read that told everything.
fn whole(files: &[(u128, Status)]) -> Rows<'_> {
    Rows {
        complete: true,
        ..counted(files)
    }
}

const ONE: &[(u128, Status)] = &[(1, Failed), (2, Done), (3, Done)];
const TWO: &[(u128, Status)] = &[(1, Failed), (2, Failed), (3, Done)];
const THREE: &[(u128, Status)] = &[(1, Failed), (2, Failed), (3, Failed)];

#[test]
fn each_failure_is_counted_once_by_whichever_reads_it_is_found() {
    type Kind = fn(&[(u128, Status)]) -> Rows<'_>;
    let reads: [Kind; 3] = [torn, counted, whole];
    for second in reads {
        for third in reads {
            let mut story = Story::default();
            story
                .read(ONE)
                .read_folder(&second(TWO))
                .read_folder(&third(TWO));
            let found = story.entries(Failed);
            story
                .read_folder(&second(THREE))
                .read_folder(&third(THREE))
                .read(THREE);
            assert_eq!((found, story.entries(Failed)), (1, 2));
        }
    }
}

#[test]
fn a_torn_count_is_no_base() {
    for status in [Failed, Pending] {
        let files: Vec<_> = (0..9).map(|number| (number, status)).collect();
        for first in [torn(&files[..5]), counted(&files)] {
            let mut story = Story::default();
            story.read_folder(&first).read_folder(&torn(&files[..3]));
            story
                .read_folder(&counted(&files))
                .read(&files)
                .read(&files);
            assert_eq!(story.entries(status), 0, "{status:?}");
        }
    }
}

#[test]
fn other_statuses_count_the_growth_between_consistent_reads() {
    let mut story = Story::default();
    story
        .read(&[(1, Pending)])
        .read_folder(&torn(&[(8, Pending), (9, Pending)]));
    assert_eq!(story.entries(Pending), 0);
    story.read(&[(1, Pending), (2, Pending)]);
    assert_eq!(story.entries(Pending), 1);
}

#[test]
fn a_file_that_one_whole_read_left_out_is_no_new_failure() {
    let mut story = Story::default();
    story.read(&[(1, Failed), (2, Pending)]);
    for _ in 0..3 {
        story
            .read(&[])
            .read_folder(&torn(&[]))
            .read(&[(1, Failed), (2, Pending)]);
    }
    assert_eq!(story.entries(Failed), 0);
    assert_eq!(story.oldest[Failed], Some(at(0)), "it never left");
    story.read(&[]).read(&[]);
    assert!(story.history.is_empty());
    story.read(&[(1, Failed)]);
    assert_eq!(story.entries(Failed), 1);
}

#[test]
fn a_file_that_the_first_whole_read_left_out_is_no_failure_of_the_second() {
    let mut story = Story::default();
    let files = |files| Rows {
        every_row: true,
        ..whole(files)
    };
    story.read_folder(&files(&[(1, Failed), (3, Done)]));
    story.read_folder(&files(&[(1, Failed), (2, Failed), (3, Failed)]));
    assert_eq!(
        story.entries(Failed),
        1,
        "of these only one was done before"
    );
    story.read_folder(&files(&[
        (1, Failed),
        (2, Failed),
        (3, Failed),
        (4, Failed),
    ]));
    assert_eq!(story.entries(Failed), 2);
}

#[test]
fn absence_from_rows_that_are_not_whole_proves_nothing() {
    for read in [torn, counted] {
        let mut story = Story::default();
        story.read(&[(1, Failed)]).read(&[(1, Pending)]);
        for _ in 0..9 {
            story.read_folder(&read(&[]));
        }
        story.read(&[]);
        assert!(story.history.remembers(key(1)));
        story.read(&[(2, Done)]);
        assert!(!story.history.remembers(key(1)));
    }
}

#[test]
fn a_file_whose_row_is_read_as_done_is_done_at_once_also_in_a_torn_read() {
    let mut story = Story::default();
    story.read(&[]).read(&[(1, Failed), (2, Pending)]);
    story.read_folder(&torn(&[(1, Done), (1, Done), (2, Done), (2, Done)]));
    assert!(story.history.is_empty());
    assert_eq!(story.indexed(), 1, "once, though it was read twice");
    story.read_folder(&torn(&[(1, Failed)]));
    assert_eq!(story.entries(Failed), 2);
}

#[test]
fn where_no_read_is_consistent_a_failure_counts_when_many_reads_have_not_listed_it_before() {
    let mut story = Story::default();
    for number in 0..16 {
        story.read_folder(&torn(&[(number, Failed), (number + 1, Failed)]));
    }
    assert_eq!(story.entries(Failed), 0);
    let files = torn(&[(20, Failed), (1, Failed)]);
    story.read_folder(&files).read_folder(&files);
    assert_eq!(story.entries(Failed), 1);
    story.read(&[(1, Failed), (20, Failed), (30, Failed)]);
    assert_eq!(story.entries(Failed), 1, "it may have been there all along");
    story.read(&[(1, Failed), (20, Failed), (30, Failed), (31, Failed)]);
    assert_eq!(story.entries(Failed), 2);
}

/// More files than may be remembered, from a number on.
fn crowd(from: u128, files: usize, status: Status) -> Vec<(u128, Status)> {
    (from..)
        .take(files)
        .map(|number| (number, status))
        .collect()
}

#[test]
fn no_more_is_remembered_than_may_be_while_no_read_is_consistent() {
    let part = MAX_REMEMBERED / 2;
    let mut story = Story::default();
    story
        .read(&[(0, Failed), (1, Pending)])
        .read(&[(0, Pending), (1, Pending)]);
    for number in 1..6 {
        let files = crowd(number * 1_000_000, part, Pending);
        story.read_folder(&Rows {
            every_row: false,
            ..torn(&files)
        });
        assert!(
            story.history.len() <= MAX_REMEMBERED,
            "{}",
            story.history.len()
        );
    }
    assert!(story.history.remembers(key(0)), "it had failed");
    assert!(!story.history.remembers(key(1)), "it only waits");
    story.read_folder(&torn(&[(0, Failed)]));
    assert_eq!(story.entries(Failed), 0);
}

#[test]
fn a_status_of_which_a_file_had_to_be_forgotten_counts_nothing_before_it_is_listed_again() {
    let part = MAX_REMEMBERED / 2;
    let first = crowd(0, part, Failed);
    let mut story = Story::default();
    story.read(&first).read(&first);
    story.read_folder(&torn(&crowd(1_000_000, part, Failed)));
    assert_eq!(story.entries(Failed), part as u64);
    story.read_folder(&torn(&crowd(2_000_000, part, Failed)));
    assert_eq!(story.history.len(), MAX_REMEMBERED);
    let found = story.entries(Failed);
    story.read_folder(&torn(&first));
    assert_eq!(story.entries(Failed), found, "these were there before");
    story.read(&first);
    assert_eq!(story.entries(Failed), found);
}

#[test]
fn the_time_to_done_counts_for_a_file_that_arrived_between_two_reads() {
    let mut story = Story::default();
    story
        .read(&[])
        .read(&[(1, Pending)])
        .read(&[(1, Processing)]);
    assert_eq!(story.indexed(), 0);
    story.read(&[(1, Done)]).read(&[(1, Done)]);
    let indexing = story.record.as_ref().unwrap().indexing;
    assert_eq!((indexing.count, indexing.sum_millis), (1, 180_000));
}

#[test]
fn the_time_to_done_does_not_count_for_other_files() {
    let first_read: &[&[(u128, Status)]] = &[&[(1, Pending)], &[(1, Done)]];
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
    for reads in [first_read, failed, seen_failed, deleted, done_at_once] {
        let mut story = Story::default();
        for files in reads {
            story.read(files);
        }
        assert_eq!(story.indexed(), 0, "{reads:?}");
    }
}

#[test]
fn the_time_to_done_does_not_count_for_an_old_file_that_is_read_again() {
    let mut story = Story::default();
    story
        .read(&[(1, Done)])
        .read(&[])
        .read(&[])
        .read(&[])
        .read(&[]);
    story.read_folder(&Rows {
        files: &[(1, Pending)],
        created: 0,
        consistent: true,
        complete: true,
        every_row: true,
    });
    story.read(&[(1, Done)]);
    assert_eq!(story.indexed(), 0);
}

/// A read that counts done files by their boundaries, and reads all others.
fn by_boundaries(files: &[(u128, Status)], minute: i64) -> Rows<'_> {
    Rows {
        files,
        created: minute,
        consistent: true,
        complete: true,
        every_row: false,
    }
}

#[test]
fn files_that_are_missing_among_those_not_done_are_done_where_done_files_grew_by_as_many() {
    let mut story = Story::default();
    story.read(&[(9, Done)]);
    story.read_folder(&by_boundaries(&[(1, Pending), (2, Pending), (9, Done)], 1));
    story.read_folder(&by_boundaries(&[(1, Done), (2, Done), (9, Done)], 2));
    assert_eq!(story.indexed(), 2);
    assert_eq!(story.finished, 2);
    story.read_folder(&by_boundaries(
        &[(1, Done), (2, Done), (3, Done), (9, Done)],
        3,
    ));
    assert_eq!((story.indexed(), story.finished), (2, 0), "only once");
    assert!(story.history.is_empty());
}

#[test]
fn a_file_that_was_taken_for_done_and_is_listed_again_is_timed_no_second_time() {
    let mut story = Story::default();
    story.read(&[(9, Done)]);
    story.read_folder(&by_boundaries(&[(1, Pending), (9, Done)], 1));
    story.read_folder(&by_boundaries(&[(8, Done), (9, Done)], 2));
    story.read_folder(&by_boundaries(&[(1, Pending), (8, Done), (9, Done)], 1));
    story.read(&[(1, Done), (8, Done), (9, Done)]);
    assert_eq!(story.indexed(), 1);
}

#[test]
fn where_more_are_missing_than_done_files_grew_by_no_time_to_done_is_taken() {
    let mut story = Story::default();
    story.read(&[(9, Done)]);
    story.read_folder(&by_boundaries(&[(1, Pending), (2, Pending), (9, Done)], 1));
    story.read_folder(&by_boundaries(&[(1, Done), (9, Done)], 2));
    assert_eq!(story.indexed(), 0, "which of the two was deleted?");
    story.read_folder(&by_boundaries(
        &[(1, Done), (3, Done), (4, Done), (9, Done)],
        3,
    ));
    assert_eq!(story.indexed(), 0);
    assert!(story.history.is_empty());
}

#[test]
fn a_read_by_boundaries_counts_entries_and_keeps_what_the_last_full_read_told() {
    let mut story = Story::default();
    story.read(&[(1, Done), (2, Done)]);
    let full_read = story.record.as_ref().unwrap().full_read;
    assert!(full_read.is_some());
    story.read_folder(&by_boundaries(&[(1, Failed), (2, Done)], 1));
    story.read_folder(&by_boundaries(&[(1, Pending), (2, Done)], 2));
    story.read_folder(&by_boundaries(&[(1, Failed), (2, Done)], 3));
    let record = story.record.as_ref().unwrap();
    assert_eq!((record.entries[Failed], record.full_read), (1, full_read));
}

#[test]
fn the_longest_waiting_file_is_known_by_its_upload_at_the_first_count_and_by_its_sight_later() {
    let mut story = Story::default();
    story.read(&[(1, Pending)]);
    assert_eq!(story.oldest[Pending], Some(at(0)));
    story.read(&[(1, Processing), (2, Pending)]);
    assert_eq!(story.oldest[Processing], Some(at(2)));
    assert_eq!(story.oldest[Pending], Some(at(2)));
    story.read(&[(1, Processing)]);
    assert_eq!(story.oldest[Processing], Some(at(2)));
    assert_eq!(story.oldest[Pending], None);
}
