//! One page of a folder's files, decoded.

use crate::portal::ask::PAGE_SIZE;
use crate::portal::error::PortalError;
use crate::portal::wire::{FileRow, Page, read_rows, readable};

/// Rows of a page, at most: a hundred times as many as are asked for.
const MOST_ROWS: u64 = 100 * PAGE_SIZE;

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
        let (rows, pagination) = read_rows(&self.0, "pagination", MOST_ROWS, each)?;
        let pagination = pagination.ok_or_else(|| PortalError::Invalid {
            cause: "missing field `pagination`".to_owned(),
        })?;
        Ok(Page { rows, pagination })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_far_too_many_rows_is_refused_before_they_are_kept() {
        let rows = vec!["0"; 1_000_000].join(",");
        let body = PageBody::new(format!(r#"{{"data":[{rows}]}}"#));
        let mut kept = 0;
        let error = body.read(|_| kept += 1).unwrap_err().to_string();
        assert_eq!(kept, MOST_ROWS);
        assert!(
            error.contains("more than 10000 rows on one page"),
            "{error}"
        );
    }
}
