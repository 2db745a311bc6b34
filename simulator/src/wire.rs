//! The shapes of answers. Lists only borrow, and are written straight into the body.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::folder::Folder;
use super::listing::timestamp;
use super::world::World;

#[derive(Serialize)]
pub(super) struct FolderList<'a> {
    data: Vec<FolderRow<'a>>,
    meta: Meta,
}

#[derive(Serialize)]
struct Meta {
    total: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FolderRow<'a> {
    id: Uuid,
    name: &'a str,
    description: &'static str,
    r#type: &'static str,
    file_count: usize,
    #[serde(serialize_with = "timestamp")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "timestamp")]
    updated_at: DateTime<Utc>,
}

impl<'a> FolderRow<'a> {
    fn new(folder: &'a Folder, file_count: usize) -> Self {
        Self {
            id: folder.id,
            name: &folder.name,
            description: "Documents",
            r#type: "files",
            file_count,
            created_at: folder.created,
            updated_at: folder.updated,
        }
    }
}

pub(super) fn folders<'a>(world: &'a World, key: &str) -> FolderList<'a> {
    let counts = world.options.switches.reports_file_counts;
    let row =
        |folder: &'a Folder| FolderRow::new(folder, if counts { folder.listed_count() } else { 0 });
    let data: Vec<_> = world.own_folders(key).map(row).collect();
    let meta = Meta { total: data.len() };
    FolderList { data, meta }
}

/// A single folder. Its field names are not documented; they are those of the list.
pub(super) fn folder(folder: &Folder) -> Value {
    json!({"data": FolderRow::new(folder, folder.len())})
}

/// The answer to a reindex request.
pub(super) fn requeued(files: usize) -> Value {
    json!({"data": {"updated": files}})
}
