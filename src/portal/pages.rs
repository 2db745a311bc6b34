//! Pages of a folder's files: what is asked for, and what came.

use hyper::body::Bytes;
use serde::de::DeserializeSeed;

use crate::portal::error::PortalError;
use crate::portal::wire::{FileRow, Page, PageReader};

/// Rows asked for on a page: the most that the interface allows. A portal may give fewer.
pub const PAGE_SIZE: u64 = 100;

/// One page of a folder's files, sorted by file name, ascending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    /// From 1.
    pub page: u64,
}

impl PageRequest {
    pub(super) fn query(self) -> String {
        let Self { page } = self;
        format!("page={page}&pageSize={PAGE_SIZE}&sortBy=filename&sortOrder=asc")
    }
}

/// The body of one page: what the rows are read from, without being kept.
#[derive(Debug)]
pub struct PageBody(Bytes);

impl PageBody {
    /// Takes a body as it came.
    #[must_use]
    pub fn new(body: impl Into<Bytes>) -> Self {
        Self(body.into())
    }

    /// Hands on each row, which borrows from this body, and tells what the page says beside them. Rows that come before what
    /// cannot be read have been handed on by then.
    pub fn read<'a>(&'a self, each: impl FnMut(FileRow<'a>)) -> Result<Page, PortalError> {
        // Bytes that are Unicode as a whole need not be looked at again string by string.
        let page = match std::str::from_utf8(&self.0) {
            Ok(text) => read_to_end(serde_json::Deserializer::from_str(text), each),
            Err(_) => read_to_end(serde_json::Deserializer::from_slice(&self.0), each),
        };
        page.map_err(|error| PortalError::from_json(&error))
    }
}

fn read_to_end<'a, R: serde_json::de::Read<'a>>(
    mut deserializer: serde_json::Deserializer<R>,
    each: impl FnMut(FileRow<'a>),
) -> serde_json::Result<Page> {
    let page = PageReader(each).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(page)
}
