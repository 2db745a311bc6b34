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
    ByStatus, FileKey, FolderId, FolderName, PortalAddress, Status, Timestamp,
};
use kb_exporter::store::{
    Answer, FileChanges, FolderChange, FolderDocument, Refutation, Revision, StoreError,
    StoredFolder, StoredPortal,
};
use uuid::Uuid;

use super::*;

/// When folders were counted, in milliseconds since 1970.
const COUNTED: i64 = 1_800_000_000_000;

fn portal() -> PortalAddress {
    "https://portal.example/".into()
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
        id: id(number),
        known: None,
        document: FolderDocument {
            name: FolderName::new("it's \"quoted\" \\ $1 ☃\n"),
            record: Some(FolderRecord {
                first_counted: Timestamp::from_millis(3),
                began: Timestamp::from_millis(COUNTED - 1),
                counted,
                full_read: Some(FullRead {
                    at: Timestamp::from_millis(4),
                    sizes: ByStatus::from_fn(|status| 100 + status as u64),
                    missing_rows: 7,
                    repeated_rows: 8,
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
                day: Arc::default(),
                newest: None,
            }),
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
                day: Default::default(),
                empty_counts: 2,
                shown: false,
            }],
            departure: None,
            excluded: None,
        },
        files,
    }
}

/// All that a portal has.
async fn load(state: &Documents) -> StoredPortal {
    state.load(portal()).await.unwrap()
}

/// Writes folders, and returns what came of the first.
async fn write(state: &Documents, folders: Vec<FolderChange>) -> Answer {
    let changes = Changes {
        folders,
        ..Changes::default()
    };
    let written = state.write(portal(), changes).await;
    written.answers.unwrap().remove(0).1
}

/// Writes a folder from a revision, and returns the next one.
async fn write_from(state: &Documents, known: Option<Revision>, change: FolderChange) -> Revision {
    match write(state, vec![FolderChange { known, ..change }]).await {
        Answer::Written(revision) => revision,
        answer => panic!("{answer:?}"),
    }
}

fn some(changed: Vec<(FileKey, KnownFile)>, forgotten: Vec<FileKey>) -> FileChanges {
    FileChanges::Some { changed, forgotten }
}

#[tokio::test]
async fn what_was_written_is_read_by_the_next_process() {
    for place in Place::all().await {
        let state = place.state().await;
        let mut left = change(1, FileChanges::All(vec![(key(1), file(Status::Failed))]));
        left.document.departure = Some(Departure {
            reason: DepartureReason::Unlisted,
            since: Timestamp::from_millis(7),
        });
        left.document.excluded = Some(Timestamp::from_millis(8));
        let success = Some(Timestamp::from_millis(9));
        let refutation = Some(Refutation {
            folder: id(1),
            pages: vec![1, 51],
        });
        let changes = Changes {
            folders: vec![left.clone()],
            last_success: success,
            refutation: Some(refutation.clone()),
            ..Changes::default()
        };
        let written = state.write(portal(), changes).await;
        let answers = written.answers.unwrap();
        let [(_, Answer::Written(revision))] = answers[..] else {
            panic!("{answers:?}");
        };
        drop(state);
        let read = load(&place.state().await).await;
        assert_eq!(read.document.last_success, success, "{place:?}");
        assert_eq!(read.document.refutation, refutation, "{place:?}");
        let expected = StoredFolder {
            document: left.document,
            files: [(key(1), file(Status::Failed))].into_iter().collect(),
            revision,
        };
        assert_eq!(read.folders[&id(1)], expected, "{place:?}");
    }
}

#[tokio::test]
async fn files_are_forgotten_one_by_one_or_all_at_once() {
    for place in Place::all().await {
        let state = place.state().await;
        let two = [1, 2].map(|number| (key(number), file(Status::Failed)));
        let all = FileChanges::All(two.to_vec());
        let known = write_from(&state, None, change(1, all)).await;
        let one = some(vec![(key(2), file(Status::Pending))], vec![key(1)]);
        let known = write_from(&state, Some(known), change(1, one)).await;
        let stored = &load(&state).await.folders[&id(1)].files;
        assert_eq!(stored.get(key(1)), None, "{place:?}");
        assert_eq!(
            stored.get(key(2)),
            Some(&file(Status::Pending)),
            "{place:?}"
        );
        let other = FileChanges::All(vec![(key(3), file(Status::Flagged))]);
        write_from(&state, Some(known), change(1, other)).await;
        let stored = &load(&state).await.folders[&id(1)].files;
        let keys: Vec<_> = stored.iter().map(|(key, _)| key).collect();
        assert_eq!(keys, [key(3)], "{place:?}");
    }
}

