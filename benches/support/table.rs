//! Tables, and how figures look in them.

use std::time::Duration;

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};

/// A table with figures behind the first column.
pub fn table<const COLUMNS: usize>(
    header: [&str; COLUMNS],
    rows: impl IntoIterator<Item = [String; COLUMNS]>,
) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header(header);
    table.add_rows(rows);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// A whole number in groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(String::from_utf8_lossy)
        .collect();
    groups.join(",")
}

/// How many times as much.
pub fn times(much: f64, than: f64) -> String {
    let times = much / than;
    if times < 10.0 {
        format!("{times:.2}×")
    } else {
        format!("{times:.0}×")
    }
}

/// A time in seconds.
pub fn seconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64())
}

/// The one in the middle, of at least one.
pub fn median<T: Copy + Ord>(values: &[T]) -> Option<T> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied()
}
