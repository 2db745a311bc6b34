//! Files of earlier versions.

use super::*;

#[tokio::test]
async fn a_file_of_an_earlier_version_gets_what_is_new_and_keeps_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let (store, ..) = Store::open(folder.path());
    let written = change(FileChanges::All(vec![(key(1), file(Status::Failed))]));
    store.write(vec![written.clone()]).await.unwrap();
    drop(store);
    wait_for(|| load_if_free(folder.path()));
    let earlier = rusqlite::Connection::open(folder.path().join(FILE_NAME)).unwrap();
    earlier
        .execute_batch(
            "DROP TABLE place; ALTER TABLE folder DROP COLUMN first_counted;
             ALTER TABLE folder DROP COLUMN sizes;
             ALTER TABLE folder DROP COLUMN excluded_since; DROP TABLE refutation;
             ALTER TABLE folder DROP COLUMN version; ALTER TABLE folder DROP COLUMN base; ALTER TABLE folder DROP COLUMN torn;
             ALTER TABLE file DROP COLUMN missed; PRAGMA user_version = 1",
        )
        .unwrap();
    drop(earlier);

    let mut portal = wait_for(|| load_if_free(folder.path()));
    let saved = portal.folders.remove(&id()).unwrap();
    let expected = written.folder.record.map(|record| FolderRecord {
        first_counted: record.counted,
        full_read: None,
        base: Some(record.counts),
        coverage: ByStatus::from_fn(|status| match status {
            Status::Failed | Status::Flagged => Coverage::Whole,
            _ => Coverage::NONE,
        }),
        ..record
    });
    assert_eq!((saved.record, saved.class_slots), (expected, vec![]));
    let expected = saved.files.get(key(1)).map(|file| file.missed);
    assert_eq!((saved.files.len(), expected), (1, Some(0)));
}

#[tokio::test]
async fn counts_of_an_earlier_version_that_were_not_consistent_are_no_base() {
    let folder = tempfile::tempdir().unwrap();
    let (store, ..) = Store::open(folder.path());
    let mut written = change(FileChanges::All(vec![]));
    let record = written.folder.record.as_mut().unwrap();
    record.coverage = ByStatus::default();
    store.write(vec![written]).await.unwrap();
    drop(store);
    wait_for(|| load_if_free(folder.path()));
    let earlier = rusqlite::Connection::open(folder.path().join(FILE_NAME)).unwrap();
    earlier
        .execute_batch(
            "ALTER TABLE folder DROP COLUMN version; ALTER TABLE folder DROP COLUMN base; ALTER TABLE folder DROP COLUMN torn;
             ALTER TABLE file DROP COLUMN missed; PRAGMA user_version = 8",
        )
        .unwrap();
    drop(earlier);
    let mut portal = wait_for(|| load_if_free(folder.path()));
    let record = portal.folders.remove(&id()).unwrap().record.unwrap();
    assert_eq!((record.base, record.coverage), (None, ByStatus::default()));
}
