//! Lists of folders that are wrong.

use serde_json::{Value, json};
use uuid::Uuid;

/// What is wrong with the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListFault {
    /// The total is one more than there are rows.
    TotalTooLarge,
    TotalTooSmall,
    /// There are no rows, and a total of some.
    Emptied,
    /// There is no `meta`.
    NoMeta,
    /// There are more rows, whose ids are no UUIDs and would make another request if they were put into a path.
    NoUuids,
    NamedTwice,
    /// A folder is left out.
    Without(Uuid),
    /// Number of further folders, which the key may not use.
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
    pub(super) fn change(self, list: &mut Value) {
        let Some(rows) = list["data"].as_array_mut() else {
            return;
        };
        let listed = rows.len();
        let mut meta = json!({"total": listed});
        match self {
            Self::TotalTooLarge => meta = json!({"total": listed + 1}),
            Self::TotalTooSmall => meta = json!({"total": listed.saturating_sub(1)}),
            Self::NoMeta => meta = Value::Null,
            Self::Emptied => rows.clear(),
            Self::Without(folder) => {
                rows.retain(|row| row["id"] != json!(folder));
                meta = json!({"total": rows.len()});
            }
            Self::NoUuids => rows.extend(NO_IDS.map(|id| json!({"id": id, "name": "No id"}))),
            Self::NamedTwice => rows.extend(rows.clone()),
            Self::Grown(more) => rows.extend((1..=more).map(folder)),
        }
        if rows.len() > listed {
            meta = json!({"total": rows.len()});
        }
        list["meta"] = meta;
    }
}

fn folder(number: u32) -> Value {
    let id = Uuid::from_u128(u128::from(number));
    let name = format!("Folder {number} of many");
    json!({"id": id, "name": name, "description": "", "type": "files", "fileCount": 7})
}
