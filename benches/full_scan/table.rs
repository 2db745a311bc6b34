//! Figures, and the table that shows them.

use std::time::Duration;

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};

use crate::FILES;

/// What one run used.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// Processor time, user and system.
    pub processor: Duration,
    /// Most resident memory, in bytes, where the run had a process of its own.
    pub peak_bytes: Option<u64>,
}

/// What was measured, and each run's cost.
pub struct Measured {
    name: &'static str,
    /// At least one, the cheapest first.
    costs: Vec<Cost>,
}

impl Measured {
    /// Takes the costs of all runs, of which there is at least one.
    pub fn new(name: &'static str, mut costs: Vec<Cost>) -> Self {
        costs.sort_by_key(|cost| cost.processor);
        Self { name, costs }
    }

    /// The median.
    fn processor(&self) -> Duration {
        self.costs[self.costs.len() / 2].processor
    }

    fn spread(&self) -> String {
        let milliseconds = |cost: Option<&Cost>| {
            cost.map_or_else(String::new, |cost| milliseconds(cost.processor))
        };
        let (least, most) = (self.costs.first(), self.costs.last());
        format!("{}–{}", milliseconds(least), milliseconds(most))
    }

    fn peak(&self) -> String {
        let peak = self.costs.iter().filter_map(|cost| cost.peak_bytes).max();
        peak.map_or_else(String::new, |bytes| (bytes >> 20).to_string())
    }

    fn cells(&self, baseline: Option<&Self>) -> [String; 6] {
        let seconds = self.processor().as_secs_f64();
        let share = baseline.map(|baseline| 100.0 * seconds / baseline.processor().as_secs_f64());
        [
            self.name.to_owned(),
            format!("{:.0}", f64::from(FILES) / seconds),
            milliseconds(self.processor()),
            self.spread(),
            share.map_or_else(String::new, |share| format!("{share:.0} %")),
            self.peak(),
        ]
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.0}", 1000.0 * time.as_secs_f64())
}

/// Shows the rows, and the baseline where it was measured.
pub fn render(rows: &[Measured], baseline: Option<&Measured>) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header([
        "",
        "rows/s",
        "median ms",
        "least–most",
        "of full_scan.py",
        "peak MiB",
    ]);
    for measured in rows.iter().chain(baseline) {
        table.add_row(measured.cells(baseline));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
