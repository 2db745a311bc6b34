//! Tables for people, on a terminal or in a file.

use std::fmt;

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement};
use terminal_size::{Width, terminal_size_of};

use crate::text;

/// Longest text of a cell, in characters; longer than any message of this program.
const CELL_CHARACTERS: usize = 500;

/// A table that grows row by row.
#[derive(Debug)]
pub(super) struct Table {
    columns: comfy_table::Table,
    titles: Vec<String>,
    rows: Vec<Vec<String>>,
    width: Option<u16>,
}

impl Table {
    /// An empty table, at most `width` characters wide if there is such a limit. `columns` has the titles. A column with `#` in
    /// front has numbers, on the right; it and a column with `=` in front are never wrapped, so that they can be copied. Where these are
    /// wider, each row has its values one after the other.
    pub fn new(columns: &str, width: Option<u16>) -> Self {
        let columns: Vec<_> = columns.split(", ").collect();
        let mut table = comfy_table::Table::new();
        table.load_style(UTF8_FULL_CONDENSED);
        if let Some(width) = width {
            table.set_width(width);
            table.set_content_arrangement(ContentArrangement::Dynamic);
        }
        let header = columns
            .iter()
            .map(|name| name.trim_start_matches(['#', '=']));
        let header: Vec<_> = header.map(str::to_owned).collect();
        table.set_header(&header);
        for (column, name) in table.column_iter_mut().zip(columns) {
            if name.starts_with('#') {
                column.set_cell_alignment(CellAlignment::Right);
            }
            if name.starts_with(['#', '=']) {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        Self {
            titles: header,
            columns: table,
            rows: Vec::new(),
            width,
        }
    }

    /// Adds a row: a cell for each column. Text of any origin is shown on one line and cannot take over the terminal.
    pub fn add(&mut self, row: &[&dyn fmt::Display]) {
        let cells = row.iter().map(|cell| {
            let line = cell.to_string();
            text::cut(&text::one_line(&line), CELL_CHARACTERS).into_owned()
        });
        let cells: Vec<_> = cells.collect();
        self.columns.add_row(&cells);
        self.rows.push(cells);
    }

    /// A row for a terminal that is too narrow for the columns: one value after the other, with its title, on as many lines as it takes.
    fn write_row(&self, f: &mut fmt::Formatter<'_>, row: &[String], width: usize) -> fmt::Result {
        let mut line = String::new();
        for (title, cell) in self.titles.iter().zip(row) {
            if cell.is_empty() {
                continue;
            }
            let value = format!("{title} {cell}");
            let together = line.chars().count() + ", ".len() + value.chars().count();
            if line.is_empty() {
                line = value;
            } else if together <= width {
                line = format!("{line}, {value}");
            } else {
                write_wrapped(f, &line, width)?;
                line = format!("  {value}");
            }
        }
        write_wrapped(f, &line, width)
    }

    /// The number of its columns.
    pub fn width(&self) -> usize {
        self.titles.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

fn write_wrapped(f: &mut fmt::Formatter<'_>, line: &str, width: usize) -> fmt::Result {
    let characters: Vec<_> = line.chars().collect();
    for part in characters.chunks(width.max(1)) {
        writeln!(f, "{}", part.iter().collect::<String>())?;
    }
    Ok(())
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = self.columns.to_string();
        let width = self.width.map_or(usize::MAX, usize::from);
        let is_too_wide = |line: &str| line.chars().count() > width;
        if !table.lines().any(is_too_wide) {
            return writeln!(f, "{table}");
        }
        for row in &self.rows {
            self.write_row(f, row, width)?;
        }
        Ok(())
    }
}

/// A cell that is empty if nothing is known.
pub(super) fn known(value: Option<impl fmt::Display>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// The width of the terminal that standard output is, if it is one.
pub(super) fn terminal_width() -> Option<u16> {
    terminal_size_of(std::io::stdout()).map(|(Width(width), _)| width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table(name: &str, width: Option<u16>) -> String {
        let mut table = Table::new("folder, =id, #files", width);
        table.add(&[&name, &"12-34-56", &"7"]);
        table.add(&[&"b", &known(None::<u64>), &60_000]);
        table.to_string()
    }

    #[test]
    fn numbers_stand_on_the_right() {
        insta::assert_snapshot!(table("Inbox", None), @r"
        ┌────────┬──────────┬───────┐
        │ folder ┆ id       ┆ files │
        ╞════════╪══════════╪═══════╡
        │ Inbox  ┆ 12-34-56 ┆     7 │
        │ b      ┆          ┆ 60000 │
        └────────┴──────────┴───────┘
        ");
    }

    #[test]
    fn a_narrow_terminal_wraps_text_and_nothing_else() {
        let narrow = table("a long name of a folder", Some(34));
        assert!(
            narrow.lines().all(|line| line.chars().count() <= 34),
            "{narrow}"
        );
        assert!(narrow.contains("12-34-56") && narrow.contains("60000"));
        let unlimited = table("a long name of a folder", None);
        assert!(unlimited.contains("a long name of a folder"));
    }

    #[test]
    fn a_terminal_that_is_too_narrow_for_the_columns_gets_values_with_their_titles() {
        let narrow = table("a long name of a folder", Some(20));
        insta::assert_snapshot!(narrow, @r"
        folder a long name o
        f a folder
          id 12-34-56
          files 7
        folder b
          files 60000
        ");
    }

    proptest! {
        #[test]
        fn no_name_breaks_a_row_or_takes_over_the_terminal(name in any::<String>()) {
            let shown = table(&name, None);
            prop_assert_eq!(shown.lines().count(), 6);
            prop_assert!(!shown.chars().any(|c| c != '\n' && text::is_unsafe(c)));
        }
    }
}
