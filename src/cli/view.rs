//! The lists that commands print: as tables for people, as JSON, or as CSV.

use std::borrow::Cow;
use std::collections::BTreeMap;

use anyhow::{Context, Result};
use clap::ValueEnum;
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width};
use serde::Serialize;
use serde_json::Value;
use terminal_size::terminal_size_of;

use crate::text;

/// Longest text of a cell in a table, in characters; longer than any message of this program.
const CELL_CHARACTERS: usize = 500;

/// A word up to this length, that of a time, is not wrapped where there is room for one in each column, so that it can be copied.
const WORD_CHARACTERS: u16 = 20;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    #[default]
    Table,
    Json,
    Csv,
}

/// Objects with the same fields, which may be added, but not renamed or removed. Times are RFC 3339, durations are in seconds and
/// sizes in bytes; null means absent or unknown.
pub(super) struct List {
    name: &'static str,
    columns: Vec<&'static str>,
    rows: Vec<Value>,
}

impl List {
    /// A list that JSON gives this name, and of which a table has these columns, with a space between two.
    pub fn new(name: &'static str, columns: &'static str, rows: Vec<Value>) -> Self {
        Self {
            name,
            columns: columns.split(' ').collect(),
            rows,
        }
    }

    /// Writes a table; nothing if there is no row. Columns without a value are left out, and so is the space around cells in a narrow terminal.
    fn table(&self, width: Option<u16>) -> String {
        let rows = || self.rows.iter();
        let has_value = |column: &&str| rows().any(|row| !plain(&row[column]).is_empty());
        let columns: Vec<_> = self.columns.iter().copied().filter(has_value).collect();
        if columns.is_empty() {
            return String::new();
        }
        let wide = self.drawn(&columns, width, false);
        let needed = wide.lines().next().map_or(0, |line| line.chars().count());
        match width {
            Some(width) if needed > width.into() => self.drawn(&columns, Some(width), true),
            _ => wide,
        }
    }

    fn drawn(&self, columns: &[&str], width: Option<u16>, is_narrow: bool) -> String {
        let mut table = Table::new();
        table.load_style(UTF8_FULL_CONDENSED);
        if let Some(width) = width {
            table.set_width(width);
            table.set_content_arrangement(ContentArrangement::Dynamic);
        }
        let header = || columns.iter().map(|column| column.replace('_', " "));
        table.set_header(header());
        let mut longest: Vec<_> = header().map(|title| longest_word(&title)).collect();
        for row in &self.rows {
            let cells: Vec<_> = columns.iter().map(|column| cell(&row[column])).collect();
            for (longest, cell) in longest.iter_mut().zip(&cells) {
                *longest = longest_word(cell).max(*longest);
            }
            table.add_row(cells);
        }
        let (space, most) = match width.filter(|_| is_narrow) {
            Some(width) => (0, unwrapped(&longest, width)),
            None => (1, WORD_CHARACTERS),
        };
        for ((shown, column), word) in table.column_iter_mut().zip(columns).zip(longest) {
            let least = Width::Fixed(word.min(most) + 2 * space);
            shown.set_constraint(ColumnConstraint::LowerBoundary(least));
            shown.set_padding((space, space));
            if self.rows.iter().any(|row| row[column].is_number()) {
                shown.set_cell_alignment(CellAlignment::Right);
            }
        }
        format!("{table}\n")
    }

    /// A header and a line for each row (RFC 4180).
    fn csv(&self) -> String {
        let fields = self.rows.first().and_then(Value::as_object);
        let columns = fields.map(|fields| fields.keys().map(String::as_str).collect());
        let columns: Vec<_> = columns.unwrap_or_else(|| self.columns.clone());
        let rows = self.rows.iter();
        let lines = rows.map(|row| {
            let cells = columns.iter().map(|column| csv_cell(&plain(&row[column])));
            cells.collect::<Vec<_>>().join(",")
        });
        let lines = std::iter::once(columns.join(",")).chain(lines);
        lines.map(|line| line + "\r\n").collect()
    }
}

