//! What the portal sends: types that only borrow, and are written straight into the body.

use std::borrow::Cow;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer};
use uuid::Uuid;

use super::folder::Folder;
use super::listing::{Contents, FilePage, Row};
use super::options::{FolderShape, ReindexAnswer};
use super::refusal::Refusal;
use super::upload::{Receipt, Stored};

#[derive(Serialize)]
pub(super) struct Data<T> {
    pub data: T,
}

#[derive(Serialize)]
pub(super) struct FolderList<'a> {
    data: Vec<FolderRow<'a>>,
    meta: Meta,
}

#[derive(Serialize)]
struct Meta {
    total: usize,
}

impl<'a> From<Vec<&'a Folder>> for FolderList<'a> {
    fn from(folders: Vec<&'a Folder>) -> Self {
        let meta = Meta {
            total: folders.len(),
        };
        let data = folders.into_iter().map(FolderRow::from).collect();
        Self { data, meta }
    }
}

impl FolderList<'_> {
    /// Tells 0 in place of every `fileCount`.
    pub fn forget_file_counts(&mut self) {
        for folder in &mut self.data {
            folder.file_count = 0;
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FolderRow<'a> {
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

impl<'a> From<&'a Folder> for FolderRow<'a> {
    fn from(folder: &'a Folder) -> Self {
        Self {
            id: folder.id,
            name: &folder.name,
            description: &folder.description,
            r#type: "files",
            file_count: folder.listed_count(),
            created_at: folder.created,
            updated_at: folder.updated,
        }
    }
}

/// A single folder, whose field names are not documented.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum SingleFolder<'a> {
    AsListed(Data<FolderRow<'a>>),
    #[serde(rename_all = "camelCase")]
    Bare {
        name: &'a str,
        description: &'a str,
        files_count: usize,
    },
}

impl<'a> SingleFolder<'a> {
    pub fn new(folder: &'a Folder, shape: FolderShape) -> Self {
        match shape {
            FolderShape::AsListed => Self::AsListed(Data {
                data: folder.into(),
            }),
            FolderShape::Bare => Self::Bare {
                name: &folder.name,
                description: &folder.description,
                files_count: folder.len(),
            },
        }
    }
}

#[derive(Serialize)]
pub(super) struct FileList<'a> {
    data: Vec<FileRow<'a>>,
    pagination: Pagination,
}

impl<'a> From<FilePage<'a>> for FileList<'a> {
    fn from(page: FilePage<'a>) -> Self {
        let pagination = Pagination::from(&page);
        let data = page.rows.into_iter().map(FileRow::from).collect();
        Self { data, pagination }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileRow<'a> {
    link_id: Uuid,
    id: Uuid,
    filename: Cow<'a, str>,
    file_size: u64,
    mime_type: &'static str,
    index_status: Option<&'a str>,
    index_error: Option<Cow<'a, str>>,
    #[serde(serialize_with = "timestamp")]
    created_at: DateTime<Utc>,
}

impl<'a> From<Row<'a>> for FileRow<'a> {
    fn from(row: Row<'a>) -> Self {
        Self {
            link_id: row.link_id,
            id: row.id,
            filename: row.filename,
            file_size: row.size,
            mime_type: row.mime,
            index_status: row.status.name(),
            index_error: row.error,
            created_at: row.created,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Pagination {
    page: usize,
    page_size: usize,
    total: usize,
    total_pages: usize,
}

impl From<&FilePage<'_>> for Pagination {
    fn from(page: &FilePage<'_>) -> Self {
        Self {
            page: page.page.page,
            page_size: page.page.size,
            total: page.total,
            total_pages: page.total_pages,
        }
    }
}

/// What lies at a path; this shape is not documented.
#[derive(Serialize)]
pub(super) struct ContentsAnswer<'a> {
    data: ContentsData<'a>,
    /// Of the files; every page has all subfolders.
    pagination: Pagination,
}

#[derive(Serialize)]
struct ContentsData<'a> {
    path: &'a str,
    folders: Vec<Subfolder<'a>>,
    files: Vec<FileRow<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Subfolder<'a> {
    name: &'a str,
    path: String,
    file_count: usize,
}

impl<'a> ContentsAnswer<'a> {
    pub fn new(path: &'a str, contents: Contents<'a>) -> Self {
        let subfolder = |(name, file_count): (&'a str, usize)| Subfolder {
            name,
            path: [path, name].join("/").trim_start_matches('/').to_owned(),
            file_count,
        };
        Self {
            pagination: Pagination::from(&contents.files),
            data: ContentsData {
                path,
                folders: contents.subfolders.into_iter().map(subfolder).collect(),
                files: contents.files.rows.into_iter().map(FileRow::from).collect(),
            },
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UploadAnswer<'a> {
    uploaded: usize,
    deduplicated: usize,
    replaced: usize,
    already_in_folder: usize,
    files: Vec<UploadedFile<'a>>,
    skipped_files: Vec<SkippedFile<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UploadedFile<'a> {
    id: Uuid,
    filename: &'a str,
    relative_path: &'a str,
    deduplicated: bool,
    already_in_folder: bool,
}

#[derive(Serialize)]
struct SkippedFile<'a> {
    filename: &'a str,
    reason: &'static str,
}

impl<'a> From<&'a Receipt> for UploadAnswer<'a> {
    fn from(receipt: &'a Receipt) -> Self {
        Self {
            uploaded: receipt.uploaded,
            deduplicated: receipt.deduplicated,
            replaced: receipt.replaced,
            already_in_folder: receipt.already_in_folder,
            files: receipt.files.iter().map(UploadedFile::from).collect(),
            skipped_files: receipt.skipped.iter().map(SkippedFile::from).collect(),
        }
    }
}

impl<'a> From<&'a Stored> for UploadedFile<'a> {
    fn from(stored: &'a Stored) -> Self {
        Self {
            id: stored.id,
            filename: &stored.filename,
            relative_path: &stored.relative_path,
            deduplicated: stored.deduplicated,
            already_in_folder: stored.already_in_folder,
        }
    }
}

impl<'a> From<&'a String> for SkippedFile<'a> {
    fn from(filename: &'a String) -> Self {
        Self {
            filename,
            reason: "transcription_disabled",
        }
    }
}

#[derive(Serialize)]
pub(super) struct Success {
    pub success: bool,
}

#[derive(Serialize)]
pub(super) struct Requeued {
    #[serde(skip_serializing_if = "Option::is_none")]
    updated: Option<Updated>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Updated {
    Number(usize),
    Text(String),
}

impl Requeued {
    pub fn new(files: usize, answer: ReindexAnswer) -> Self {
        Self {
            updated: match answer {
                ReindexAnswer::Number => Some(Updated::Number(files)),
                ReindexAnswer::Text => Some(Updated::Text(files.to_string())),
                ReindexAnswer::Absent => None,
            },
        }
    }
}

#[derive(Serialize)]
pub(super) struct ErrorAnswer {
    error: ErrorBody,
}

#[derive(Serialize)]
struct ErrorBody {
    message: String,
    details: Details,
}

#[derive(Serialize)]
struct Details {
    reason: &'static str,
}

impl From<&Refusal> for ErrorAnswer {
    fn from(refusal: &Refusal) -> Self {
        Self {
            error: ErrorBody {
                message: refusal.to_string(),
                details: Details {
                    reason: refusal.reason(),
                },
            },
        }
    }
}

fn timestamp<S: Serializer>(time: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&time.to_rfc3339_opts(SecondsFormat::Millis, true))
}
