//! Reads the tables of folders.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::{EntryKey, StoredFolder, StoredPortal};
use crate::classify::Class;
use crate::history::{FileHistory, KnownFile};
use crate::model::{FileKey, FolderId};
use crate::store::error::StoreError;
use crate::store::packed::unpack;
use crate::store::parts::FileParts;
use crate::store::statement::{Connection, Row, values};

/// Reads an entry. Rows are read one by one: there may be more of them than memory for their texts.
pub(super) async fn portal(
    connection: &mut Connection,
    entry: &EntryKey,
) -> Result<StoredPortal, StoreError> {
    let mut stored = StoredPortal::default();
    let portal = "SELECT document FROM portal WHERE portal = $1";
    if let Some(row) = connection.query(portal, values![entry]).await?.first() {
        stored.document = parsed(row)?;
    }
    // As many rows as parts.
    let mut files: HashMap<FolderId, (u32, FileHistory)> = HashMap::new();
    let mut classes = HashSet::new();
    let parts = "SELECT folder, document FROM files WHERE portal = $1";
    connection
        .each(parts, values![entry], |row| {
            let (parts, files) = files.entry(row.folder()?).or_default();
            *parts += 1;
            let part: Vec<(FileKey, KnownFile)> = unpack(row.get("document")?)?;
            for (key, mut file) in part {
                file.class = file.class.map(|class| shared(&mut classes, class));
                files.insert(key, file);
            }
            Ok(())
        })
        .await?;
    let folders = "SELECT folder, document FROM folder WHERE portal = $1";
    connection
        .each(folders, values![entry], |row| {
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
    Ok(serde_json::from_str(row.get("document")?)?)
}

/// A class that shares its text with equal ones.
fn shared(classes: &mut HashSet<Class>, class: Class) -> Class {
    if let Some(shared) = classes.get(&class) {
        return shared.clone();
    }
    classes.insert(class.clone());
    class
}
