//! Reads the tables of folders.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::{EntryKey, StoredFolder, StoredPortal};
use crate::classify::Class;
use crate::history::FileHistory;
use crate::model::FolderId;
use crate::store::error::StoreError;
use crate::store::parts::{FileParts, unpacked};
use crate::store::statement::{Connection, Row, Statement};

/// Reads an entry. Rows are read one by one: there may be more of them than memory for their texts.
pub(super) async fn portal(
    connection: &mut Connection,
    entry: &EntryKey,
) -> Result<StoredPortal, StoreError> {
    let of_portal = |columns: &str, table: &str| {
        let select = format!("SELECT {columns} FROM {table} WHERE portal = ");
        Statement::new(&select).value(entry)
    };
    let mut stored = StoredPortal::default();
    let rows = of_portal("document", "portal").fetch(connection).await?;
    if let Some(row) = rows.first() {
        stored.document = parsed(row)?;
    }
    // As many rows as parts.
    let mut files: HashMap<FolderId, (u32, FileHistory)> = HashMap::new();
    let mut classes = HashSet::new();
    of_portal("folder, document", "files")
        .each(connection, |row| {
            let (parts, files) = files.entry(row.folder()?).or_default();
            *parts += 1;
            for (key, mut file) in unpacked(row.bytes("document")?)? {
                file.class = file.class.map(|class| shared(&mut classes, class));
                files.insert(key, file);
            }
            Ok(())
        })
        .await?;
    of_portal("folder, document", "folder")
        .each(connection, |row| {
            let id = row.folder()?;
            let (parts, files) = files.remove(&id).unwrap_or_default();
            let folder = StoredFolder {
                document: parsed(&row)?,
                files,
                parts: FileParts::stored(parts),
            };
            stored.folders.insert(id, folder);
            Ok(())
        })
        .await?;
    Ok(stored)
}

fn parsed<T: for<'de> Deserialize<'de>>(row: &Row) -> Result<T, StoreError> {
    Ok(serde_json::from_str(row.text("document")?)?)
}

/// A class that shares its text with equal ones.
fn shared(classes: &mut HashSet<Class>, class: Class) -> Class {
    if let Some(shared) = classes.get(&class) {
        return shared.clone();
    }
    classes.insert(class.clone());
    class
}
