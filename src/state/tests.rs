//! The state on a real disk: what was written is read again, and nothing is ever written over.

mod versions;

use std::fs;

use super::*;
use crate::classify::{ClassSlot, KnownClass};
use crate::history::{
    Coverage, Departure, DepartureReason, FolderCounters, FolderRecord, FullRead, IndexingTimes,
    KnownFile,
};
use crate::model::{ByStatus, FileKey, FolderId, FolderName, PortalName, Shard, Status, Timestamp};

fn now() -> Timestamp {
    std::time::SystemTime::now().into()
}

fn id() -> FolderId {
    uuid::Uuid::from_u128(7).into()
}

fn key(number: u128) -> FileKey {
    FileKey {
        link: number,
        id: u128::MAX - number,
    }
}

fn file(status: Status) -> KnownFile {
    KnownFile {
        status,
        settled: Some(status).filter(|status| status.has_reason()),
        since: Timestamp::from_millis(5),
        timed_from: Some(Timestamp::from_millis(-6)),
        missed: 1,
    }
}

fn change(files: FileChanges) -> FolderChange {
    let name = FolderName::new("In\nbox");
    FolderChange {
        portal: PortalName::new("main").unwrap(),
        id: id(),
        folder: SavedFolder {
            name: name.clone(),
            class_slots: vec![ClassSlot {
                class: "page <n> lost".into(),
                known: KnownClass {
                    example: "page 7 lost".into(),
                    first_seen: Timestamp::from_millis(-1),
                    last_seen: now(),
                },
                classifier: Some(crate::classify::Classifier::default().version()),
                files: ByStatus::from_fn(|status| match status {
                    Status::Failed => 7,
                    Status::Flagged => 8,
                    _ => 0,
                }),
                empty_counts: 2,
                shown: false,
            }],
            record: Some(FolderRecord {
                first_counted: Timestamp::from_millis(3),
                name,
                began: now(),
                counted: now(),
                full_read: Some(FullRead {
                    at: now(),
                    sizes: ByStatus::from_fn(|status| 100 + status as u64),
                }),
                counts: ByStatus::from_fn(|status| status as u64),
                base: Some(ByStatus::from_fn(|status| 20 + status as u64)),
                coverage: ByStatus::from_fn(|status| match status {
                    Status::Failed => Coverage::Whole,
                    Status::Flagged => Coverage::Once,
                    status => Coverage::Torn(status as u8),
                }),
                counters: Arc::new(FolderCounters {
                    entries: ByStatus::from_fn(|status| 10 + status as u64),
                    indexing: IndexingTimes {
                        buckets: [1, 2, 3, 4, 5, 6],
                        count: 30,
                        sum_millis: 4_000,
                    },
                }),
            }),
            left: None,
            excluded: None,
            files,
        },
    }
}

fn load(folder: &std::path::Path) -> SavedPortal {
    let (_, mut saved, error) = Store::open(folder);
    assert!(error.is_none(), "{error:?}");
    saved.take(&PortalName::new("main").unwrap())
}

#[tokio::test]
async fn what_was_written_is_read_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let (store, saved, error) = Store::open(folder.path());
    assert_eq!((saved, error.is_none()), (Saved::default(), true));
    let first = change(FileChanges::Some {
        changed: vec![
            (key(1), file(Status::Failed)),
            (key(2), file(Status::Pending)),
        ],
        forgotten: vec![],
    });
    store.write(vec![first.clone()]).await.unwrap();
    let main = PortalName::new("main").unwrap();
    let success = Timestamp::from_millis(9);
    store.write_success(main, success).await.unwrap();
    let refutation = SavedRefutation {
        address: "https://portal.example/admin".into(),
        folder: id(),
        pages: vec![1, 51, 100],
    };
    let portal = || PortalName::new("main").unwrap();
    let written = Some(refutation.clone());
    store.write_refutation(portal(), None).await.unwrap();
    store.write_refutation(portal(), written).await.unwrap();
    drop(store);

    let mut portal = wait_for(|| load_if_free(folder.path()));
    assert_eq!(portal.last_success, Some(Timestamp::from_millis(9)));
    assert_eq!(portal.refutation, Some(refutation));
    let saved = portal.folders.remove(&id()).unwrap();
    assert_eq!(
        (saved.record, saved.class_slots),
        (first.folder.record, first.folder.class_slots)
    );
    assert_eq!(saved.files.len(), 2);
    assert_eq!(saved.files.get(key(1)), Some(&file(Status::Failed)));
}

#[tokio::test]
async fn files_are_forgotten_one_by_one_or_all_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (store, ..) = Store::open(folder.path());
    let changed = vec![
        (key(1), file(Status::Failed)),
        (key(2), file(Status::Failed)),
    ];
    let forgotten = vec![];
    store
        .write(vec![change(FileChanges::Some { changed, forgotten })])
        .await
        .unwrap();
    let forget = FileChanges::Some {
        changed: vec![],
        forgotten: vec![key(1)],
    };
    store.write(vec![change(forget)]).await.unwrap();
    store
        .write(vec![change(FileChanges::All(vec![(
            key(3),
            file(Status::Flagged),
        )]))])
        .await
        .unwrap();
    drop(store);

    let portal = wait_for(|| load_if_free(folder.path()));
    let history = &portal.folders[&id()].files;
    assert_eq!(
        history.iter().map(|(key, _)| key).collect::<Vec<_>>(),
        [key(3)]
    );
}

