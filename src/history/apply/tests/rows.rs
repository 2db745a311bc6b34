//! Rows that one read does not list.

use super::*;

fn known(story: &Story) -> u64 {
    story.history.settled().count() as u64
}

#[test]
fn when_all_rows_were_read_every_file_has_its_class_and_only_a_new_failure_enters() {
    let mut failed = files(0..95, Failed);
    let of_all = counts(&[(Failed, 95)]);
    let mut story = Story::default();
    story.read_with_counts(&part(&failed[..10]), Some(of_all));
    assert_eq!(
        story.classes,
        BTreeMap::from([("failed".into(), 10), ("unread".into(), 85)])
    );
    story.read_with_counts(&walked(&failed), Some(of_all));
    assert_eq!(story.classes, BTreeMap::from([("failed".into(), 95)]));
    assert_eq!(unidentified(&story, Failed), Unidentified::Files(0));
    assert_eq!(story.entries(Failed), 0);
    // Twenty recover and twenty others fail, so that the count stays.
    failed.drain(30..50);
    failed.extend(files(200..220, Failed));
    story.read_with_counts(&part(&failed[..10]), Some(of_all));
    story.read_with_counts(&walked(&failed), Some(of_all));
    assert_eq!(story.entries(Failed), 20);
    assert_eq!(known(&story), 95, "those that are missed are not counted");
    story.read_with_counts(&walked(&failed), Some(of_all));
    assert_eq!(story.entries(Failed), 20);
    assert_eq!(story.classes, BTreeMap::from([("failed".into(), 95)]));
}

#[test]
fn rows_of_fewer_files_than_were_counted_prove_nothing() {
    let failed = files(0..40, Failed);
    let mut story = Story::default();
    story.read(&failed);
    for page in [0..20, 10..30] {
        let rows = files(page, Failed);
        story.read_with_counts(&walked(&rows), Some(counts(&[(Failed, 40)])));
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
    story.read_with_counts(&part(&failed), Some(of));
    let expected = [("failed", 10), ("flagged", 20), ("unread", 5)];
    let expected = expected.map(|(class, files)| (class.to_owned(), files));
    assert_eq!(story.classes, BTreeMap::from(expected));
}
