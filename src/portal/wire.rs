//! The portal's answers as they come over the wire (docs/portal.md, Values).
//!
//! Tolerant where a difference does no harm: unknown fields, null and absent values, values of another type, unknown statuses, text
//! that is not valid Unicode. Nothing here outlives the body that it was read from.

mod id;
mod page;
mod readable;
mod values;

use serde::Deserialize;

use crate::model::{FileKey, Status, StatusWord, Timestamp};

use id::Id;
pub use page::Page;
pub(super) use page::PageReader;
pub(super) use readable::readable;
pub use values::Whole;
use values::Word;
pub(super) use values::{Amount, Object, Row, Text, Time};

/// Answer to the list of the key's folders.
#[derive(Debug, Deserialize)]
pub(super) struct FolderList<'a> {
    #[serde(borrow)]
    pub data: Vec<Row<FolderRow<'a>>>,
    #[serde(default)]
    pub meta: Option<Meta>,
}

/// The `meta` of the folder list.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Meta {
    #[serde(default)]
    pub total: Option<Whole>,
}

/// One folder of the list.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FolderRow<'a> {
    #[serde(borrow, default)]
    pub id: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub name: Option<Text<'a>>,
    #[serde(default)]
    pub file_count: Amount,
    #[serde(default)]
    pub updated_at: Time,
}

/// The columns of a page's rows by which a portal could sort them.
#[derive(Debug, Deserialize)]
pub(super) struct SortColumnsPage<'a> {
    #[serde(borrow)]
    pub data: Vec<Row<SortColumns<'a>>>,
}

/// The columns of one row by which a portal could sort, but for its status. What is absent is equal in all rows.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SortColumns<'a> {
    #[serde(borrow, default)]
    filename: Option<Text<'a>>,
    #[serde(default)]
    file_size: Amount,
    #[serde(borrow, default)]
    created_at: Option<Text<'a>>,
    #[serde(borrow, default)]
    id: Option<Text<'a>>,
    #[serde(borrow, default, rename = "linkId")]
    link: Option<Text<'a>>,
}

impl SortColumns<'_> {
    /// The file name.
    #[must_use]
    pub fn filename(&self) -> &str {
        text(self.filename.as_ref())
    }

    /// The size in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.file_size.0
    }

    /// The `createdAt` as it came: the portal's timestamps sort as text.
    #[must_use]
    pub fn created_at(&self) -> &str {
        text(self.created_at.as_ref())
    }

    /// The `id` as it came.
    #[must_use]
    pub fn id(&self) -> &str {
        text(self.id.as_ref())
    }

    /// The `linkId` as it came.
    #[must_use]
    pub fn link(&self) -> &str {
        text(self.link.as_ref())
    }
}

fn text<'a>(text: Option<&'a Text<'_>>) -> &'a str {
    text.map_or("", Text::as_str)
}

/// One file of a page.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileRow<'a> {
    #[serde(default, rename = "linkId")]
    link: Option<Id>,
    #[serde(default)]
    id: Option<Id>,
    #[serde(default)]
    file_size: Amount,
    #[serde(default)]
    index_status: Option<Word>,
    #[serde(borrow, default)]
    index_error: Option<Text<'a>>,
    #[serde(borrow, default)]
    created_at: Option<Text<'a>>,
}

impl FileRow<'_> {
    /// What identifies the file in its folder. Rows without ids share one key, so that two of them are never
    /// taken for two distinct files.
    #[must_use]
    pub fn key(&self) -> FileKey {
        let number = |id: Option<Id>| id.map_or(0, |Id(number)| number);
        FileKey {
            link: number(self.link),
            id: number(self.id),
        }
    }

    /// The processing state.
    #[must_use]
    pub fn status(&self) -> Status {
        self.word().status
    }

    /// The word for the processing state.
    #[must_use]
    pub fn word(&self) -> StatusWord {
        self.index_status
            .map_or(StatusWord::NONE, |Word(word)| word)
    }

    /// Size in bytes; 0 where the portal does not say.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.file_size.0
    }

    /// The `indexError`, untrusted and of any length; empty, which is no reason, where it is no text.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        self.index_error.as_ref().map(Text::as_str)
    }

    /// When the file was uploaded.
    #[must_use]
    pub fn created_at(&self) -> Option<Timestamp> {
        Timestamp::parse(self.created_at.as_ref()?.as_str())
    }
}

/// The pagination object as it came (docs/portal.md, File list).
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pagination {
    /// Files in the folder, at the time of this request.
    pub total: Whole,
    /// The page that this is.
    #[serde(default)]
    pub page: Option<Whole>,
    /// Rows that a full page holds.
    #[serde(default)]
    pub page_size: Option<Whole>,
}

#[cfg(test)]
mod tests;
