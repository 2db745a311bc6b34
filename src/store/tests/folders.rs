//! Folders and their files.

use super::*;
use crate::count::Order;
use crate::history::KnownFile;
use crate::model::{FolderName, Status};
use crate::store::{EntryKey, FileChanges, FolderChange, FolderChanges, FolderDocument};

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
        class: Some(Class::Text("timeout".into())),
    }
}

fn change(of: u128, replace: bool, changed: &[(u128, i64)], forgotten: &[u128]) -> FolderChange {
    let changed = changed.iter();
    FolderChange {
        id: folder(of),
        document: Some(FolderDocument {
            name: FolderName::new("Inbox"),
            record: None,
            class_slots: Vec::new(),
            order: Order::default(),
            unreadable: None,
            departure: None,
            excluded: None,
        }),
        files: FileChanges {
            replace,
            changed: changed
                .map(|(number, since)| (key(*number), file(*since)))
                .collect(),
            forgotten: forgotten.iter().copied().map(key).collect(),
        },
    }
}

async fn write(ledger: &Ledger, folders: Vec<FolderChange>) {
    let changes = FolderChanges {
        folders,
        ..FolderChanges::default()
    };
    let written = ledger.lease().write_folders(entry(), changes).await;
    written.unwrap();
}

/// The stored files of a folder, with since when they are as they are.
async fn files(ledger: &Ledger, of: u128) -> Vec<(u128, i64)> {
    let stored = ledger.lease().load(entry()).await.unwrap();
    let files = stored.folders[&folder(of)].files.iter();
    let mut files: Vec<_> = files
        .map(|(key, file)| (key.link, file.since.as_millis()))
        .collect();
    files.sort_unstable();
    files
}

#[tokio::test]
async fn a_folder_of_more_rows_than_a_transaction_has_is_stored_whole() {
    let path = tempfile::tempdir().unwrap();
    let ledger = ledger(&store(path.path()).await).await;
    let many: Vec<_> = (0..45_000).map(|number| (number, 1)).collect();
    write(&ledger, vec![change(1, true, &many, &[])]).await;
    assert_eq!(files(&ledger, 1).await.len(), many.len());
}
