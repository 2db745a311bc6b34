//! When a folder should be read, and what a read of it takes.

use super::*;
use crate::clock::Moment;
use crate::count::Way;
use crate::model::{ByStatus, FolderId, FolderName, Status};

fn listed(file_count: u64, updated_at: Option<i64>) -> ListedFolder {
    ListedFolder {
        id: FolderId::from(uuid::Uuid::nil()),
        name: FolderName::new("Inbox"),
        file_count,
        created_at: None,
        updated_at: updated_at.map(Timestamp::from_millis),
    }
}

/// A folder that was read when the list said so.
fn read_at(entry: &ListedFolder, ending: ReadOutcome) -> ReadLog {
    let mut log = ReadLog::default();
    log.listed(entry);
    log.begin(Moment::now().steady);
    log.end(ending, false);
    log
}

fn full(requests: u64) -> Estimate {
    Estimate {
        way: Way::Full,
        requests,
    }
}

fn sorted(requests: u64) -> Estimate {
    Estimate {
        way: Way::Sorted,
        requests,
    }
}

fn counts(done: u64, failed: u64, requests: u64) -> Counts {
    let mut files = ByStatus::default();
    files[Status::Done] = done;
    files[Status::Failed] = failed;
    Counts {
        files,
        way: Way::Full,
        errors: Vec::new(),
        oldest: ByStatus::default(),
        consistent: true,
        counted: Moment::now(),
        duration: Duration::from_secs(1),
        requests,
        interval: None,
    }
}

#[test]
fn an_entry_that_differs_in_what_is_known_of_it_is_pressing() {
    for (then, now, need) in [
        ((3, Some(1)), (3, Some(1)), Need::Quiet),
        ((3, Some(1)), (3, Some(2)), Need::Pressing),
        ((3, Some(2)), (3, Some(1)), Need::Pressing),
        ((3, Some(1)), (4, Some(1)), Need::Pressing),
        ((3, None), (2, None), Need::Pressing),
        ((3, None), (3, None), Need::Quiet),
        ((3, Some(1)), (3, None), Need::Quiet),
        ((3, None), (3, Some(1)), Need::Quiet),
    ] {
        let mut log = read_at(&listed(then.0, then.1), ReadOutcome::Counted);
        log.listed(&listed(now.0, now.1));
        assert_eq!(log.need(false), need, "{then:?} {now:?}");
    }
}

#[test]
fn how_the_last_read_ended_decides_the_need() {
    let entry = listed(3, None);
    for (ending, moves, need) in [
        (ReadOutcome::Counted, false, Need::Quiet),
        (ReadOutcome::Counted, true, Need::Pressing),
        (ReadOutcome::NothingToCount, false, Need::Quiet),
        (ReadOutcome::NothingToCount, true, Need::Quiet),
        (ReadOutcome::Failed, false, Need::Pressing),
    ] {
        assert_eq!(read_at(&entry, ending).need(moves), need, "{ending:?}");
    }
    let mut log = ReadLog::default();
    assert_eq!(log.need(false), Need::New);
    log.begin(Moment::now().steady);
    assert_eq!(log.need(false), Need::Unfinished);
}

#[test]
fn a_read_by_boundaries_takes_what_the_last_one_took_and_the_pages_that_came_since() {
    let mut log = ReadLog::default();
    assert_eq!(log.requests(None, sorted(0)), 1);
    log.listed(&listed(12_345, None));
    assert_eq!(log.requests(None, sorted(11)), 11);
    let mut log = read_at(&listed(12_345, None), ReadOutcome::Counted);
    let counts = Counts {
        way: Way::Sorted,
        ..counts(12_345, 0, 4)
    };
    for (files, requests) in [(12_345, 4), (12_346, 5), (12_545, 6), (100, 4)] {
        log.listed(&listed(files, None));
        assert_eq!(log.requests(Some(&counts), sorted(11)), requests, "{files}");
    }
}

