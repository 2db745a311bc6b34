//! Indexing times and ages.

use super::*;

#[test]
fn the_time_to_done_counts_for_files_that_came_between_two_reads_and_never_failed() {
    type Files = &'static [(u128, Status)];
    let stories: [(&str, &[Files], u64); 6] = [
        ("it came", &[&[], &[(1, Pending)], &[(1, Done)]], 1),
        ("it was there", &[&[(1, Pending)], &[(1, Done)]], 0),
        (
            "it failed",
            &[
                &[],
                &[(1, Pending)],
                &[(1, Failed)],
                &[(1, Pending)],
                &[(1, Done)],
            ],
            0,
        ),
        (
            "it had failed",
            &[&[], &[(1, Failed)], &[(1, Pending)], &[(1, Done)]],
            0,
        ),
        ("it was deleted", &[&[], &[(1, Pending)], &[]], 0),
        ("it was done at once", &[&[], &[(1, Done)]], 0),
    ];
    for (name, reads, indexed) in stories {
        let mut story = Story::default();
        for files in reads {
            story.read(files);
        }
        assert_eq!(story.indexed(), indexed, "{name}");
    }
    let mut story = Story::default();
    story.read(&[]).read(&[]).read(&[]).read(&[]);
    story.read_rows(&whole(&[(1, Pending)])).read(&[(1, Done)]);
    assert_eq!(story.indexed(), 0, "it is older than the read before");
}

#[test]
fn missing_files_are_done_where_done_files_grew_by_as_many() {
    for (done, indexed) in [
        (&[(1, Done), (2, Done), (9, Done)][..], 2),
        (&[(1, Done), (9, Done)], 0),
    ] {
        let mut story = Story::default();
        story.read(&[(9, Done)]);
        story.read_rows(&walked(&[(1, Pending), (2, Pending), (9, Done)], 1));
        story.read_rows(&walked(done, 2));
        assert_eq!((story.indexed(), story.finished as u64), (indexed, indexed));
        story.read_rows(&walked(&[(1, Done), (3, Done), (4, Done), (9, Done)], 3));
        assert_eq!((story.indexed(), story.finished), (indexed, 0), "only once");
        assert!(story.history.is_empty());
    }
}

#[test]
fn a_file_that_was_taken_for_done_and_is_listed_again_is_timed_no_second_time() {
    let mut story = Story::default();
    story.read(&[(9, Done)]);
    story.read_rows(&walked(&[(1, Pending), (9, Done)], 1));
    story.read_rows(&walked(&[(8, Done), (9, Done)], 2));
    story.read_rows(&walked(&[(1, Pending), (8, Done), (9, Done)], 1));
    story.read(&[(1, Done), (8, Done), (9, Done)]);
    assert_eq!(story.indexed(), 1);
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
    // The clock was three hours ahead.
    story.minute -= 180;
    story.read(&[(1, Failed)]);
    let corrected = at(story.minute);
    assert_eq!(story.oldest[Failed], Some(corrected));
    story.read(&[(1, Failed)]);
    assert_eq!(story.oldest[Failed], Some(corrected));
}
