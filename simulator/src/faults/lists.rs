//! Lists of folders that are wrong.

use std::fmt::Write;

use axum::body::Bytes;
use serde_json::{Value, json};
use uuid::Uuid;

/// What is wrong with the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListFault {
    /// The total is one more than there are rows.
    TotalTooLarge,
    /// The total is one less.
    TotalTooSmall,
    /// There are no rows, and a total of some.
    Emptied,
    /// There is no `meta`.
    NoMeta,
    /// There are more rows, whose ids are no UUIDs and would make another request if they were put into a path.
    NoUuids,
    /// Each folder is named twice.
    NamedTwice,
    /// So many folders more, which the key may not use.
    Grown(u32),
}

/// What stands for an id where there should be a UUID.
const NO_IDS: [&str; 6] = [
    "../../users",
    "X/reindex-all?",
    "018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f6/reindex-all",
    "mine",
    "",
    "{018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f6}",
];

impl ListFault {
    pub(super) fn spoil(self, list: &mut Value) {
        let Some(rows) = list["data"].as_array_mut() else {
            return;
        };
        let mut total = rows.len();
        match self {
            Self::TotalTooLarge => total += 1,
            Self::TotalTooSmall => total = total.saturating_sub(1),
            Self::Emptied => rows.clear(),
            Self::NoMeta => {}
            Self::NoUuids => rows.extend(NO_IDS.map(|id| json!({"id": id, "name": "No id"}))),
            Self::NamedTwice => rows.extend(rows.clone()),
            Self::Grown(more) => total += more as usize,
        }
        if matches!(self, Self::NoUuids | Self::NamedTwice) {
            total = rows.len();
        }
        list["meta"] = match self {
            Self::NoMeta => Value::Null,
            _ => json!({"total": total}),
        };
    }

    /// Adds what is too much for values.
    pub(super) fn spoil_text(self, body: Bytes) -> Bytes {
        match (self, std::str::from_utf8(&body)) {
            (Self::Grown(more), Ok(text)) => {
                let more = format!("\"data\":[{}", folders(more));
                text.replacen("\"data\":[", &more, 1).into()
            }
            _ => body,
        }
    }
}

/// Folders as a list names them, each followed by a comma. Written by hand, because there are many.
fn folders(number: u32) -> String {
    let mut rows = String::new();
    for number in 1..=number {
        let id = Uuid::from_u128(u128::from(number));
        // Writing into a string cannot fail.
        let _ = write!(
            rows,
            r#"{{"id":"{id}","name":"Folder {number} of many","description":"","type":"files","fileCount":7}},"#
        );
    }
    rows
}
