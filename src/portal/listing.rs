//! The list of folders that a key may use.

use std::collections::HashSet;

use crate::model::{FolderId, FolderName, Timestamp};
use crate::portal::error::PortalError;
use crate::portal::wire;

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
    pub fn decode(body: impl Into<Vec<u8>>) -> Result<Self, PortalError> {
        let mut seen = HashSet::new();
        let mut folders = Vec::new();
        let mut invalid_rows = 0;
        let each = |row: wire::FolderRow<'_>| match FolderId::parse(&row.id()) {
            None => invalid_rows += 1,
            Some(id) if seen.insert(id) => folders.push(ListedFolder {
                id,
                name: FolderName::new(&row.name()),
                file_count: row.file_count(),
                created_at: row.created_at(),
                updated_at: row.updated_at(),
            }),
            Some(_) => {}
        };
        let text = wire::readable(body.into());
        let (rows, meta) = wire::read_rows::<_, wire::Meta>(&text, "meta", u64::MAX, each)?;
        let total = meta.and_then(|meta| meta.total);
        Ok(Self {
            folders,
            invalid_rows,
            missing_rows: total.map_or(0, |total| total.abs_diff(rows)),
            date: None,
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

    const ID: &str = "018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f6";

    fn decode(json: &str) -> Listing {
        Listing::decode(json.as_bytes()).unwrap()
    }

    #[test]
    fn a_folder_whose_update_is_no_time_is_a_folder_all_the_same() {
        let updated = |field: &str| {
            let list = decode(&format!(r#"{{"data":[{{"id":"{ID}"{field}}}]}}"#));
            list.folders[0].updated_at.map(Timestamp::as_millis)
        };
        let time = r#","updatedAt":"2026-03-01T12:00:00.250Z""#;
        assert_eq!(updated(time), Some(1_772_366_400_250));
        for field in [
            "",
            r#","updatedAt":null"#,
            r#","updatedAt":"yesterday""#,
            r#","updatedAt":1772366400250"#,
            r#","updatedAt":-1"#,
            r#","updatedAt":0.5"#,
            r#","updatedAt":true"#,
            r#","updatedAt":["2026",{}]"#,
            r#","updatedAt":{"at":[1]}"#,
        ] {
            assert_eq!(updated(field), None, "{field}");
        }
    }

    #[test]
    fn an_id_that_is_no_uuid_is_an_invalid_row() {
        let list = decode(
            r#"{"data":[{"id":"X/reindex-all?","name":"a"},{"id":null},{}],"meta":{"total":3}}"#,
        );
        assert_eq!((list.folders.len(), list.invalid_rows), (0, 3));
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
            assert!(Listing::decode(body.as_bytes()).is_err(), "{body}");
        }
    }
}
