//! Rows of a status that are read over several reads.

use super::*;

/// A page of the failed files in each read.
const PAGE: usize = 10;

/// Reads all failed files page by page, in a folder that does not change meanwhile.
fn turn(story: &mut Story, failed: &[(u128, Status)]) {
    let pages: Vec<_> = failed.chunks(PAGE).collect();
    for (number, page) in (0..).zip(&pages) {
        let next = (number + 1 < pages.len() as u64).then_some(number + 1);
        let failed = [(Failed, failed.len() as u64), (Done, 500)];
        story.read_with_counts(&part(page, number, next), Some(counts(&failed)));
    }
}

fn known(story: &Story) -> u64 {
    story.history.settled().count() as u64
}

#[test]
fn after_a_turn_every_file_has_its_class_and_only_a_new_failure_enters() {
    let mut failed = files(0..95, Failed);
    let mut story = Story::default();
    story.read_with_counts(
        &part(&failed[..PAGE], 0, Some(1)),
        Some(counts(&[(Failed, 95)])),
    );
    assert_eq!(
        story.classes,
        BTreeMap::from([("failed".into(), 10), ("unread".into(), 85)])
    );
    assert_eq!(story.history.next_rows()[Failed], 1);
    turn(&mut story, &failed);
    assert_eq!(story.classes, BTreeMap::from([("failed".into(), 95)]));
    assert_eq!(unidentified(&story, Failed), Unidentified::Files(0));
    assert_eq!(story.entries(Failed), 0);
    // Twenty recover and twenty others fail, so that the count stays.
    failed.drain(30..50);
    failed.extend(files(200..220, Failed));
    turn(&mut story, &failed);
    assert_eq!(story.entries(Failed), 20);
    assert_eq!(known(&story), 95, "those that are missed are not counted");
    turn(&mut story, &failed);
    assert_eq!(story.entries(Failed), 20);
    assert_eq!(story.classes, BTreeMap::from([("failed".into(), 95)]));
}

#[test]
fn a_file_is_missed_at_the_end_of_a_turn_of_consistent_reads_without_a_gap() {
    let failed = files(0..40, Failed);
    let pages: Vec<_> = failed.chunks(PAGE).collect();
    let steps = |torn: Option<u64>, gap: Option<u64>| {
        let mut story = Story::default();
        story.read(&[failed.clone(), vec![(50, Failed)]].concat());
        for (number, page) in (0..).zip(&pages) {
            let from = if gap == Some(number) {
                number + 1
            } else {
                number
            };
            let next = (number < 3).then_some(number + 1);
            let mut rows = part(page, from, next);
            rows.consistent = torn != Some(number);
            story.read_with_counts(&rows, Some(counts(&[(Failed, 40)])));
        }
        known(&story)
    };
    assert_eq!(steps(None, None), 40);
    for read in 0..4 {
        assert_eq!(steps(Some(read), None), 41, "read {read} is not consistent");
        assert_eq!(steps(None, Some(read)), 41, "read {read} begins elsewhere");
    }
}

#[test]
fn a_turn_that_lists_fewer_files_than_were_counted_proves_nothing() {
    let failed = files(0..40, Failed);
    let mut story = Story::default();
    story.read(&failed);
    for (from, next, page) in [(0, Some(1), 0..20), (1, None, 10..30)] {
        let rows = files(page, Failed);
        let rows = part(&rows, from, next);
        story.read_with_counts(&rows, Some(counts(&[(Failed, 40)])));
    }
    assert_eq!(known(&story), 40);
}

#[test]
fn while_more_files_are_remembered_than_counted_those_that_were_listed_last_have_their_class() {
    let mut story = Story::default();
    story
        .read(&files(0..30, Failed))
        .read(&files(30..60, Flagged));
    let failed = files(100..110, Failed);
    let of = counts(&[(Failed, 15), (Flagged, 20)]);
    story.read_with_counts(&part(&failed, 0, Some(1)), Some(of));
    let expected = [("failed", 10), ("flagged", 20), ("unread", 5)];
    let expected = expected.map(|(class, files)| (class.to_owned(), files));
    assert_eq!(story.classes, BTreeMap::from(expected));
}
