//! The portal's answers as they come over the wire (docs/portal.md, Values).
//!
//! Tolerant of differences that do no harm: unknown fields, null and absent values, values of another type, unknown statuses, text
//! that is not valid Unicode. Nothing here outlives the body that it was read from.

mod page;
mod readable;
mod values;

use std::borrow::Cow;

use serde::Deserialize;

use crate::model::{FileKey, Status, StatusWord, Timestamp};

pub(super) use page::read_rows;
pub(super) use readable::readable;
pub(super) use values::whole;

use values::{Field, amount, id, optional_whole, status, text, time, total};

/// The `meta` of the folder list.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Meta {
    #[serde(default, deserialize_with = "optional_whole")]
    pub total: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct FolderRow<'a> {
    #[serde(borrow)]
    id: Field<'a>,
    #[serde(borrow)]
    name: Field<'a>,
    #[serde(borrow)]
    file_count: Field<'a>,
    #[serde(borrow)]
    created_at: Field<'a>,
    #[serde(borrow)]
    updated_at: Field<'a>,
}

impl FolderRow<'_> {
    pub fn id(&self) -> Cow<'_, str> {
        text(self.id)
    }

    pub fn name(&self) -> Cow<'_, str> {
        text(self.name)
    }

    pub fn file_count(&self) -> u64 {
        amount(self.file_count)
    }

    pub fn created_at(&self) -> Option<Timestamp> {
        time(self.created_at)
    }

    pub fn updated_at(&self) -> Option<Timestamp> {
        time(self.updated_at)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FileRow<'a> {
    #[serde(deserialize_with = "id")]
    link_id: u128,
    #[serde(deserialize_with = "id")]
    id: u128,
    #[serde(borrow)]
    file_size: Field<'a>,
    #[serde(deserialize_with = "status")]
    index_status: StatusWord,
    #[serde(borrow)]
    index_error: Field<'a>,
    #[serde(borrow)]
    filename: Field<'a>,
    #[serde(borrow)]
    created_at: Field<'a>,
}

impl FileRow<'_> {
    /// What identifies the file in its folder. Rows without ids share one key, so that two of them are never
    /// taken for two distinct files.
    pub fn key(&self) -> FileKey {
        FileKey {
            link: self.link_id,
            id: self.id,
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
        amount(self.file_size)
    }

    /// The `indexError`, untrusted and of any length; empty, which is no reason, if it is no text.
    pub fn reason(&self) -> Option<Cow<'_, str>> {
        self.index_error.map(|_| text(self.index_error))
    }

    pub fn filename(&self) -> Cow<'_, str> {
        text(self.filename)
    }

    pub fn created_at(&self) -> Option<Timestamp> {
        time(self.created_at)
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
    #[serde(deserialize_with = "total")]
    pub total: u64,
    #[serde(default, deserialize_with = "optional_whole")]
    pub page: Option<u64>,
    /// Rows that a full page holds.
    #[serde(default, deserialize_with = "optional_whole")]
    pub page_size: Option<u64>,
}

#[cfg(test)]
mod tests;
