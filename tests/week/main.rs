//! A shorter time than that of the benchmark: what reindexing must be good for, and what it may cost.
//!
//! The policies assert in each attempt that no promise is broken: cooldown, budget, kill switch, never twice; the program is killed between
//! the intent and the answer now and then.

#[path = "../../benches/reindex/policies.rs"]
mod policies;
#[path = "../../benches/reindex/report.rs"]
mod report;
#[path = "../../benches/reindex/week.rs"]
mod week;

#[test]
fn most_transient_failures_come_back_in_time_and_little_is_sent_in_vain() {
    let report = report::Report::of(week::Size {
        seed: 1,
        folders: 150,
        days: 3,
    });
    println!("{report}");
    let (program, best) = (report.figures(), report.omniscient());
    assert!(program.transient.all > 50, "there is something to help");
}
