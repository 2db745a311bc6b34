//! The files in each output format, written as they come.

use std::io::{self, BufWriter, Stdout, Write, stdout};

use serde::Serialize;

use crate::cli::files::Form;
use crate::cli::files::read::File;
use crate::cli::table::{Table, known};
use crate::text;

/// Rows of a table, at most: a table is written when all of them are known.
const TABLE_ROWS: u64 = 10_000;

const TABLE_COLUMNS: &str = "folder, name, =status, class, reason, =created";

const CSV_HEADER: &str = "folder,name,status,class,reason,created,portal,folder_id\r\n";

pub(super) struct Writer {
    form: Form,
    rows: u64,
    table: Table,
    output: BufWriter<Stdout>,
}

impl Writer {
    pub fn new(form: Form, width: Option<u16>) -> Self {
        Self {
            form,
            rows: 0,
            table: Table::new(TABLE_COLUMNS, width),
            output: BufWriter::new(stdout()),
        }
    }

    pub fn add(&mut self, file: &File<'_>) -> io::Result<()> {
        self.rows += 1;
        match self.form {
            Form::Table if self.rows <= TABLE_ROWS => self.table.add(&[
                &file.folder,
                &file.name,
                &file.status,
                &file.class,
                &file.reason,
                &known(file.created.as_ref()),
            ]),
            Form::Table => {}
            Form::Json => {
                let before = if self.rows == 1 {
                    "{\"files\": [\n"
                } else {
                    ",\n"
                };
                self.output.write_all(before.as_bytes())?;
                file.serialize(&mut text::harmless_json(&mut self.output))?;
            }
            Form::Csv => {
                if self.rows == 1 {
                    self.output.write_all(CSV_HEADER.as_bytes())?;
                }
                self.output.write_all(csv_line(file).as_bytes())?;
            }
        }
        Ok(())
    }

    /// Writes what comes behind the rows.
    pub fn finish(mut self) -> io::Result<()> {
        match (self.form, self.rows) {
            (Form::Table, rows) => {
                write!(self.output, "{}", self.table)?;
                if rows > TABLE_ROWS {
                    let more = rows - TABLE_ROWS;
                    writeln!(self.output, "{more} more files: use --output csv or json")?;
                }
            }
            (Form::Json, 0) => writeln!(self.output, "{{\"files\": []}}")?,
            (Form::Json, _) => writeln!(self.output, "\n]}}")?,
            (Form::Csv, 0) => self.output.write_all(CSV_HEADER.as_bytes())?,
            (Form::Csv, _) => {}
        }
        self.output.flush()
    }
}

/// One line (RFC 4180).
fn csv_line(file: &File<'_>) -> String {
    let created = known(file.created.as_ref());
    let cells = [
        file.folder,
        file.name,
        file.status,
        file.class,
        file.reason,
        &created,
        file.portal,
        &file.folder_id,
    ];
    cells.map(csv_cell).join(",") + "\r\n"
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

    use super::*;

    #[test]
    fn cells_are_text_whatever_they_begin_with() {
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

    #[test]
    fn a_terminal_obeys_no_json() {
        let name = "a\u{202e}fdp\u{e0001}\n\u{1b}[2J\u{9b}é";
        let file = File {
            folder: "",
            name,
            status: "failed",
            class: "",
            reason: "",
            created: None,
            portal: "",
            folder_id: String::new(),
        };
        let mut line = Vec::new();
        file.serialize(&mut text::harmless_json(&mut line)).unwrap();
        let line = String::from_utf8(line).unwrap();
        assert!(!line.chars().any(text::is_unsafe), "{line}");
        let read: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(read["name"], name);
    }

    proptest! {
        #[test]
        fn no_text_ends_its_cell_or_line(text in any::<String>()) {
            let cell = csv_cell(&text);
            prop_assert!(!cell.contains(['\r', '\n', '\t']));
            let inner = cell.strip_prefix('"').map_or(cell.as_str(), |it| it.strip_suffix('"').unwrap());
            prop_assert_eq!(inner.matches('"').count() % 2, 0);
            prop_assert!(cell.starts_with('"') || !cell.contains(','));
        }
    }
}
