//! Folders and their files.

use super::*;
use crate::count::Order;
use crate::history::KnownFile;
use crate::model::{FolderName, Status};
use crate::store::{
    EntryKey, FileChanges, FolderChange, FolderChanges, FolderDocument, PortalDocument,
};

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
async fn files_are_added_changed_forgotten_and_replaced() {
    let path = tempfile::tempdir().unwrap();
    let ledger = ledger(&store(path.path()).await).await;
    write(&ledger, vec![change(1, true, &[(1, 1), (2, 1)], &[])]).await;
    write(&ledger, vec![change(1, false, &[(2, 2), (3, 2)], &[1])]).await;
    assert_eq!(files(&ledger, 1).await, [(2, 2), (3, 2)]);
    write(&ledger, vec![change(1, true, &[(4, 3)], &[])]).await;
    assert_eq!(files(&ledger, 1).await, [(4, 3)]);
}

#[tokio::test]
async fn a_folder_of_more_rows_than_a_transaction_has_is_stored_whole() {
    let path = tempfile::tempdir().unwrap();
    let ledger = ledger(&store(path.path()).await).await;
    let many: Vec<_> = (0..45_000).map(|number| (number, 1)).collect();
    write(&ledger, vec![change(1, true, &many, &[])]).await;
    assert_eq!(files(&ledger, 1).await.len(), many.len());
}

#[tokio::test]
async fn entries_with_one_address_have_folders_of_their_own() {
    let path = tempfile::tempdir().unwrap();
    let ledger = ledger(&store(path.path()).await).await;
    write(&ledger, vec![change(1, true, &[(1, 1)], &[])]).await;
    let other = EntryKey::new(&address(), 1);
    let stored = ledger.lease().load(other).await.unwrap();
    assert!(stored.folders.is_empty());
}

#[tokio::test]
async fn the_portal_is_stored_beside_its_folders_and_folders_can_be_forgotten() {
    let path = tempfile::tempdir().unwrap();
    let ledger = ledger(&store(path.path()).await).await;
    let portal = PortalDocument {
        last_success: Some(NOON),
        ..PortalDocument::default()
    };
    write(&ledger, vec![change(1, true, &[(1, 1)], &[])]).await;
    let changes = FolderChanges {
        portal: Some(portal.clone()),
        forgotten: vec![folder(1)],
        ..FolderChanges::default()
    };
    let written = ledger.lease().write_folders(entry(), changes).await;
    written.unwrap();
    let stored = ledger.lease().load(entry()).await.unwrap();
    assert_eq!(stored.document, portal);
    assert!(stored.folders.is_empty());
    let files = numbers(ledger.lease(), "SELECT 1 AS n FROM file").await;
    assert!(files.is_empty());
}
