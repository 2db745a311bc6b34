//! Figures, and the tables that show them.

use std::time::Duration;

use crate::FOLDERS;
use crate::fleet::Work;
use crate::table::{grouped, median, seconds, table, times};

/// What was measured with a number of processes.
pub struct Row {
    /// How many.
    pub processes: u32,
    /// How long the first count of all folders took.
    pub first_count: Duration,
    /// Resident bytes of all processes with idle folders.
    pub resident: u64,
    /// The same for each folder, without what the processes take without folders.
    pub per_folder: u64,
    /// While nothing changed.
    pub quiet: Work,
    /// While some files failed.
    pub busy: Work,
}

/// Shows the rows; ratios are to the first.
pub fn render(rows: &[Row]) -> String {
    let header = [
        "processes",
        "first count s",
        "counts/s",
        "of the first",
        "MiB",
        "bytes per idle folder",
    ];
    let first = rows.first().map(Row::counts_per_second);
    let all = rows.iter().map(|row| {
        let rate = row.counts_per_second();
        [
            row.processes.to_string(),
            seconds(row.first_count),
            format!("{rate:.0}"),
            times(rate, first.unwrap_or(rate)),
            grouped(row.resident >> 20),
            grouped(row.per_folder),
        ]
    });
    let all = table(header, all);
    let header = [
        "processes, portal",
        "requests/s",
        "counts/s",
        "transactions/s",
        "s until shown, median",
        "worst",
    ];
    let works = rows.iter().flat_map(|row| {
        let processes = row.processes;
        [("quiet", &row.quiet), ("busy", &row.busy)].map(|(portal, work)| {
            let worst = work.shown_after.iter().max().copied();
            [
                format!("{processes}, {portal}"),
                format!("{:.2}", work.requests),
                format!("{:.2}", work.counts),
                format!("{:.2}", work.transactions),
                median(&work.shown_after).map_or_else(String::new, seconds),
                worst.map_or_else(String::new, seconds),
            ]
        })
    });
    let works = table(header, works);
    format!("{FOLDERS} folders\n{all}\n{works}")
}

impl Row {
    fn counts_per_second(&self) -> f64 {
        f64::from(FOLDERS) / self.first_count.as_secs_f64()
    }
}
