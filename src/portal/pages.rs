//! Pages of a folder's files: what is asked for, and what came.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use hyper::body::Bytes;
use serde::de::DeserializeSeed;
use serde_json::Deserializer;

use crate::portal::error::PortalError;
use crate::portal::wire::{FileRow, Page, PageReader, Row, SortColumns, SortColumnsPage, readable};

/// Rows asked for on a page: the most that the portal allows (docs/portal.md, File list). A portal may give fewer.
pub const PAGE_SIZE: u64 = 100;

/// What the files of a folder are sorted by (docs/portal.md, File list).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// By file name, ascending.
    Filename,
    /// By `indexStatus`, ascending: the order of the statuses is not documented.
    Status,
}

/// One page of a folder's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    /// What the files are sorted by.
    pub sort: Sort,
    /// From 1.
    pub page: u64,
}

impl PageRequest {
    /// A page of the list sorted by file name.
    #[must_use]
    pub const fn by_name(page: u64) -> Self {
        Self {
            sort: Sort::Filename,
            page,
        }
    }

    /// A page of the list sorted by status.
    #[must_use]
    pub const fn by_status(page: u64) -> Self {
        Self {
            sort: Sort::Status,
            page,
        }
    }

    pub(super) fn query(self) -> String {
        let Self { sort, page } = self;
        let sort = match sort {
            Sort::Filename => "sortBy=filename&sortOrder=asc",
            Sort::Status => "sortBy=indexStatus&sortOrder=asc",
        };
        format!("page={page}&pageSize={PAGE_SIZE}&{sort}")
    }
}

impl fmt::Display for PageRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sort = match self.sort {
            Sort::Filename => "",
            Sort::Status => " by status",
        };
        write!(f, "page {}{sort}", self.page)
    }
}

/// The body of one page: what the rows are read from, without being kept.
#[derive(Debug)]
pub struct PageBody {
    body: Bytes,
    /// The body as text, where not all of it was.
    mended: OnceLock<String>,
}

impl PageBody {
    /// Takes a body as it came.
    #[must_use]
    pub fn new(body: impl Into<Bytes>) -> Self {
        Self {
            body: body.into(),
            mended: OnceLock::new(),
        }
    }

    fn text(&self) -> &str {
        match readable(&self.body) {
            Cow::Borrowed(text) => text,
            Cow::Owned(text) => self.mended.get_or_init(|| text),
        }
    }

    /// Hands on each row, which borrows from this body, and tells what the page says beside them. Rows that come before what
    /// cannot be read have been handed on by then.
    pub fn read<'a>(&'a self, each: impl FnMut(FileRow<'a>)) -> Result<Page, PortalError> {
        let mut deserializer = Deserializer::from_str(self.text());
        let page = PageReader(each).deserialize(&mut deserializer);
        page.and_then(|page| deserializer.end().map(|()| page))
            .map_err(|error| PortalError::from_json(&error))
    }

    /// Every column of the rows by which a portal could sort them, row by row; none where they cannot all be read. Nothing that is
    /// counted depends on them.
    #[must_use]
    pub fn sort_columns(&self) -> Vec<SortColumns<'_>> {
        let page = serde_json::from_str(self.text()).map(|SortColumnsPage { data }| data);
        let rows = page.unwrap_or_default().into_iter();
        rows.map(|Row(columns)| columns).collect()
    }
}
