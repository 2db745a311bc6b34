//! No more is remembered than may be.

use super::*;

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
