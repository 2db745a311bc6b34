//! The portal's answers as they come over the wire (docs/portal.md, Values).
//!
//! Tolerant of differences that do no harm: unknown fields, null and absent values, values of another type, unknown statuses, text
//! that is not valid Unicode.

mod readable;
mod rows;
mod values;

use std::borrow::Cow;

use serde::Deserialize;

use crate::model::{FileKey, Status, StatusWord, Timestamp};
use crate::portal::error::PortalError;

pub(super) use readable::readable;
pub(super) use values::{Field, amount, text, time, whole};

use rows::Rows;
use values::{id, optional_whole, status, total};

/// The list of folders: far more than any key may use.
#[derive(Debug, Deserialize)]
pub(super) struct FolderList<'a> {
    #[serde(borrow)]
    pub data: Rows<FolderRow<'a>, 100_000>,
    pub meta: Option<Meta>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Meta {
    #[serde(default, deserialize_with = "optional_whole")]
    pub total: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct FolderRow<'a> {
    #[serde(borrow)]
    pub id: Field<'a>,
    #[serde(borrow)]
    pub name: Field<'a>,
    #[serde(borrow)]
    pub file_count: Field<'a>,
    #[serde(borrow)]
    pub created_at: Field<'a>,
    #[serde(borrow)]
    pub updated_at: Field<'a>,
}

/// A page of files: at most a hundred times as many rows as are asked for.
#[derive(Debug, Deserialize)]
struct FilePage<'a> {
    #[serde(borrow)]
    data: Rows<FileRow<'a>, 10_000>,
    pagination: Page,
}

/// What is not needed of each row is decoded when it is asked for.
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

/// A page without its rows: its pagination object as it came (docs/portal.md, File list), and how many rows it has.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Page {
    #[serde(skip)]
    pub rows: u64,
    /// Files in the folder, at the time of this request.
    #[serde(deserialize_with = "total")]
    pub total: u64,
    #[serde(default, deserialize_with = "optional_whole")]
    pub page: Option<u64>,
    /// Rows that a full page holds.
    #[serde(default, deserialize_with = "optional_whole")]
    pub page_size: Option<u64>,
}

/// The body of one page, from which its rows borrow.
#[derive(Debug)]
pub struct PageBody(String);

impl PageBody {
    /// Takes a body as it came.
    pub fn new(body: impl Into<Vec<u8>>) -> Self {
        Self(readable(body.into()))
    }

    /// Passes each row to `each`, and returns the rest of the page.
    pub fn read<'a>(&'a self, each: impl FnMut(FileRow<'a>)) -> Result<Page, PortalError> {
        let FilePage { data, pagination } = decode(&self.0)?;
        let rows = data.0.len() as u64;
        data.0.into_iter().for_each(each);
        Ok(Page { rows, ..pagination })
    }
}

/// Decodes an object. By itself, serde would read one from an array as well.
pub(super) fn decode<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, PortalError> {
    let unreadable = |cause: &dyn std::fmt::Display| PortalError::unreadable(cause, text);
    if !text.trim_ascii_start().starts_with('{') {
        return Err(unreadable(&"it is no object"));
    }
    serde_json::from_str(text).map_err(|error| unreadable(&error))
}

#[cfg(test)]
mod tests;
