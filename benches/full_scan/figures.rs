//! Figures, and the table that shows them.

use std::time::Duration;

use comfy_table::Table;

use crate::FILES;
use crate::run::Cost;
use crate::table::{median, table};

/// What was measured, and each run's cost: at least one.
pub struct Measured {
    pub name: &'static str,
    pub costs: Vec<Cost>,
}

impl Measured {
    fn times(&self) -> Vec<Duration> {
        self.costs.iter().map(|cost| cost.processor).collect()
    }

    fn median(&self) -> f64 {
        median(&self.times()).map_or(f64::NAN, |time| time.as_secs_f64())
    }

    fn cells(&self, baseline: Option<&Self>) -> [String; 6] {
        let (seconds, times) = (self.median(), self.times());
        let share = baseline.map(|baseline| 100.0 * seconds / baseline.median());
        let [least, most] = [times.iter().min(), times.iter().max()]
            .map(|time| milliseconds(time.map_or(f64::NAN, Duration::as_secs_f64)));
        let peak = self.costs.iter().map(|cost| cost.peak_bytes).max();
        let peak = peak.filter(|bytes| *bytes > 0);
        [
            self.name.to_owned(),
            format!("{:.0}", f64::from(FILES) / seconds),
            milliseconds(seconds),
            format!("{least}–{most}"),
            share.map_or_else(String::new, |share| format!("{share:.0} %")),
            peak.map_or_else(String::new, |bytes| (bytes >> 20).to_string()),
        ]
    }
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.0}", 1000.0 * seconds)
}

/// Shows the rows, and the baseline where it was measured.
pub fn render(rows: &[Measured], baseline: Option<&Measured>) -> Table {
    let header = [
        "",
        "rows/s",
        "median ms",
        "least–most",
        "of full_scan.py",
        "peak MiB",
    ];
    let all = rows.iter().chain(baseline);
    table(header, all.map(|measured| measured.cells(baseline)))
}
