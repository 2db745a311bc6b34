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
pub(super) struct Table(comfy_table::Table);

impl Table {
    /// An empty table, at most `width` characters wide if there is such a limit. `columns` has the titles. A column with `#` in
    /// front has numbers, on the right; it and a column with `=` in front are never wrapped, so that they can be copied.
    pub fn new(columns: &str, width: Option<u16>) -> Self {
        let columns: Vec<_> = columns.split(", ").collect();
        let mut table = comfy_table::Table::new();
        table.load_style(UTF8_FULL_CONDENSED);
        table.set_header(
            columns
                .iter()
                .map(|name| name.trim_start_matches(['#', '='])),
        );
        if let Some(width) = width {
            table.set_width(width);
            table.set_content_arrangement(ContentArrangement::Dynamic);
        }
        for (column, name) in table.column_iter_mut().zip(columns) {
            if name.starts_with('#') {
                column.set_cell_alignment(CellAlignment::Right);
            }
            if name.starts_with(['#', '=']) {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        Self(table)
    }

    /// Adds a row: a cell for each column. Text of any origin is shown on one line and cannot take over the terminal.
    pub fn add(&mut self, row: &[&dyn fmt::Display]) {
        let cells = row.iter().map(|cell| {
            let line = cell.to_string();
            text::cut(&text::one_line(&line), CELL_CHARACTERS).into_owned()
        });
        self.0.add_row(cells);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.0)
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

    proptest! {
        #[test]
        fn no_name_breaks_a_row_or_takes_over_the_terminal(name in any::<String>()) {
            let shown = table(&name, None);
            prop_assert_eq!(shown.lines().count(), 6);
            prop_assert!(!shown.chars().any(|c| c != '\n' && text::is_unsafe(c)));
        }
    }
}
