//! One page of a folder's files, decoded.

use crate::portal::error::PortalError;
use crate::portal::wire::{FileRow, Page, read_rows, readable};

/// The body of one page: the rows borrow from it and need not be stored.
#[derive(Debug)]
pub struct PageBody(String);

impl PageBody {
    /// Takes a body as it came.
    pub fn new(body: impl Into<Vec<u8>>) -> Self {
        Self(readable(body.into()))
    }

    /// Passes each row to `each`, and returns the rest of the page. On an error, the rows before it have been passed.
    pub fn read<'a>(&'a self, each: impl FnMut(FileRow<'a>)) -> Result<Page, PortalError> {
        let (rows, pagination) = read_rows(&self.0, "pagination", each)?;
        let pagination = pagination.ok_or_else(|| PortalError::Invalid {
            cause: "missing field `pagination`".to_owned(),
        })?;
        Ok(Page { rows, pagination })
    }
}
