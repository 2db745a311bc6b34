//! The shapes of answers. Lists only borrow, and are written straight into the body.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::folder::Folder;
use super::listing::{Contents, timestamp};
use super::options::ReindexAnswer;
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
    description: &'a str,
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
            description: &folder.description,
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

/// What lies at a path. This shape is not documented; every page has all subfolders.
pub(super) fn contents(path: &str, contents: &Contents) -> Value {
    let subfolder = |(name, files): (&&str, &usize)| {
        let path = [path, name].join("/");
        json!({"name": name, "path": path.trim_start_matches('/'), "fileCount": files})
    };
    let folders: Vec<_> = contents.subfolders.iter().map(subfolder).collect();
    json!({
        "data": {"path": path, "folders": folders, "files": contents.files.data},
        "pagination": contents.files.pagination,
    })
}

/// The answer to a reindex request.
pub(super) fn requeued(world: &World, files: usize) -> Value {
    match world.options.switches.reindex_answer {
        ReindexAnswer::Number => json!({"data": {"updated": files}}),
        ReindexAnswer::Text => json!({"data": {"updated": files.to_string()}}),
        ReindexAnswer::Absent => json!({"data": {}}),
    }
}