#[test]
fn what_the_last_read_took_is_no_estimate_for_one_that_is_made_another_way() {
    let log = read_at(&listed(12_345, None), ReadOutcome::Counted);
    let by_boundaries = Counts {
        way: Way::Sorted,
        ..counts(12_345, 0, 4)
    };
    assert_eq!(log.requests(Some(&by_boundaries), full(124)), 124);
    let by_pages = counts(12_345, 0, 124);
    assert_eq!(log.requests(Some(&by_pages), sorted(4)), 4);
    assert_eq!(log.requests(Some(&by_pages), full(1)), 1);
}

#[test]
fn a_folder_that_is_refused_takes_one_request_however_large_it_was() {
    let log = read_at(&listed(450_000, None), ReadOutcome::NothingToCount);
    let before = counts(450_000, 0, 4_500);
    for known in [None, Some(&before)] {
        assert_eq!(log.requests(known, full(4_500)), 1);
    }
}

/// The minutes in which a folder is read, by what each read finds; nothing more is found after the last.
fn read_in(reads: &[(ReadOutcome, bool)], moves: bool, quiet: u64) -> Vec<u64> {
    const MINUTE: Duration = Duration::from_mins(1);
    let intervals = ReadIntervals {
        interval: MINUTE,
        quiet_every: Duration::from_mins(quiet),
    };
    let (start, mut log, mut reads) = (Moment::now().steady, ReadLog::default(), reads.iter());
    log.listed(&listed(3, None));
    let mut minutes = Vec::new();
    for minute in 0.. {
        let now = start + MINUTE * u32::try_from(minute).unwrap();
        if log.is_idle(moves, intervals, now) {
            continue;
        }
        let Some((ending, same)) = reads.next() else {
            break;
        };
        log.begin(now);
        log.end(*ending, *same);
        minutes.push(minute);
    }
    minutes
}

#[test]
fn the_time_between_reads_that_find_nothing_new_is_doubled_up_to_quiet_every() {
    use ReadOutcome::{Counted, Failed, NothingToCount};
    let (same, other) = ((Counted, true), (Counted, false));
    let found = [other, same, same, same, same, same, same];
    for (story, reads, moves, quiet, minutes) in [
        ("quiet", &found[..], false, 5, vec![0, 1, 2, 3, 5, 9, 14]),
        ("longer", &found, false, 60, vec![0, 1, 2, 3, 5, 9, 17]),
        (
            "no longer than an interval",
            &found,
            false,
            1,
            vec![0, 1, 2, 3, 4, 5, 6],
        ),
        (
            "files that move",
            &found,
            true,
            5,
            vec![0, 1, 2, 3, 4, 5, 6],
        ),
        (
            "changes that the list does not show",
            &[other, same, same, same, other, same, same, same, same],
            false,
            5,
            vec![0, 1, 2, 3, 5, 6, 7, 8, 10],
        ),
        (
            "failures",
            &[(Failed, false); 4],
            false,
            5,
            vec![0, 1, 2, 3],
        ),
        (
            "refusals",
            &[(NothingToCount, false); 5],
            true,
            5,
            vec![0, 2, 6, 11, 16],
        ),
        (
            "counted again",
            &[
                (NothingToCount, false),
                (NothingToCount, false),
                other,
                same,
            ],
            false,
            5,
            vec![0, 2, 6, 7],
        ),
    ] {
        let read_at = read_in(reads, moves, quiet);
        assert_eq!(read_at, minutes, "{story}");
    }
}

#[test]
fn a_folder_that_was_never_read_waits_since_the_last_count_and_without_one_longest() {
    let now = Moment::now();
    let hour = Duration::from_hours(1);
    let mut log = ReadLog::default();
    assert_eq!(log.waited(None, now), Duration::MAX);
    assert_eq!(log.waited(Some(now.wall.before(hour)), now), hour);
    log.begin(now.steady);
    assert_eq!(log.waited(Some(now.wall.before(hour)), now), Duration::ZERO);
}