/// Writes lists: tables, a JSON object with each list by its name, or the first list as CSV.
pub(super) fn text_of(lists: &[List], form: Form) -> Result<String> {
    match form {
        Form::Table => {
            let width = terminal_width();
            let tables: String = lists.iter().map(|list| list.table(width)).collect();
            let nothing = lists.first().filter(|_| tables.is_empty());
            Ok(nothing.map_or(tables, |list| format!("no {}\n", list.name)))
        }
        Form::Json => {
            let lists = lists.iter().map(|list| (list.name, &list.rows));
            json(&lists.collect::<BTreeMap<_, _>>())
        }
        Form::Csv => Ok(lists.first().map(List::csv).unwrap_or_default()),
    }
}

/// Each row as JSON on one line.
pub(super) fn lines(rows: &[Value]) -> Result<String> {
    rows.iter().map(json).collect()
}

/// A line of JSON that no terminal obeys.
fn json(value: &impl Serialize) -> Result<String> {
    let mut line = Vec::new();
    value.serialize(&mut text::harmless_json(&mut line))?;
    line.push(b'\n');
    String::from_utf8(line).context("JSON is not UTF-8")
}

/// The width of the terminal that standard output is, if it is one.
fn terminal_width() -> Option<u16> {
    terminal_size_of(std::io::stdout()).map(|(width, _)| width.0)
}

/// A value for people: the parts of a list, or of an object, one after the other.
fn plain(value: &Value) -> Cow<'_, str> {
    let joined = |parts: Vec<Cow<'_, str>>, between| Cow::Owned(parts.join(between));
    match value {
        Value::Null => "".into(),
        Value::String(text) => text.into(),
        Value::Bool(_) | Value::Number(_) => value.to_string().into(),
        Value::Array(parts) => joined(parts.iter().map(plain).collect(), ", "),
        Value::Object(fields) => joined(fields.values().map(plain).collect(), ": "),
    }
}

/// The length up to which words are not wrapped in columns with these longest ones and no space between them: as much as fits.
fn unwrapped(longest: &[u16], width: u16) -> u16 {
    let fits = |most: &u16| {
        let columns = longest.iter().map(|word| word.min(most) + 1);
        columns.fold(1, u16::saturating_add) <= width
    };
    (1..=WORD_CHARACTERS).rev().find(fits).unwrap_or(1)
}

fn longest_word(text: &str) -> u16 {
    let words = text.split(' ').map(|word| word.chars().count());
    words.max().unwrap_or(0).try_into().unwrap_or(u16::MAX)
}

/// A cell on one line, which cannot take over the terminal.
fn cell(value: &Value) -> String {
    text::cut(&text::one_line(&plain(value)), CELL_CHARACTERS).into_owned()
}

