//! What enters a status.

use super::*;

#[test]
fn the_first_read_enters_nothing() {
    let mut story = Story::default();
    story.read(&[(1, Failed), (2, Done)]);
    assert!(Status::ALL.iter().all(|status| story.entries(*status) == 0));
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
fn a_replaced_file_that_fails_is_another_file() {
    for other in [9, 1_001] {
        let mut story = Story::default();
        story.read(&[(1, Failed)]).read(&[(other, Failed)]);
        assert_eq!(story.entries(Failed), 1);
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
