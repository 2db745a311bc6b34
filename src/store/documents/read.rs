//! Reads the tables of the state.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::Deserialize;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use super::{FolderDocument, PortalDocument, StoredFolder, StoredPortal};
use crate::classify::{Class, ClassSlot};
use crate::history::KnownFile;
use crate::model::{FileKey, FileMap, FolderId, PortalAddress};
use crate::store::error::StoreError;
use crate::store::statement::{Revision, Statement, max_parameters};

/// How many folders one query reads, at most.
const FOLDERS_AT_ONCE: usize = 5_000;

/// Reads a portal.
pub(super) async fn portal(
    connection: &mut AnyConnection,
    portal: &PortalAddress,
) -> Result<StoredPortal, StoreError> {
    let statement =
        Statement::new("SELECT folder FROM folder WHERE portal = ").value(portal.as_str());
    let mut ids = Vec::new();
    for row in statement.fetch(connection).await? {
        ids.push(folder_id(&row)?);
    }
    let mut stored = StoredPortal {
        document: document(connection, portal, "").await?.unwrap_or_default(),
        folders: HashMap::with_capacity(ids.len()),
    };
    let at_once = FOLDERS_AT_ONCE.min(max_parameters(connection) - 1);
    for ids in ids.chunks(at_once) {
        stored
            .folders
            .extend(folders(connection, portal, ids).await?);
    }
    Ok(stored)
}

/// `lock`: what locks the row, if there is one.
pub(super) async fn document(
    connection: &mut AnyConnection,
    portal: &PortalAddress,
    lock: &str,
) -> Result<Option<PortalDocument>, StoreError> {
    let statement = Statement::new("SELECT document FROM portal WHERE portal = ")
        .value(portal.as_str())
        .text(lock);
    let rows = statement.fetch(connection).await?;
    rows.first().map(parsed).transpose()
}

/// Reads folders of a portal: those of these that are there.
pub(super) async fn folders(
    connection: &mut AnyConnection,
    portal: &PortalAddress,
    ids: &[FolderId],
) -> Result<HashMap<FolderId, StoredFolder>, StoreError> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let of_these = |columns: &str, table: &str| {
        let ids = ids.iter().map(ToString::to_string);
        Statement::new(&format!("SELECT {columns} FROM {table}")).where_folder_in(portal, ids)
    };
    let mut files: HashMap<FolderId, FileMap<KnownFile>> = HashMap::new();
    let mut classes = HashSet::new();
    for row in of_these("folder, file, document", "file")
        .fetch(connection)
        .await?
    {
        let mut file: KnownFile = parsed(&row)?;
        file.class = file.class.map(|class| shared(&mut classes, class));
        let files = files.entry(folder_id(&row)?).or_default();
        files.insert(file_key(&row)?, file);
    }
    let mut folders = HashMap::with_capacity(ids.len());
    for row in of_these("folder, number, token, document", "folder")
        .fetch(connection)
        .await?
    {
        let id = folder_id(&row)?;
        let folder = StoredFolder {
            document: parsed(&row)?,
            files: files.remove(&id).unwrap_or_default().into_iter().collect(),
            revision: Revision::of(&row)?,
        };
        folders.insert(id, folder);
    }
    Ok(folders)
}

/// The classes that have a slot in any folder.
pub(super) async fn classes(
    connection: &mut AnyConnection,
) -> Result<BTreeSet<String>, StoreError> {
    let mut classes = BTreeSet::new();
    for row in Statement::new("SELECT document FROM folder")
        .fetch(connection)
        .await?
    {
        let folder: FolderDocument = parsed(&row)?;
        let slots = folder.class_slots.into_iter();
        classes.extend(slots.map(|ClassSlot { class, .. }| class.to_string()));
    }
    Ok(classes)
}

pub(super) fn folder_id(row: &AnyRow) -> Result<FolderId, StoreError> {
    let text: String = row.try_get("folder")?;
    let content = || StoreError::Content(format!("the id of a folder {text:?}"));
    FolderId::parse(&text).ok_or_else(content)
}

fn file_key(row: &AnyRow) -> Result<FileKey, StoreError> {
    let text: String = row.try_get("file")?;
    let content = || StoreError::Content(format!("the key of a file {text:?}"));
    text.parse().map_err(|_| content())
}

fn parsed<T: for<'de> Deserialize<'de>>(row: &AnyRow) -> Result<T, StoreError> {
    let text: String = row.try_get("document")?;
    Ok(serde_json::from_str(&text)?)
}

/// A class that shares its text with equal ones.
fn shared(classes: &mut HashSet<Class>, class: Class) -> Class {
    if let Some(shared) = classes.get(&class) {
        return shared.clone();
    }
    classes.insert(class.clone());
    class
}
