//! Rows that are odd: of a list, or of a page.

use axum::body::Bytes;
use serde_json::{Map, Value, json};

/// Bytes of a long text. A row that has some stays below 16 MiB.
const LONG: usize = 3_000_000;

/// Stands for what cannot be said in Unicode until the text is written.
const PLACEHOLDER: &str = "no-unicode-here";

/// Colours, a cleared screen, text that runs backwards, quotes, ends of lines, a tab, a bell, and what looks like a sample or a log.
const HOSTILE: &str = "\u{1b}[2J\u{1b}[31m\u{202e}fdp\u{2066}\" \\ \r\n{\"level\":\"ERROR\"}\nkb_folder_files{a=\"1\"} 7\t\u{7}\0<script>alert(1)</script>\u{9b}\u{2028}";

/// What is odd about rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowFault {
    /// Every field but the id of a folder is null.
    Nulls,
    /// The same fields are absent.
    Absent,
    /// Sizes and counts are as large as numbers can be.
    HugeNumbers,
    /// Sizes and counts are negative.
    NegativeNumbers,
    /// Texts are no Unicode.
    LoneSurrogates,
    /// The texts of the first row have megabytes.
    LongText,
    /// Texts have control characters, escapes, marks of direction, quotes and line breaks.
    HostileText,
}

impl RowFault {
    pub(super) fn spoil(self, answer: &mut Value) {
        let pages = answer.get("pagination").is_some();
        let rows = answer["data"].as_array_mut().into_iter().flatten();
        for row in rows.filter_map(Value::as_object_mut) {
            match self {
                Self::Nulls => row
                    .iter_mut()
                    .filter(|(name, _)| pages || *name != "id")
                    .for_each(|(_, value)| *value = Value::Null),
                Self::Absent => row.retain(|name, _| !pages && name == "id"),
                Self::HugeNumbers => numbers(row, &json!(u64::MAX)),
                Self::NegativeNumbers => numbers(row, &json!(-1)),
                Self::LoneSurrogates => texts(row, PLACEHOLDER),
                Self::LongText => return texts(row, &"long ".repeat(LONG / 5)),
                Self::HostileText => texts(row, HOSTILE),
            }
        }
    }

    /// Says what JSON values cannot.
    pub(super) fn spoil_text(self, body: Bytes) -> Bytes {
        match (self, std::str::from_utf8(&body)) {
            (Self::LoneSurrogates, Ok(text)) => text.replace(PLACEHOLDER, "a \\ud800 b").into(),
            _ => body,
        }
    }
}

fn numbers(row: &mut Map<String, Value>, number: &Value) {
    for name in ["fileSize", "fileCount"] {
        if let Some(value) = row.get_mut(name) {
            *value = number.clone();
        }
    }
}

fn texts(row: &mut Map<String, Value>, text: &str) {
    for name in ["name", "description", "filename", "indexError"] {
        if let Some(value) = row.get_mut(name) {
            *value = text.into();
        }
    }
}