#[tokio::test]
async fn a_folder_that_left_long_ago_is_still_there_after_a_start() {
    let folder = tempfile::tempdir().unwrap();
    let (store, ..) = Store::open(folder.path());
    let mut change = change(FileChanges::All(vec![]));
    let long_ago = Timestamp::from_millis(7);
    change.folder.left = Some(Departure {
        reason: DepartureReason::Unlisted,
        since: long_ago,
    });
    change.folder.excluded = Some(long_ago);
    store.write(vec![change.clone()]).await.unwrap();
    drop(store);
    let portal = wait_for(|| load_if_free(folder.path()));
    let saved = &portal.folders[&id()];
    assert_eq!(
        (saved.left, saved.excluded),
        (change.folder.left, change.folder.excluded)
    );
}

#[tokio::test]
async fn what_is_written_together_is_on_disk_together() {
    let folder = tempfile::tempdir().unwrap();
    let (store, ..) = Store::open(folder.path());
    let other = |number| {
        let mut change = change(FileChanges::All(vec![(key(1), file(Status::Failed))]));
        change.id = uuid::Uuid::from_u128(number).into();
        change
    };
    let disk = rusqlite::Connection::open(folder.path().join(FILE_NAME)).unwrap();
    let last = other(9).id;
    disk.execute_batch(&format!(
        "CREATE TRIGGER refuse BEFORE INSERT ON folder WHEN new.id = '{last}'
         BEGIN SELECT RAISE(ABORT, 'refused'); END"
    ))
    .unwrap();
    let main = PortalName::new("main").unwrap();
    let refused = store.write(vec![other(1), other(2), other(9)]).await;
    assert!(refused.is_err());
    assert_eq!(
        store
            .load(main.clone(), Shard::default())
            .await
            .unwrap()
            .folders
            .len(),
        0
    );

    disk.execute_batch("DROP TRIGGER refuse").unwrap();
    let written = store.write(vec![other(1), other(2), other(9)]).await;
    written.unwrap();
    assert_eq!(
        store
            .load(main.clone(), Shard::default())
            .await
            .unwrap()
            .folders
            .len(),
        3
    );
    store
        .forget(main.clone(), vec![other(1).id, last])
        .await
        .unwrap();
    let left = store.load(main, Shard::default()).await.unwrap().folders;
    assert_eq!(left.into_keys().collect::<Vec<_>>(), [other(2).id]);
    let files = "SELECT count(*) FROM file";
    let files = disk.query_row(files, [], |row| row.get::<_, i64>(0));
    assert_eq!(files, Ok(1));
}

#[tokio::test]
async fn portals_that_nobody_asks_about_any_more_are_forgotten_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let (store, ..) = Store::open(folder.path());
    let of = |portal| {
        let mut change = change(FileChanges::All(vec![]));
        change.portal = PortalName::new(portal).unwrap();
        change
    };
    let counted = of("main").folder.record.unwrap().counted;
    store.write(vec![of("main"), of("removed")]).await.unwrap();
    let folders = async |portal| {
        let saved = store
            .load(PortalName::new(portal).unwrap(), Shard::default())
            .await;
        saved.unwrap().folders.len()
    };
    let later = Timestamp::from_millis(counted.as_millis() + 1_000_000);
    for (before, removed) in [
        (counted.before(std::time::Duration::from_hours(1)), 1),
        (later, 0),
    ] {
        let in_use = vec!["main".to_owned()];
        store.forget_portals(in_use, before).await.unwrap();
        assert_eq!(
            (folders("main").await, folders("removed").await),
            (1, removed)
        );
    }
}

#[test]
fn a_second_process_fails_because_the_folder_is_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let (_first, ..) = Store::open(folder.path());
    let (_, _, error) = Store::open(folder.path());
    assert!(matches!(error, Some(StateError::InUse { .. })), "{error:?}");
}

#[tokio::test]
async fn a_file_that_cannot_be_read_stays_as_it_is_and_every_write_is_refused() {
    let newer = |path: &std::path::Path| {
        let connection = rusqlite::Connection::open(path).unwrap();
        connection.pragma_update(None, "user_version", 99).unwrap();
    };
    let corrupt = |path: &std::path::Path| {
        fs::write(
            path,
            "not a database, but long enough to be taken for one".repeat(99),
        )
        .unwrap();
    };
    for make in [&newer as &dyn Fn(&std::path::Path), &corrupt] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE_NAME);
        make(&path);
        let before = fs::read(&path).unwrap();
        let (store, saved, error) = Store::open(folder.path());
        assert!(error.is_some());
        assert_eq!(saved, Saved::default());
        assert!(
            store
                .write(vec![change(FileChanges::All(vec![]))])
                .await
                .is_err()
        );
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

/// The writing thread closes the file after its last handle was dropped.
fn load_if_free(folder: &std::path::Path) -> Option<SavedPortal> {
    lock::lock(folder).ok().map(drop).map(|()| load(folder))
}

fn wait_for<T>(mut ready: impl FnMut() -> Option<T>) -> T {
    loop {
        if let Some(value) = ready() {
            return value;
        }
        std::thread::yield_now();
    }
}
