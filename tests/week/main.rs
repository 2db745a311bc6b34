//! Days of a portal with outages, under the default rules: what reindexing must achieve, and what it may cost.
//!
//! The program is killed at random. It is compared with a policy that knows which files will recover, and with one that sends every folder
//! with a failed file once an hour.

mod policies;
mod portal;
mod report;

use portal::Size;
use report::Report;

#[test]
fn most_transient_failures_recover_in_time_and_few_files_are_sent_in_vain() {
    let report = Report::of(Size {
        seed: 1,
        folders: 120,
        days: 4,
    });
    println!("{report}");
    let [program, hourly] = [report.program(), report.hourly()];
    assert!(program.figures.transient.all > 500, "there is enough to do");
    assert!(program.figures.worker.all > 50, "a worker breaks for a day");
    assert_eq!(report.kills.len(), 4, "killed at every point");
    assert!(program.in_time() >= 0.93, "in time");
    assert!(report.in_vain(program) <= 0.12, "sent in vain");
    assert!(report.requests(program) <= 1.6, "requests");
    let spared = report.requests(hourly) / report.requests(program);
    assert!(spared > 10.0, "requests: a {spared}th of those each hour");
}

#[test]
#[ignore = "prints the table of docs/operations.md, which takes minutes"]
fn a_week_of_300_folders() {
    for seed in 1..=3 {
        let report = Report::of(Size {
            seed,
            folders: 300,
            days: 7,
        });
        println!("seed {seed}\n{report}");
    }
}
