//! How fast a portal is asked: its own limit is seldom exceeded, and a portal that is slow as a whole is asked with all requests in flight.

use std::time::{Duration, Instant};

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::workspace::Workspace;
use kb_exposition::{Exposition, Sample};
use serde_json::Value;

use kb_simulator::faults::{Fault, LineFault, RetryAfter, Scope, Target};

/// What the portal allows a second, and at once after a pause: a busy machine sends late, and then several together.
const LIMIT: (u32, u32) = (25, 12);

/// Requests by their status.
fn answers(metrics: &Exposition, code: &str) -> u64 {
    let labels = [("code", code)];
    let requests = metrics.all("kb_portal_requests_total", &labels);
    requests.map(Sample::count).sum()
}

/// What `/metrics` says when so many requests were answered well.
async fn after(exporter: &Exporter, answered: u64) -> Exposition {
    let what = format!("{answered} answers");
    exporter
        .metrics_when(&what, |metrics| answers(metrics, "200") >= answered)
        .await
}

#[tokio::test]
async fn a_steady_limit_of_the_portal_is_seldom_met() {
    let portal = Portal::start().await;
    for number in 0..60 {
        portal.mixed_folder(&format!("Folder {number}"), 5);
    }
    let (per_second, at_once) = LIMIT;
    let limited = Fault::Status(429, RetryAfter::Absent);
    let beyond = Scope::beyond(Target::All, per_second, at_once);
    portal.faults.add(beyond, limited);
    let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
        config["collect"]["schedule"] = "1s".into();
        config["collect"]["max_requests_per_second"] = 60.into();
        config["request"]["retries"] = 4.into();
    });
    let exporter = Exporter::start(&workspace).await;
    let settled = after(&exporter, 300).await;
    let begun = Instant::now();
    let later = after(&exporter, answers(&settled, "200") + 300).await;
    let took = begun.elapsed();
    let [good, refused] =
        ["200", "429"].map(|code| answers(&later, code) - answers(&settled, code));
    println!("{good} answers 200, {refused} answers 429 in {took:?}");
    assert!(refused * 20 < good + refused, "{refused} of {good} refused");

    let lines = exporter.output();
    let mut logged = lines.iter().map(|line| serde_json::from_str(line).unwrap());
    let lowered = logged
        .find(|line: &Value| line["msg"] == "the portal answers 429: the request rate is lowered");
    let lowered = lowered.unwrap();
    assert_eq!(lowered["portal"], "main");
    assert!(lowered["per_second"].as_f64().unwrap() <= 40.0);
}

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
