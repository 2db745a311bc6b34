//! A simulated week of reindexing: the share of files that come back, and what that costs.
//!
//! `cargo bench --bench reindex`: a portal of 300 folders for seven days, with three seeds.

mod large;
mod policies;
mod report;
mod week;

use policies::{Before, EveryHour, Never, Policy};
use report::Report;
use week::Size;

#[expect(
    clippy::print_stdout,
    reason = "the figures are what a benchmark is for"
)]
fn main() {
    let seeds: Vec<u64> = std::env::args()
        .filter_map(|argument| argument.parse().ok())
        .collect();
    let seeds = if seeds.is_empty() {
        vec![1, 2, 3]
    } else {
        seeds
    };
    for seed in seeds {
        let size = Size {
            seed,
            folders: 300,
            days: 7,
        };
        println!("seed {seed}");
        let baselines: Vec<Box<dyn Policy>> = vec![
            Box::new(Never),
            Box::new(EveryHour),
            Box::new(Before::new()),
        ];
        let report = Report::of(size, baselines);
        let figures = report.figures();
        println!(
            "{report}in time: {:.3} (goal: 0.95), in vain: {:.3} (0.1), requests: {:.2} (1.5)",
            report::in_time(figures.transient),
            report.in_vain(&figures),
            report.requests(&figures)
        );
    }
    println!(
        "decisions about 5,000 folders with 10 failed files each, 20,000 attempts in the ledger: {:.0?}",
        large::round()
    );
}
