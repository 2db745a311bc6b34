//! How a portal is asked: one that is slow as a whole is asked for several pages at once.

use std::time::{Duration, SystemTime};

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::workspace::Workspace;

use kb_exposition::Sample;
use kb_simulator::faults::{Fault, LineFault, Target};

/// Pages of the one folder, all of which are answered late.
const PAGES: usize = 64;

/// More than half of the time limit of a request.
const LATE: Duration = Duration::from_millis(600);

#[tokio::test]
async fn a_portal_whose_answers_are_all_slow_is_asked_for_several_pages_at_once() {
    let portal = Portal::start().await;
    portal.mixed_folder("Slow", PAGES * 100);
    let late = Fault::Line(LineFault::Late(LATE));
    portal.strike(Target::Files, late);
    let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
        config["collect"]["concurrency"] = 8.into();
        config["request"] = serde_json::json!({"timeout": "1100ms", "retries": 4});
    });
    let exporter = Exporter::start(&workspace).await;
    let metrics = exporter.collected().await;
    let files = portal.asked().into_iter();
    let files = files.filter(|asked| asked.target.contains("/files?"));
    let times: Vec<_> = files.map(|asked| asked.at).collect();
    // None of those that came within this time is answered.
    let in_flight = |first: &SystemTime| {
        let meanwhile = *first..*first + LATE;
        times.iter().filter(|at| meanwhile.contains(*at)).count()
    };
    let most = times.iter().map(in_flight).max().unwrap();
    // Those that the exporter gave up are in flight, too.
    let given_up = metrics.all("kb_portal_requests_total", &[("code", "error")]);
    let given_up: u64 = given_up.map(Sample::count).sum();
    assert!(
        (4..=8 + given_up).contains(&(most as u64)),
        "{most} of {PAGES} pages at once, {given_up} given up"
    );
}
