//! How fast a portal is asked: one that is slow as a whole is asked with all requests in flight.

use std::time::Duration;

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::workspace::Workspace;

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
    let took = metrics
        .value("kb_folder_collection_duration_seconds", &[])
        .unwrap();
    println!("{PAGES} pages in {took} s");
    // One after another they take 38 seconds.
    assert!(took < 20.0, "{PAGES} pages in {took} s");
}
