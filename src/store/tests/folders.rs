//! Folders and their files.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::count::SortingState;
use crate::history::{FileHistory, KnownFile};
use crate::model::{FolderName, Status};
use crate::store::{EntryKey, FileParts, FolderChange, FolderChanges, FolderDocument};

fn entry() -> EntryKey {
    EntryKey::new(&address(), 0)
}

fn file(since: i64) -> KnownFile {
    KnownFile {
        status: Status::Failed,
        settled: Some(Status::Failed),
        since: Timestamp::from_millis(since),
        timed_from: None,
        missed_since: None,
        is_done: false,
        is_away: false,
        class: Some(Class::from_label("timeout")),
    }
}

fn change(of: u128, files: &Arc<FileHistory>, parts: FileParts) -> FolderChange {
    FolderChange {
        id: folder(of),
        document: FolderDocument {
            name: FolderName::new("Inbox"),
            record: None,
            class_slots: Vec::new(),
            order: SortingState::default(),
            unreadable: None,
            departure: None,
        },
        files: Arc::clone(files),
        parts,
    }
}

/// What becomes of the files of a folder: how many there are, and whether a write of them succeeds.
fn steps() -> impl Strategy<Value = Vec<(u128, bool)>> {
    let files = prop_oneof![0..20_u128, 0..3_000_u128];
    prop::collection::vec((files, prop::bool::weighted(0.8)), 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn files_are_stored_as_they_are_known(steps in steps()) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let path = tempfile::tempdir().unwrap();
            let ledger = ledger(&store(path.path()).await).await;
            let (mut parts, mut before) = (FileParts::default(), 0);
            for (number, (files, succeeds)) in (1..).zip(steps) {
                // The first file changes as well.
                let gone = files.min(before)..files.max(before);
                parts.note(gone.chain([0]).map(key));
                before = files;
                let since = |file| if file == 0 { number } else { 0 };
                let known = (0..files).map(|it| (key(it), file(since(it))));
                let known: Arc<FileHistory> = Arc::new(known.collect());
                let taken = parts.take(known.len());
                if !succeeds {
                    parts = FileParts::default();
                    continue;
                }
                let folders = (1..=3).map(|of| change(of, &known, taken.clone()));
                let changes = FolderChanges {
                    folders: folders.collect(),
                    ..FolderChanges::default()
                };
                ledger.lease().write_folders(entry(), changes).await.unwrap();
                let stored = ledger.lease().load(entry()).await.unwrap();
                for of in 1..=3 {
                    let stored = &stored.folders[&folder(of)];
                    assert!(stored.files == *known, "{} and {files}", stored.files.len());
                    assert_eq!(stored.parts, parts, "as many rows as parts");
                }
            }
            let changes = FolderChanges {
                forgotten: vec![folder(1)],
                ..FolderChanges::default()
            };
            ledger.lease().write_folders(entry(), changes).await.unwrap();
            let stored = ledger.lease().load(entry()).await.unwrap();
            assert!(!stored.folders.contains_key(&folder(1)));
        });
    }
}
