//! Indexing times and ages.

use super::*;

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
        are_all: true,
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
        are_all: true,
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

#[test]
fn a_time_in_the_future_is_set_right_by_the_next_read() {
    let mut story = Story {
        minute: 180,
        ..Story::default()
    };
    story.read(&[]).read(&[(1, Failed)]);
    assert_eq!(story.oldest[Failed], Some(at(story.minute)));
    // The clock was three hours ahead.
    story.minute -= 180;
    story.read(&[(1, Failed)]);
    let corrected = at(story.minute);
    assert_eq!(story.oldest[Failed], Some(corrected));
    story.read(&[(1, Failed)]);
    assert_eq!(story.oldest[Failed], Some(corrected));
}
