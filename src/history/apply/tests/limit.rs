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
fn files_that_had_to_be_forgotten_are_no_entries_when_they_are_listed_again() {
    let part = MAX_REMEMBERED / 2;
    let first = crowd(0, part, Failed);
    let mut story = Story::default();
    story.read(&first).read(&first);
    story.read_folder(&torn(&crowd(1_000_000, part, Failed)));
    assert_eq!(story.entries(Failed), part as u64);
    story.read_folder(&torn(&crowd(2_000_000, part, Failed)));
    assert_eq!(story.history.len(), MAX_REMEMBERED);
    let found = story.entries(Failed);
    assert_eq!(
        unidentified(&story, Failed),
        Unidentified::Files(part as u64)
    );
    story.read_folder(&torn(&first));
    assert_eq!(story.entries(Failed), found, "these were there before");
}

#[test]
fn missed_files_are_forgotten_first() {
    let missed = crowd(0, MAX_REMEMBERED / 2, Failed);
    let mut story = Story::default();
    story.read(&missed).read(&[(1_000_000, Flagged)]);
    story.read_folder(&torn(&crowd(2_000_000, MAX_REMEMBERED, Failed)[1..]));
    assert_eq!(story.history.len(), MAX_REMEMBERED);
    assert!(story.history.remembers(key(1_000_000)));
    assert!(!story.history.remembers(key(0)));
}
