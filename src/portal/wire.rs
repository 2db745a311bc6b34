//! The portal's answers as they come over the wire (docs/portal.md, Values).
//!
//! Tolerant of differences that do no harm: unknown fields, null and absent values, values of another type, unknown statuses, text
//! that is not valid Unicode. Nothing here outlives the body that it was read from.

mod id;
mod page;
mod readable;
mod values;

use std::borrow::Cow;

use serde::Deserialize;

use crate::classify::Reason;
use crate::model::{FileKey, Status, StatusWord, Timestamp};

use id::Id;
pub(super) use page::read_rows;
pub(super) use readable::readable;
pub use values::Whole;
use values::{Row, lenient, size};

/// The `meta` of the folder list.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Meta {
    #[serde(default, deserialize_with = "lenient")]
    pub total: Option<Whole>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct FolderRow<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    pub id: Cow<'a, str>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub name: Cow<'a, str>,
    #[serde(deserialize_with = "lenient")]
    pub file_count: u64,
    #[serde(deserialize_with = "lenient")]
    pub created_at: Option<Timestamp>,
    #[serde(deserialize_with = "lenient")]
    pub updated_at: Option<Timestamp>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FileRow<'a> {
    link_id: Option<Id>,
    id: Option<Id>,
    #[serde(deserialize_with = "size")]
    file_size: u64,
    #[serde(deserialize_with = "lenient")]
    index_status: StatusWord,
    #[serde(borrow, deserialize_with = "lenient")]
    index_error: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "lenient")]
    filename: Cow<'a, str>,
    #[serde(borrow, deserialize_with = "lenient")]
    created_at: Cow<'a, str>,
}

impl FileRow<'_> {
    /// What identifies the file in its folder. Rows without ids share one key, so that two of them are never
    /// taken for two distinct files.
    pub fn key(&self) -> FileKey {
        let number = |id: Option<Id>| id.map_or(0, |Id(number)| number);
        FileKey {
            link: number(self.link_id),
            id: number(self.id),
        }
    }

    pub fn status(&self) -> Status {
        self.index_status.status
    }

    /// The word for the processing state.
    pub fn word(&self) -> StatusWord {
        self.index_status
    }

    /// Size in bytes; 0 if the portal does not say.
    pub fn size(&self) -> u64 {
        self.file_size
    }

    /// The `indexError`, untrusted and of any length; empty, which is no reason, if it is no text.
    pub fn reason(&self) -> Reason<'_> {
        Reason {
            text: self.index_error.as_deref(),
            file: &self.filename,
        }
    }

    pub fn created_at(&self) -> Option<Timestamp> {
        Timestamp::parse(&self.created_at)
    }
}

/// The parts of a page other than its rows.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    pub rows: u64,
    pub pagination: Pagination,
}

/// The pagination object as it came (docs/portal.md, File list).
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pagination {
    /// Files in the folder, at the time of this request.
    pub total: Whole,
    #[serde(default, deserialize_with = "lenient")]
    pub page: Option<Whole>,
    /// Rows that a full page holds.
    #[serde(default, deserialize_with = "lenient")]
    pub page_size: Option<Whole>,
}

#[cfg(test)]
mod tests;
