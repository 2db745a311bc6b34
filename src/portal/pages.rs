//! Pages of a folder's files: what is asked for, and what came.

use url::form_urlencoded::{Serializer, Target};

use crate::portal::error::PortalError;
use crate::portal::wire::Page;

/// Rows asked for on a page: the most that the interface allows. A portal may give fewer.
pub const PAGE_SIZE: u64 = 100;

/// One page of a folder's files, sorted by file name, ascending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    /// From 1.
    pub page: u64,
}

impl PageRequest {
    pub(super) fn write_query<T: Target>(self, query: &mut Serializer<'_, T>) {
        query
            .append_pair("page", &self.page.to_string())
            .append_pair("pageSize", &PAGE_SIZE.to_string())
            .append_pair("sortBy", "filename")
            .append_pair("sortOrder", "asc");
    }
}

/// The body of one page: what the rows are read from, without being kept.
#[derive(Debug)]
pub struct PageBody(Vec<u8>);

impl PageBody {
    /// Takes a body as it came.
    #[must_use]
    pub fn new(body: Vec<u8>) -> Self {
        Self(body)
    }

    /// Decodes the rows, which borrow from this body.
    pub fn page(&self) -> Result<Page<'_>, PortalError> {
        // Bytes that are Unicode as a whole need not be looked at again string by string.
        let page = match std::str::from_utf8(&self.0) {
            Ok(text) => serde_json::from_str(text),
            Err(_) => serde_json::from_slice(&self.0),
        };
        page.map_err(|error| PortalError::from_json(&error))
    }
}
