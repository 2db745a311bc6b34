//! The list of folders that a key may use.

use std::collections::HashSet;

use crate::model::{FolderId, FolderName, Timestamp};
use crate::portal::error::PortalError;
use crate::portal::wire::{FolderList, amount, decode, readable, text, time};

/// A folder as the list names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedFolder {
    pub id: FolderId,
    pub name: FolderName,
    pub file_count: u64,
    /// Its `createdAt`; `None` if the portal does not send a valid time.
    pub created_at: Option<Timestamp>,
    /// Its `updatedAt`; `None` if the portal does not send a valid time. It is not documented what
    /// changes it.
    pub updated_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Each folder once, in the order of the list.
    pub folders: Vec<ListedFolder>,
    /// Rows whose id is no UUID. They cannot be asked for.
    pub invalid_rows: usize,
    /// By how much the number of rows differs from the list's total.
    pub missing_rows: u64,
    /// When the portal answered, by its own clock (the header `Date`); `None` if it does not say.
    pub date: Option<Timestamp>,
}

impl Listing {
    /// Decodes a body as it came.
    pub fn decode(body: impl Into<Vec<u8>>, date: Option<Timestamp>) -> Result<Self, PortalError> {
        let body = readable(body.into());
        let FolderList { data, meta } = decode(&body)?;
        let mut seen = HashSet::new();
        let mut folders = Vec::new();
        let mut invalid_rows = 0;
        for row in &data.0 {
            match FolderId::parse(&text(row.id)) {
                None => invalid_rows += 1,
                Some(id) if seen.insert(id) => folders.push(ListedFolder {
                    id,
                    name: FolderName::new(&text(row.name)),
                    file_count: amount(row.file_count),
                    created_at: time(row.created_at),
                    updated_at: time(row.updated_at),
                }),
                Some(_) => {}
            }
        }
        let total = meta.and_then(|meta| meta.total);
        let rows = data.0.len() as u64;
        Ok(Self {
            folders,
            invalid_rows,
            missing_rows: total.map_or(0, |total| total.abs_diff(rows)),
            date,
        })
    }

    /// Whether the number of rows is the list's total, and each has an id. From a list that is not whole, nothing can be
    /// concluded about a folder that it does not name.
    pub fn is_whole(&self) -> bool {
        self.missing_rows == 0 && self.invalid_rows == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(json: &str) -> Listing {
        Listing::decode(json, None).unwrap()
    }

    #[test]
    fn a_list_that_is_shorter_than_its_total_or_has_rows_without_an_id_is_not_whole() {
        for (json, missing, is_whole) in [
            (r#"{"data":[],"meta":{"total":3}}"#, 3, false),
            (r#"{"data":[{}],"meta":{"total":0}}"#, 1, false),
            (r#"{"data":[{}],"meta":{"total":1}}"#, 0, false),
            (r#"{"data":[],"meta":{"total":0}}"#, 0, true),
            (r#"{"data":[]}"#, 0, true),
        ] {
            let list = decode(json);
            assert_eq!((list.missing_rows, list.is_whole()), (missing, is_whole));
        }
    }

    #[test]
    fn what_is_no_list_is_an_error() {
        for body in [
            "",
            "[]",
            "[[], {}]",
            "[[[[]]]]",
            "3",
            "null",
            r#"{"data":null}"#,
            r#"{"data":{}}"#,
        ] {
            assert!(Listing::decode(body, None).is_err(), "{body}");
        }
    }
}
