//! Writes changes to the tables of folders: a few statements for each table, however many folders there are.

use super::{EntryKey, FileChanges, FolderChange, FolderChanges};
use crate::clock::Moment;
use crate::model::{FolderId, Timestamp};
use crate::store::error::StoreError;
use crate::store::statement::{Connection, Statement, Value, insert};

pub(super) async fn write(
    connection: &mut Connection,
    entry: &EntryKey,
    changes: &FolderChanges,
) -> Result<(), StoreError> {
    for table in ["folder", "file"] {
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
        let ending = " ON CONFLICT (portal) DO UPDATE SET document = excluded.document";
        insert(connection, into, vec![row], ending).await?;
    }
    Ok(())
}

async fn write_documents(
    connection: &mut Connection,
    entry: &EntryKey,
    changes: &[FolderChange],
) -> Result<(), StoreError> {
    let now = Moment::now().wall.as_millis();
    let mut rows: Vec<[Value; 4]> = Vec::new();
    for change in changes {
        if let Some(document) = &change.document {
            let document = serde_json::to_string(document)?;
            rows.push([entry.into(), change.id.into(), now.into(), document.into()]);
        }
    }
    let into = "folder (portal, folder, written, document)";
    let ending = " ON CONFLICT (portal, folder) DO UPDATE SET written = excluded.written, document = excluded.document";
    insert(connection, into, rows, ending).await
}

async fn write_files(
    connection: &mut Connection,
    entry: &EntryKey,
    changes: &[FolderChange],
) -> Result<(), StoreError> {
    let replaced = changes.iter().filter(|change| change.files.replace);
    let replaced: Vec<_> = replaced.map(|change| change.id).collect();
    delete_folders(connection, entry, "file", &replaced).await?;
    let (mut forgotten, mut rows) = (Vec::new(), Vec::new());
    for FolderChange { id, files, .. } in changes {
        let FileChanges {
            changed,
            forgotten: gone,
            ..
        } = files;
        forgotten.extend(gone.iter().map(|key| [(*id).into(), (*key).into()]));
        for (key, file) in changed {
            let document = serde_json::to_string(file)?;
            rows.push([entry.into(), (*id).into(), (*key).into(), document.into()]);
        }
    }
    for keys in forgotten.chunks(connection.max_parameters() / 2 - 1) {
        let keys: Vec<[Value; 2]> = keys.to_vec();
        let delete = Statement::new("DELETE FROM file WHERE portal = ").value(entry);
        let delete = delete.text(" AND (folder, file) IN (VALUES ").rows(keys);
        delete.text(")").fetch(connection).await?;
    }
    let into = "file (portal, folder, file, document)";
    let ending = " ON CONFLICT (portal, folder, file) DO UPDATE SET document = excluded.document";
    insert(connection, into, rows, ending).await
}

async fn delete_folders(
    connection: &mut Connection,
    entry: &EntryKey,
    table: &str,
    folders: &[FolderId],
) -> Result<(), StoreError> {
    for folders in folders.chunks(connection.max_parameters() - 1) {
        let delete = Statement::new(&format!("DELETE FROM {table} WHERE portal = ")).value(entry);
        let delete = delete
            .text(" AND folder IN (")
            .list(folders.iter().copied());
        delete.text(")").fetch(connection).await?;
    }
    Ok(())
}

/// Deletes the folders of all portals but these that nobody wrote since a time.
async fn forget_unwatched(
    connection: &mut Connection,
    watched: &[EntryKey],
    before: Timestamp,
) -> Result<(), StoreError> {
    let others = |statement: Statement| {
        let watched = watched.iter().map(Value::from).chain(["".into()]);
        statement
            .text(" AND portal NOT IN (")
            .list(watched)
            .text(")")
    };
    let old = Statement::new("DELETE FROM folder WHERE written < ").value(before.as_millis());
    others(old).fetch(connection).await?;
    let orphans = Statement::new(
        "DELETE FROM file WHERE NOT EXISTS (SELECT 1 FROM folder
         WHERE folder.portal = file.portal AND folder.folder = file.folder)",
    );
    others(orphans).fetch(connection).await.map(drop)
}
