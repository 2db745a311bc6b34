//! Divides changes over transactions of a bounded number of rows.

use super::{FileChanges, FolderChange, FolderChanges};

/// Divides changes so that each part has a number of rows at most. The document of a folder comes with the last of its files: a crash in between
/// leaves counters that know less than the files, so that nothing is counted twice.
pub(super) fn divide(changes: FolderChanges, rows: usize) -> Vec<FolderChanges> {
    let FolderChanges {
        folders,
        portal,
        forgotten,
        unwatched,
    } = changes;
    let mut parts = vec![FolderChanges {
        forgotten,
        unwatched,
        ..FolderChanges::default()
    }];
    let mut room = rows;
    for change in folders.into_iter().flat_map(|change| pieces(change, rows)) {
        let size = 1 + change.files.changed.len() + change.files.forgotten.len();
        if room < size {
            parts.push(FolderChanges::default());
            room = rows;
        }
        room = room.saturating_sub(size);
        if let Some(last) = parts.last_mut() {
            last.folders.push(change);
        }
    }
    if let Some(last) = parts.last_mut() {
        last.portal = portal;
    }
    parts
}

/// Divides the files of a folder.
fn pieces(change: FolderChange, rows: usize) -> Vec<FolderChange> {
    let FolderChange {
        id,
        mut document,
        files,
    } = change;
    let FileChanges {
        mut replace,
        mut changed,
        mut forgotten,
    } = files;
    let mut pieces = Vec::new();
    while !changed.is_empty() || !forgotten.is_empty() || document.is_some() {
        let some = changed.split_off(changed.len().saturating_sub(rows));
        let room = rows.saturating_sub(some.len());
        let gone = forgotten.split_off(forgotten.len().saturating_sub(room));
        let is_last = changed.is_empty() && forgotten.is_empty();
        pieces.push(FolderChange {
            id,
            document: document.take_if(|_| is_last),
            files: FileChanges {
                replace: std::mem::take(&mut replace),
                changed: some,
                forgotten: gone,
            },
        });
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::Order;
    use crate::history::KnownFile;
    use crate::model::{FileKey, FolderName, Status, Timestamp};
    use crate::store::{FolderDocument, PortalDocument};

    fn key(number: u128) -> FileKey {
        FileKey {
            link: number,
            id: number,
        }
    }

    fn change(folder: u128, changed: u128, forgotten: u128) -> FolderChange {
        let file = KnownFile {
            status: Status::Failed,
            settled: None,
            since: Timestamp::default(),
            timed_from: None,
            missed_since: None,
            is_done: false,
            is_away: false,
            class: None,
        };
        FolderChange {
            id: uuid::Uuid::from_u128(folder).into(),
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
                replace: true,
                changed: (0..changed)
                    .map(|number| (key(number), file.clone()))
                    .collect(),
                forgotten: (changed..changed + forgotten).map(key).collect(),
            },
        }
    }

    #[test]
    fn each_part_is_bounded_and_a_document_comes_with_the_last_of_its_files() {
        let folders = vec![change(1, 25, 7), change(2, 0, 0), change(3, 4, 0)];
        let changes = FolderChanges {
            folders,
            portal: Some(PortalDocument::default()),
            ..FolderChanges::default()
        };
        let parts = divide(changes, 10);
        let mut files = 0;
        for (at, part) in parts.iter().enumerate() {
            let of =
                |change: &FolderChange| change.files.changed.len() + change.files.forgotten.len();
            let rows: usize = part.folders.iter().map(of).sum();
            assert!(rows <= 10, "{rows} rows in part {at}");
            files += rows;
            assert_eq!(part.portal.is_some(), at == parts.len() - 1);
        }
        assert_eq!(files, 36);
        let pieces: Vec<_> = parts.iter().flat_map(|part| &part.folders).collect();
        for folder in 1..=3 {
            let id = uuid::Uuid::from_u128(folder).into();
            let of_folder: Vec<_> = pieces.iter().filter(|piece| piece.id == id).collect();
            let documents = of_folder.iter().map(|piece| piece.document.is_some());
            let documents: Vec<_> = documents.collect();
            assert!(documents.last().is_some_and(|last| *last));
            assert_eq!(documents.iter().filter(|it| **it).count(), 1);
            let replaces: Vec<_> = of_folder.iter().map(|piece| piece.files.replace).collect();
            assert!(replaces[0] && !replaces[1..].contains(&true));
        }
    }

    #[test]
    fn nothing_to_write_is_one_part() {
        assert_eq!(divide(FolderChanges::default(), 10).len(), 1);
    }
}
