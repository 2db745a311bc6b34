//! The state.

use std::sync::Arc;
use std::time::Duration;

use kb_exporter::classify::{Class, ClassSlot, Classifier, KnownClass};
use kb_exporter::count::Way;
use kb_exporter::history::{
    Departure, DepartureReason, FolderCounters, FolderRecord, FullRead, IndexingTimes, KnownFile,
    Look, Unidentified,
};
use kb_exporter::model::{
    ByStatus, FileKey, FolderId, FolderName, PortalName, Shard, Status, Timestamp,
};
use kb_exporter::state::{FileChanges, FolderChange, SavedFolder, SavedPortal, SavedRefutation};
use uuid::Uuid;

use super::*;

/// When folders were counted, in milliseconds since 1970.
const COUNTED: i64 = 1_800_000_000_000;

fn portal(name: &str) -> PortalName {
    PortalName::new(name).unwrap()
}

fn id(number: u128) -> FolderId {
    Uuid::from_u128(number).into()
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
        missed_since: Some(Timestamp::from_millis(7)),
        is_done: true,
        class: status
            .has_reason()
            .then(|| Class::from_label("page <n> lost")),
    }
}

fn change(number: u128, files: FileChanges) -> FolderChange {
    let counted = Timestamp::from_millis(COUNTED);
    FolderChange {
        portal: portal("main"),
        id: id(number),
        folder: SavedFolder {
            name: FolderName::new("it's \"quoted\" \\ $1 ☃\n"),
            record: Some(FolderRecord {
                first_counted: Timestamp::from_millis(3),
                began: Timestamp::from_millis(COUNTED - 1),
                counted,
                full_read: Some(FullRead {
                    at: Timestamp::from_millis(4),
                    sizes: ByStatus::from_fn(|status| 100 + status as u64),
                    missing_rows: 7,
                    shows_sorting: true,
                }),
                counts: ByStatus::from_fn(|status| status as u64),
                look: Look {
                    way: Way::Sorted,
                    consistent: true,
                    requests: 7,
                    duration: Duration::from_millis(8),
                    rows_beyond: None,
                    missing_files: 0,
                },
                unidentified: ByStatus::from_fn(|status| match status {
                    Status::Failed => Unidentified::Unknown(3),
                    status => Unidentified::Files(20 + status as u64),
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
            files,
            class_slots: vec![ClassSlot {
                class: "page <n> lost".into(),
                known: KnownClass {
                    example: "page 7 lost".into(),
                    first_seen: Timestamp::from_millis(-1),
                    last_seen: counted,
                },
                classifier: Some(Classifier::default().version()),
                files: ByStatus::from_fn(|status| match status {
                    Status::Failed => 7,
                    Status::Flagged => 8,
                    _ => 0,
                }),
                empty_counts: 2,
                shown: false,
            }],
            left: None,
            excluded: None,
        },
    }
}

/// What the next process reads.
async fn reopened(place: &Place, store: Store) -> SavedPortal {
    drop(store);
    let store = place.state().await;
    store.load(portal("main"), Shard::default()).await.unwrap()
}

#[tokio::test]
async fn what_was_written_is_read_by_the_next_process() {
    for place in Place::all().await {
        let store = place.state().await;
        let mut left = change(1, FileChanges::All(vec![(key(1), file(Status::Failed))]));
        left.folder.left = Some(Departure {
            reason: DepartureReason::Unlisted,
            since: Timestamp::from_millis(7),
        });
        left.folder.excluded = Some(Timestamp::from_millis(8));
        let newer = store.write(vec![left.clone()]).await.unwrap();
        assert_eq!(newer, [], "{place:?}");
        let success = Timestamp::from_millis(9);
        store.write_success(portal("main"), success).await.unwrap();
        let refutation = SavedRefutation {
            address: "https://portal.example/".into(),
            folder: id(1),
            pages: vec![1, 51],
        };
        let written = Some(refutation.clone());
        store
            .write_refutation(portal("main"), written)
            .await
            .unwrap();
        let mut read = reopened(&place, store).await;
        assert_eq!(read.last_success, Some(success), "{place:?}");
        assert_eq!(read.refutation, Some(refutation), "{place:?}");
        let folder = read.folders.remove(&id(1)).unwrap();
        assert_eq!(folder.name, left.folder.name, "{place:?}");
        assert_eq!(folder.record, left.folder.record, "{place:?}");
        assert_eq!(folder.class_slots, left.folder.class_slots, "{place:?}");
        assert_eq!(folder.left, left.folder.left, "{place:?}");
        assert_eq!(folder.excluded, left.folder.excluded, "{place:?}");
        assert_eq!(folder.files.get(key(1)), Some(&file(Status::Failed)));
    }
}

#[tokio::test]
async fn files_are_forgotten_one_by_one_or_all_at_once() {
    for place in Place::all().await {
        let store = place.state().await;
        let two = [1, 2].map(|number| (key(number), file(Status::Failed)));
        let all = FileChanges::All(two.to_vec());
        store.write(vec![change(1, all)]).await.unwrap();
        let one = FileChanges::Some {
            changed: vec![(key(2), file(Status::Pending))],
            forgotten: vec![key(1)],
        };
        store.write(vec![change(1, one)]).await.unwrap();
        let load = async || store.load(portal("main"), Shard::default()).await.unwrap();
        let known = &load().await.folders[&id(1)].files;
        assert_eq!(known.get(key(1)), None, "{place:?}");
        assert_eq!(known.get(key(2)), Some(&file(Status::Pending)), "{place:?}");
        let other = FileChanges::All(vec![(key(3), file(Status::Flagged))]);
        store.write(vec![change(1, other)]).await.unwrap();
        let known = &load().await.folders[&id(1)].files;
        let keys: Vec<_> = known.iter().map(|(key, _)| key).collect();
        assert_eq!(keys, [key(3)], "{place:?}");
    }
}

#[tokio::test]
async fn folders_are_forgotten_by_their_ids_or_with_their_portal() {
    for place in Place::all().await {
        let store = place.state().await;
        let folder = |number| change(number, FileChanges::All(vec![]));
        let folders = [1, 2, 3].map(folder).to_vec();
        store.write(folders).await.unwrap();
        store.forget(portal("main"), vec![id(2)]).await.unwrap();
        let left = async |store: &Store| {
            let saved = store.load(portal("main"), Shard::default()).await.unwrap();
            saved.folders.len()
        };
        assert_eq!(left(&store).await, 2, "{place:?}");
        let counted = Timestamp::from_millis(COUNTED);
        for (but, before, expected) in [
            ("main", counted.after(Duration::from_secs(1)), 2),
            ("other", counted, 2),
            ("other", counted.after(Duration::from_secs(1)), 0),
        ] {
            let forgotten = store.forget_portals(vec![but.to_owned()], before);
            forgotten.await.unwrap();
            assert_eq!(left(&store).await, expected, "{place:?} {but}");
        }
    }
}

#[tokio::test]
async fn what_is_written_together_is_stored_together() {
    for place in Place::all().await {
        let store = place.state().await;
        // The folders have one name.
        place.sql("CREATE UNIQUE INDEX refuse ON folder (name)");
        let changes = [1, 2, 9].map(|number| {
            let files = FileChanges::All(vec![(key(1), file(Status::Failed))]);
            change(number, files)
        });
        let stored = async || {
            let saved = store.load(portal("main"), Shard::default()).await.unwrap();
            saved.folders.len()
        };
        assert!(store.write(changes.to_vec()).await.is_err(), "{place:?}");
        assert_eq!(stored().await, 0, "{place:?}");
        place.sql("DROP INDEX refuse");
        store.write(changes.to_vec()).await.unwrap();
        assert_eq!(stored().await, 3, "{place:?}");
    }
}