#[tokio::test]
async fn who_knows_an_older_revision_gets_what_another_process_wrote() {
    for place in Place::all().await {
        let state = place.state().await;
        let all = || FileChanges::All(vec![(key(1), file(Status::Failed))]);
        let first = write_from(&state, None, change(1, all())).await;
        let second = write_from(&state, Some(first), change(1, some(vec![], vec![]))).await;
        let same_number = Revision {
            token: !second.token,
            ..second
        };
        for known in [None, Some(first), Some(same_number)] {
            let mut late = change(1, all());
            late.document.excluded = Some(Timestamp::from_millis(1));
            let answer = write(&state, vec![FolderChange { known, ..late }]).await;
            let Answer::Newer(stored) = answer else {
                panic!("{place:?} {answer:?}");
            };
            assert_eq!(stored.revision, second, "{place:?}");
            assert_eq!(stored.document, change(1, all()).document, "{place:?}");
            assert_eq!(stored.files.len(), 1, "{place:?}");
        }
    }
}

#[tokio::test]
async fn what_a_database_lost_is_written_with_all_files() {
    for place in Place::all().await {
        let state = place.state().await;
        let all = || FileChanges::All(vec![(key(1), file(Status::Failed))]);
        for lost in [
            "UPDATE folder SET number = 1, token = 5; DELETE FROM file",
            "DELETE FROM folder; DELETE FROM file",
        ] {
            let known = load(&state).await.folders.get(&id(1)).map(|it| it.revision);
            let first = write_from(&state, known, change(1, all())).await;
            let second = write_from(&state, Some(first), change(1, some(vec![], vec![]))).await;
            place.sql(lost).await;
            let known = Some(second);
            let part = FolderChange {
                known,
                ..change(1, some(vec![], vec![]))
            };
            assert_eq!(write(&state, vec![part]).await, Answer::Older, "{place:?}");
            let third = write_from(&state, known, change(1, all())).await;
            assert!(third.number > second.number, "{place:?}");
            assert_eq!(
                load(&state).await.folders[&id(1)].files.len(),
                1,
                "{place:?}"
            );
        }
    }
}

#[tokio::test]
async fn folders_are_forgotten_by_their_ids_or_with_their_portal() {
    for place in Place::all().await {
        let state = place.state().await;
        let folder = |number| {
            change(
                number,
                FileChanges::All(vec![(key(1), file(Status::Failed))]),
            )
        };
        write(&state, [1, 2, 3].map(folder).to_vec()).await;
        let now = state.clock().now().wall;
        let later = now.after(Duration::from_mins(1));
        let other = PortalAddress::from("https://other.example/");
        for (forgotten, unwatched, left) in [
            (vec![id(2)], None, 2),
            (vec![], Some((vec![portal(), other.clone()], later)), 2),
            (
                vec![],
                Some((vec![other.clone()], now.before(Duration::from_mins(1)))),
                2,
            ),
            (vec![], Some((vec![other], later)), 0),
        ] {
            let changes = Changes {
                forgotten,
                unwatched,
                ..Changes::default()
            };
            let written = state.write(portal(), changes).await;
            written.answers.unwrap();
            assert_eq!(load(&state).await.folders.len(), left, "{place:?}");
            let files = place.sql("SELECT CAST(count(*) AS TEXT) FROM file").await;
            assert_eq!(files, [[left.to_string()]], "{place:?}");
        }
    }
}

#[tokio::test]
async fn what_is_written_together_is_stored_together() {
    for place in Place::all().await {
        let state = place.state().await;
        // The documents are the same.
        place
            .sql("CREATE UNIQUE INDEX refuse ON folder (document)")
            .await;
        let changes = [1, 2, 9].map(|number| {
            let files = FileChanges::All(vec![(key(1), file(Status::Failed))]);
            change(number, files)
        });
        let changes = Changes {
            folders: changes.to_vec(),
            ..Changes::default()
        };
        let written = state.write(portal(), changes.clone()).await;
        let refused = written.answers.unwrap_err();
        assert!(
            matches!(refused, StoreError::Refused(_) | StoreError::Path { .. }),
            "{place:?} {refused:?}"
        );
        assert_eq!(load(&state).await.folders.len(), 0, "{place:?}");
        place.sql("DROP INDEX refuse").await;
        let written = state.write(portal(), changes).await;
        assert_eq!(written.answers.unwrap().len(), 3, "{place:?}");
        assert_eq!(load(&state).await.folders.len(), 3, "{place:?}");
    }
}

#[tokio::test]
async fn what_only_reads_makes_no_tables() {
    for place in Place::all().await {
        let reader = place.open(Access::Read);
        for _ in 0..2 {
            assert_eq!(reader.known_classes().await, Ok([].into()), "{place:?}");
        }
        if let Some(database) = &place.database {
            let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kb%'";
            assert_eq!(database.value(schemas), "0");
        } else {
            assert!(!place.folder.path().join("state.db").exists());
        }
        let state = place.state().await;
        write(&state, vec![change(1, FileChanges::All(vec![]))]).await;
        let known = ["page <n> lost".to_owned()].into();
        let reader = place.open(Access::Read);
        assert_eq!(reader.known_classes().await, Ok(known), "{place:?}");
    }
}
