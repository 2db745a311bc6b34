//! Rows that are odd: of a list, or of a page.

use serde_json::{Map, Value, json};

/// Bytes of a long text. A page of which one row has some stays below 1 MiB.
const LONG: usize = 200_000;

/// Stands for a text with a lone surrogate, which a JSON value cannot hold, until the body is written.
pub(super) const NO_UNICODE: &str = "no-unicode-here";

/// Colours, a cleared screen, text that runs backwards, quotes, ends of lines, a tab, a bell, and what looks like a sample or a log.
const HOSTILE: &str = "\u{1b}[2J\u{1b}[31m\u{202e}fdp\u{2066}\" \\ \r\n{\"level\":\"ERROR\"}\nkb_folder_files{a=\"1\"} 7\t\u{7}\0<script>alert(1)</script>\u{9b}\u{2028}";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowFault {
    /// Every field but the id of a folder is null.
    Nulls,
    Absent,
    /// Every field but the id of a folder has another type.
    OtherTypes,
    /// Sizes and counts are as large as numbers can be.
    HugeNumbers,
    NegativeNumbers,
    LoneSurrogates,
    /// The texts of the first row have megabytes.
    LongText,
    /// Texts have control characters, escapes, marks of direction, quotes and line breaks.
    HostileText,
}

impl RowFault {
    pub(super) fn change(self, answer: &mut Value) {
        let is_page = answer.get("pagination").is_some();
        let rows = answer["data"].as_array_mut().into_iter().flatten();
        for row in rows.filter_map(Value::as_object_mut) {
            match self {
                Self::Nulls | Self::OtherTypes => {
                    let other = match self {
                        Self::Nulls => Value::Null,
                        _ => json!([{"at": [1]}]),
                    };
                    row.iter_mut()
                        .filter(|(name, _)| is_page || *name != "id")
                        .for_each(|(_, value)| *value = other.clone());
                }
                Self::Absent => row.retain(|name, _| !is_page && name == "id"),
                Self::HugeNumbers => set(row, &NUMBERS, &json!(u64::MAX)),
                Self::NegativeNumbers => set(row, &NUMBERS, &json!(-1)),
                Self::LoneSurrogates => set(row, &TEXTS, &json!(NO_UNICODE)),
                Self::LongText => return set(row, &TEXTS, &json!("long ".repeat(LONG / 5))),
                Self::HostileText => set(row, &TEXTS, &json!(HOSTILE)),
            }
        }
    }
}

const NUMBERS: [&str; 2] = ["fileSize", "fileCount"];

const TEXTS: [&str; 4] = ["name", "description", "filename", "indexError"];

/// Sets those fields that the row has.
fn set(row: &mut Map<String, Value>, fields: &[&str], value: &Value) {
    let fields = row
        .iter_mut()
        .filter(|(name, _)| fields.contains(&&***name));
    fields.for_each(|(_, field)| *field = value.clone());
}
