//! A smaller portal for a shorter time than in the benchmark: what reindexing must achieve, and what it may cost.
//!
//! Each request is compared with those that the portal saw before: cooldown, budget, kill switch, never twice. The program is killed at random.

#[path = "../../benches/reindex"]
mod play {
    pub mod policies;
    pub mod report;
    pub mod week;
}

use play::{policies, report, week};

#[test]
fn most_transient_failures_come_back_in_time_and_little_is_sent_in_vain() {
    let size = week::Size {
        seed: 1,
        folders: 120,
        days: 4,
    };
    let baselines: Vec<Box<dyn policies::Policy>> = vec![
        Box::new(policies::Never),
        Box::new(policies::EveryHour),
        Box::new(policies::Before::new()),
    ];
    let report = report::Report::of(size, baselines);
    println!("{report}");
    let (program, kills) = (report.figures(), &report.program.kills);
    assert!(program.transient.all > 500, "there is something to help");
    assert!(program.worker.all > 50, "a worker is broken for a day");
    assert_eq!(kills.len(), 4, "killed at every point");
    let in_time = report::in_time(program.transient);
    assert!(in_time >= 0.93, "in time: {in_time}");
    let in_vain = report.in_vain(&program);
    assert!(in_vain <= 0.12, "in vain: {in_vain}");
    let requests = report.requests(&program);
    assert!(requests <= 1.6, "requests: {requests}");
}
