//! What enters a status, and which files are remembered.

use super::*;

#[test]
fn a_file_enters_when_its_last_settled_status_was_another_one() {
    type Files = &'static [(u128, Status)];
    let stories: [(&str, &[Files], [u64; 2]); 8] = [
        ("the first read", &[&[(1, Failed), (2, Flagged)]], [0, 0]),
        ("from nowhere", &[&[], &[(1, Failed)]], [1, 0]),
        ("from done", &[&[(1, Done)], &[(1, Failed)]], [1, 0]),
        (
            "a retry that fails again",
            &[
                &[(1, Failed)],
                &[(1, Pending)],
                &[(1, Processing)],
                &[(1, Failed)],
            ],
            [0, 0],
        ),
        (
            "a retry that succeeds, and a failure",
            &[&[(1, Failed)], &[(1, Done)], &[(1, Failed)]],
            [1, 0],
        ),
        (
            "there and back",
            &[
                &[(1, Failed)],
                &[(1, Flagged)],
                &[(1, Pending)],
                &[(1, Failed)],
            ],
            [1, 1],
        ),
        (
            "a replaced file",
            &[&[(1, Failed)], &[(1_001, Failed)]],
            [1, 0],
        ),
        (
            "one recovers and another one fails",
            &[&[(1, Failed), (2, Done)], &[(1, Done), (2, Failed)]],
            [1, 0],
        ),
    ];
    for (name, reads, entries) in stories {
        let mut story = Story::default();
        for files in reads {
            story.read_rows(&whole(files));
        }
        let entered = [story.entries(Failed), story.entries(Flagged)];
        assert_eq!(entered, entries, "{name}");
    }
}

#[test]
fn of_a_status_whose_rows_were_not_read_the_growth_of_the_count_enters() {
    let (some, others) = (files(0..20, Failed), files(20..40, Failed));
    let (all, more) = (files(0..40, Failed), files(0..31, Failed));
    let twenty_one = files(0..21, Failed);
    for (name, reads, entries) in [
        (
            "a spike of which a fifth is read",
            [whole(&[]), part(&some, 100), part(&others, 100)],
            100,
        ),
        (
            "many files of which all are read at last",
            [part(&some, 40), part(&others, 40), whole(&all)],
            0,
        ),
        (
            "growth, and the same rows",
            [part(&some, 100), part(&some, 90), part(&some, 95)],
            5,
        ),
        (
            "growth is not counted again when its rows are read in an inconsistent read",
            [part(&some, 20), part(&some, 30), torn(&more)],
            11,
        ),
        (
            "a file that is counted twice, and one that is listed later than it is counted",
            [
                part(&some, 20),
                walked_with_count(&some, 22),
                whole(&twenty_one),
            ],
            1,
        ),
    ] {
        let mut story = Story::default();
        for rows in &reads {
            story.read_rows(rows);
        }
        assert_eq!(story.entries(Failed), entries, "{name}");
    }
}

#[test]
fn the_other_statuses_count_the_growth_between_consistent_reads() {
    let mut story = Story::default();
    story.read(&[(1, Pending)]);
    story.read_rows(&torn(&[(8, Pending), (9, Pending)]));
    assert_eq!(story.entries(Pending), 0);
    story.read(&[(1, Pending), (2, Pending)]);
    assert_eq!(story.entries(Pending), 1);
    story.read(&[]).read(&[(3, Pending)]);
    assert_eq!(story.entries(Pending), 2);
    story.read_rows(&walked(&files(0..3, Done), 0));
    assert_eq!(story.entries(Done), 3);
}

#[test]
fn a_file_is_forgotten_that_is_done_or_was_missed_for_a_day_and_not_one_that_was_not_listed() {
    for rows in [part(&[], 0), torn(&[])] {
        let mut story = Story::default();
        story.read(&[(1, Failed)]).read(&[(1, Pending)]);
        for _ in 0..9 {
            story.read_rows(&rows);
        }
        story.read(&[]);
        assert!(story.remembers(1));
        story.minute += 24 * 60;
        story.read(&[]);
        assert!(story.history.is_empty());
        story.read(&[(1, Failed)]);
        story.read_rows(&torn(&[(1, Done)])).read(&[(1, Failed)]);
        assert_eq!(story.entries(Failed), 2);
    }
}

#[test]
fn no_more_is_remembered_than_may_be_while_no_read_is_consistent() {
    let mut story = Story::default();
    story
        .read(&[(0, Failed), (1, Pending)])
        .read(&[(0, Pending), (1, Pending)]);
    let half = MAX_REMEMBERED as u128 / 2;
    for from in (1..6).map(|number| number * 1_000_000) {
        story.read_rows(&Rows {
            every_row: false,
            ..torn(&files(from..from + half, Pending))
        });
        assert!(story.history.len() <= MAX_REMEMBERED);
    }
    assert!(story.remembers(0), "it had failed");
    assert!(!story.remembers(1), "it only waits");
    story.read_rows(&torn(&[(0, Failed)]));
    assert_eq!(story.entries(Failed), 0);
}

#[test]
fn missed_files_are_forgotten_first_and_files_without_room_are_no_entries_when_they_are_listed_again()
 {
    let half = MAX_REMEMBERED as u128 / 2;
    let [first, second, third] =
        [0, 1_000_000, 2_000_000].map(|from| files(from..from + half, Failed));
    let mut story = Story::default();
    story.read(&first).read(&[(9_000_000, Flagged)]);
    story.read_rows(&torn(&files(3_000_000..3_000_000 + 2 * half - 1, Failed)));
    assert_eq!(story.history.len(), MAX_REMEMBERED);
    assert!(story.remembers(9_000_000) && !story.remembers(0));

    let mut story = Story::default();
    story.read(&first).read(&first);
    story.read_rows(&torn(&second)).read_rows(&torn(&third));
    assert_eq!(story.history.len(), MAX_REMEMBERED);
    let (unidentified, found) = (story.record.unidentified, story.entries(Failed));
    assert_eq!(
        unidentified[Failed],
        Unidentified::Files(MAX_REMEMBERED as u64 / 2)
    );
    story.read_rows(&torn(&first));
    assert_eq!(story.entries(Failed), found, "these were there before");
}