/// A cell that a spreadsheet shows as text: one that begins like a formula gets an apostrophe in front.
fn csv_cell(text: &str) -> String {
    let text = text::one_line(text);
    let is_formula = text
        .trim_start()
        .starts_with(['=', '+', '-', '@', '|', '%', '＝', '＋', '－', '＠']);
    let apostrophe = if is_formula { "'" } else { "" };
    if is_formula || text.contains([',', '"']) {
        format!("\"{apostrophe}{}\"", text.replace('"', "\"\""))
    } else {
        text.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn list(folder: &str) -> List {
        let rows = [(folder, Some(7)), ("b", Some(60_000)), ("c", None)];
        let rows = rows.map(|(folder, files)| {
            json!({"folder": folder, "folder_id": "12-34", "failed_files": files, "reason": null})
        });
        List::new("folders", "folder failed_files reason", rows.into())
    }

    #[test]
    fn a_table_has_numbers_on_the_right_and_no_column_without_values() {
        insta::assert_snapshot!(list("Inbox").table(None), @r"
        ┌────────┬──────────────┐
        │ folder ┆ failed files │
        ╞════════╪══════════════╡
        │ Inbox  ┆            7 │
        │ b      ┆        60000 │
        │ c      ┆              │
        └────────┴──────────────┘
        ");
    }

    #[test]
    fn a_narrow_table_wraps_its_longest_texts_between_words() {
        let rows = json!({
            "portal": "main", "folder": "Contracts of the northern region", "pending": 0, "processing": 0, "done": 120, "failed": 3, "flagged": 1,
            "files": 124, "result": "files moved while the folder was read: the counts may be off",
        });
        let columns = "portal folder pending processing done failed flagged files result";
        let list = List::new("folders", columns, vec![rows]);
        insta::assert_snapshot!(list.table(Some(80)), @r"
        ┌──────┬─────────────┬───────┬──────────┬────┬──────┬───────┬─────┬────────────┐
        │portal┆folder       ┆pending┆processing┆done┆failed┆flagged┆files┆result      │
        ╞══════╪═════════════╪═══════╪══════════╪════╪══════╪═══════╪═════╪════════════╡
        │main  ┆Contracts of ┆      0┆         0┆ 120┆     3┆      1┆  124┆files moved │
        │      ┆the northern ┆       ┆          ┆    ┆      ┆       ┆     ┆while the   │
        │      ┆region       ┆       ┆          ┆    ┆      ┆       ┆     ┆folder was  │
        │      ┆             ┆       ┆          ┆    ┆      ┆       ┆     ┆read: the   │
        │      ┆             ┆       ┆          ┆    ┆      ┆       ┆     ┆counts may  │
        │      ┆             ┆       ┆          ┆    ┆      ┆       ┆     ┆be off      │
        └──────┴─────────────┴───────┴──────────┴────┴──────┴───────┴─────┴────────────┘
        ");
    }

    #[test]
    fn json_and_csv_have_every_field_also_of_a_list_without_rows() {
        let others = List::new("others", "folder reason", Vec::new());
        let lists = [list("Inbox"), others];
        let json = text_of(&lists, Form::Json).unwrap();
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json, json!({"folders": lists[0].rows, "others": []}));
        let csv = text_of(&lists[1..], Form::Csv).unwrap();
        assert_eq!(csv, "folder,reason\r\n");
        let csv = text_of(&lists, Form::Csv).unwrap();
        assert!(csv.starts_with("folder,folder_id,failed_files,reason\r\nInbox,12-34,7,\r\n"));
        assert_eq!(text_of(&lists[1..], Form::Table).unwrap(), "no others\n");
    }

    #[test]
    fn cells_of_csv_are_text_whatever_they_begin_with() {
        for (text, cell) in [
            ("a b.pdf", "a b.pdf"),
            ("a,b \"c\"", "\"a,b \"\"c\"\"\""),
            ("=HYPERLINK(1)", "\"'=HYPERLINK(1)\""),
            (" @a", "\"' @a\""),
            ("＝1+1", "\"'＝1+1\""),
            ("line 1\nline 2", "line 1\\nline 2"),
            ("", ""),
        ] {
            assert_eq!(csv_cell(text), cell);
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_a_row_or_takes_over_the_terminal(name in any::<String>()) {
            let lists = [list(&name)];
            prop_assert_eq!(lists[0].table(None).lines().count(), 7);
            for form in [Form::Table, Form::Json, Form::Csv] {
                let printed = text_of(&lists, form).unwrap();
                prop_assert!(!printed.chars().any(|c| !"\r\n".contains(c) && text::is_unsafe(c)));
            }
            let document = text_of(&lists, Form::Json).unwrap();
            let document: Value = serde_json::from_str(&document).unwrap();
            prop_assert_eq!(document["folders"][0]["folder"].as_str(), Some(&*name));
            let cell = csv_cell(&name);
            let inner = cell.strip_prefix('"').map_or(cell.as_str(), |it| it.strip_suffix('"').unwrap());
            prop_assert_eq!(inner.matches('"').count() % 2, 0);
            prop_assert!(cell.starts_with('"') || !cell.contains(','));
        }
    }
}
