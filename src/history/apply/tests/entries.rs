//! What enters a status.

use super::*;

/// Reads of a folder, with the entries into failed and flagged after them.
type Steps<'a> = &'a [(Rows<'a>, Option<&'a [(Status, u64)]>)];

fn assert_entries(name: &str, steps: Steps<'_>, failed: u64, flagged: u64) {
    let mut story = Story::default();
    for (rows, of) in steps {
        story.read_with_counts(rows, of.map(counts));
    }
    assert_eq!(
        (story.entries(Failed), story.entries(Flagged)),
        (failed, flagged),
        "{name}"
    );
}

/// The files of several reads.
type Scans<'a> = &'a [&'a [(u128, Status)]];

/// A sequence of full scans that are consistent, and the entries into failed and flagged.
fn assert_scans(name: &str, reads: Scans<'_>, failed: u64, flagged: u64) {
    let steps: Vec<_> = reads.iter().map(|files| (whole(files), None)).collect();
    assert_entries(name, &steps, failed, flagged);
}

#[test]
fn a_file_enters_when_its_last_settled_status_was_another_one() {
    let scans: [(&str, Scans<'_>, u64, u64); 8] = [
        ("the first read", &[&[(1, Failed), (2, Flagged)]], 0, 0),
        ("from nowhere", &[&[], &[(1, Failed)]], 1, 0),
        ("from done", &[&[(1, Done)], &[(1, Failed)]], 1, 0),
        (
            "a retry that fails again",
            &[
                &[(1, Failed)],
                &[(1, Pending)],
                &[(1, Processing)],
                &[(1, Failed)],
            ],
            0,
            0,
        ),
        (
            "a retry that succeeds, and a failure",
            &[&[(1, Failed)], &[(1, Done)], &[(1, Failed)]],
            1,
            0,
        ),
        (
            "there and back",
            &[
                &[(1, Failed)],
                &[(1, Flagged)],
                &[(1, Pending)],
                &[(1, Failed)],
            ],
            1,
            1,
        ),
        (
            "a replaced file",
            &[&[(1, Failed)], &[(1_001, Failed)]],
            1,
            0,
        ),
        (
            "one recovers and another one fails",
            &[&[(1, Failed), (2, Done)], &[(1, Done), (2, Failed)]],
            1,
            0,
        ),
    ];
    for (name, reads, failed, flagged) in scans {
        assert_scans(name, reads, failed, flagged);
    }
}

#[test]
fn a_file_that_was_away_for_more_than_a_day_enters_again() {
    let mut story = Story::default();
    story.read(&[(1, Failed)]).read(&[]);
    story.minute += 24 * 60;
    story.read(&[]).read(&[]);
    assert!(story.history.is_empty());
    story.read(&[(1, Failed)]);
    assert_eq!(story.entries(Failed), 1);
}

#[test]
fn of_a_status_whose_rows_were_not_read_the_growth_of_the_count_enters() {
    let some = files(0..20, Failed);
    let others = files(20..40, Failed);
    let count = |files| -> [(Status, u64); 1] { [(Failed, files)] };
    assert_entries(
        "a spike of which a fifth is read",
        &[
            (whole(&[]), None),
            (part(&some), Some(&count(100))),
            (part(&others), Some(&count(100))),
        ],
        100,
        0,
    );
    assert_entries(
        "many files of which all are read at last",
        &[
            (part(&some), Some(&count(40))),
            (part(&others), Some(&count(40))),
            (whole(&[some.clone(), others.clone()].concat()), None),
        ],
        0,
        0,
    );
    assert_entries(
        "growth, and the same rows",
        &[
            (part(&some), Some(&count(100))),
            (part(&some), Some(&count(90))),
            (part(&some), Some(&count(95))),
        ],
        5,
        0,
    );
    assert_entries(
        "growth is not counted again when its rows are read in an inconsistent read",
        &[
            (part(&some), Some(&count(20))),
            (part(&some), Some(&count(30))),
            (torn(&files(0..31, Failed)), None),
        ],
        11,
        0,
    );
}

#[test]
fn the_other_statuses_count_the_growth_between_consistent_reads() {
    let mut story = Story::default();
    story
        .read(&[(1, Pending)])
        .read_folder(&torn(&[(8, Pending), (9, Pending)]));
    assert_eq!(story.entries(Pending), 0);
    story.read(&[(1, Pending), (2, Pending)]);
    assert_eq!(story.entries(Pending), 1);
    story.read(&[]).read(&[(3, Pending)]);
    assert_eq!(story.entries(Pending), 2);
}

#[test]
fn absence_from_rows_that_are_not_whole_proves_nothing() {
    for are_all in [true, false] {
        let mut story = Story::default();
        story.read(&[(1, Failed)]).read(&[(1, Pending)]);
        for _ in 0..9 {
            story.read_folder(&Rows {
                consistent: !are_all,
                are_all,
                ..part(&[])
            });
        }
        story.read(&[]);
        assert!(story.history.remembers(key(1)));
        story.read(&[(1, Done)]);
        assert!(!story.history.remembers(key(1)));
    }
}

#[test]
fn a_file_whose_row_is_read_as_done_is_done_at_once_also_in_an_inconsistent_read() {
    let mut story = Story::default();
    story.read(&[]).read(&[(1, Failed), (2, Pending)]);
    story.read_folder(&torn(&[(1, Done), (1, Done), (2, Done), (2, Done)]));
    assert!(story.history.is_empty());
    assert_eq!(story.indexed(), 1, "once, though it was read twice");
    story.read_folder(&torn(&[(1, Failed)]));
    assert_eq!(story.entries(Failed), 2);
}

#[test]
fn a_file_that_is_listed_as_done_and_as_failed_is_not_done() {
    let mut story = Story::default();
    story.read(&[(1, Failed)]);
    for _ in 0..5 {
        story.read_folder(&torn(&[(1, Failed), (1, Done)]));
        assert_eq!((story.entries(Failed), story.finished), (0, 0));
    }
}

#[test]
fn where_no_read_is_consistent_a_failure_enters_once_many_reads_have_not_listed_it() {
    let mut story = Story::default();
    for number in 0..16 {
        story.read_folder(&torn(&[(number, Failed), (number + 1, Failed)]));
    }
    assert_eq!(story.entries(Failed), 0);
    let files = torn(&[(20, Failed), (1, Failed)]);
    story.read_folder(&files).read_folder(&files);
    assert_eq!(story.entries(Failed), 1);
}
