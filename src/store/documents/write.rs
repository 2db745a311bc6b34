//! Writes changes to the tables of folders: a few statements for each table, however many folders there are.

use super::{EntryKey, FolderChange, FolderChanges};
use crate::clock::Moment;
use crate::model::{FolderId, Timestamp};
use crate::store::error::StoreError;
use crate::store::statement::{Connection, Value, values};

/// Parts of files that are in memory as documents at a time.
const PARTS_AT_ONCE: usize = 64;

pub(super) async fn write(
    connection: &mut Connection,
    entry: &EntryKey,
    changes: &FolderChanges,
) -> Result<(), StoreError> {
    for table in ["folder", "files"] {
        delete_folders(connection, entry, table, &changes.forgotten).await?;
    }
    if let Some((watched, before)) = &changes.unwatched {
        forget_unwatched(connection, watched, *before).await?;
    }
    write_documents(connection, entry, &changes.folders).await?;
    write_files(connection, entry, &changes.folders).await?;
    if let Some(document) = &changes.portal {
        let row = [entry.into(), serde_json::to_string(document)?.into()];
        let into = "portal (portal, document)";
        let ending = "ON CONFLICT (portal) DO UPDATE SET document = excluded.document";
        connection.insert(into, vec![row], ending).await?;
    }
    Ok(())
}

async fn write_documents(
    connection: &mut Connection,
    entry: &EntryKey,
    changes: &[FolderChange],
) -> Result<(), StoreError> {
    let now = Moment::now().wall.as_millis();
    let rows = changes.iter().map(|change| {
        let document = serde_json::to_string(&change.document)?;
        Ok([entry.into(), change.id.into(), now.into(), document.into()])
    });
    let rows: Vec<[Value; 4]> = rows.collect::<Result<_, StoreError>>()?;
    let into = "folder (portal, folder, written, document)";
    let ending = "ON CONFLICT (portal, folder) DO UPDATE SET written = excluded.written, document = excluded.document";
    connection.insert(into, rows, ending).await
}

async fn write_files(
    connection: &mut Connection,
    entry: &EntryKey,
    changes: &[FolderChange],
) -> Result<(), StoreError> {
    let replaced = changes.iter().filter(|change| change.parts.replace());
    let replaced: Vec<_> = replaced.map(|change| change.id).collect();
    delete_folders(connection, entry, "files", &replaced).await?;
    let into = "files (portal, folder, part, document)";
    let ending = "ON CONFLICT (portal, folder, part) DO UPDATE SET document = excluded.document";
    let mut rows: Vec<[Value; 4]> = Vec::new();
    for FolderChange {
        id, files, parts, ..
    } in changes
    {
        for some in parts.changed().chunks(PARTS_AT_ONCE) {
            for (part, document) in parts.documents(some, files)? {
                let part = i64::from(part);
                rows.push([entry.into(), (*id).into(), part.into(), document.into()]);
            }
            if rows.len() >= PARTS_AT_ONCE {
                let rows = std::mem::take(&mut rows);
                connection.insert(into, rows, ending).await?;
            }
        }
    }
    connection.insert(into, rows, ending).await
}

async fn delete_folders(
    connection: &mut Connection,
    entry: &EntryKey,
    table: &str,
    folders: &[FolderId],
) -> Result<(), StoreError> {
    let folders = folders.iter().map(|id| (*id).into()).collect();
    connection
        .delete_rows(table, &entry.into(), "folder", folders)
        .await
}

/// Deletes the folders of all portals but these that nobody wrote since a time.
async fn forget_unwatched(
    connection: &mut Connection,
    watched: &[EntryKey],
    before: Timestamp,
) -> Result<(), StoreError> {
    let before = before.as_millis();
    let old = "SELECT DISTINCT portal FROM folder WHERE written < $1";
    for row in connection.query(old, values![before]).await? {
        let portal: &str = row.get("portal")?;
        if watched.iter().any(|entry| entry.0 == portal) {
            continue;
        }
        let old = "DELETE FROM folder WHERE portal = $1 AND written < $2";
        connection.query(old, values![portal, before]).await?;
        let orphans = "DELETE FROM files WHERE portal = $1 AND folder NOT IN (SELECT folder FROM folder WHERE portal = $1)";
        connection.query(orphans, values![portal]).await?;
    }
    Ok(())
}
