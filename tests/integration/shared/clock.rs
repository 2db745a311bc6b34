//! The clock of a machine is wrong or set: times in a shared ledger are those of the server.

use std::time::{SystemTime, UNIX_EPOCH};

use kb_simulator::Status;

use super::ledger;
use super::scene::Shared;
use crate::reindex::clock::Clock;
use crate::reindex::scene::LONG_AGO;
use kb_exposition::Exposition;

#[tokio::test]
async fn a_clock_that_is_set_neither_ends_a_cooldown_nor_prolongs_it() {
    let shared = Shared::new("enforce").await;
    shared.meet_long_ago().await;
    let clock = Clock::of(&shared);
    let exporter = clock.start(&shared).await;
    shared.attempted(&exporter, "accepted").await;
    shared.helped_and_failed_anew(&exporter).await;
    shared.held(&exporter, "cooldown").await;

    clock.set("+25h");
    exporter.collected_again().await;
    shared.held(&exporter, "cooldown").await;
    exporter.stop().await;
    let exporter = clock.start(&shared).await;
    exporter.collected_again().await;
    shared.held(&exporter, "cooldown").await;
    clock.set("-25h");
    exporter.collected_again().await;
    shared.held(&exporter, "cooldown").await;
    exporter.stop().await;
    assert_eq!(shared.sent(), 1);

    // The cooldown has ended on the server.
    ledger::age(&shared.database, LONG_AGO);
    let exporter = clock.start(&shared).await;
    exporter
        .metrics_when("the next attempt is made", |metrics| {
            shared.attempts(metrics, "accepted") == Some(2.0)
        })
        .await;
    exporter.stop().await;
    assert_eq!(shared.sent(), 2);
}

/// A time of the exposition, in seconds after now; negative if it is before.
fn after_now(metrics: &Exposition, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Some(metrics.value(name, labels)? - now.as_secs_f64())
}

#[tokio::test]
async fn times_that_are_stored_are_those_of_the_server_and_times_that_are_shown_those_of_the_machine()
 {
    const HOUR: f64 = 3_600.0;
    const COUNTED: &str = "kb_folder_last_success_timestamp_seconds";
    const OLDEST: &str = "kb_folder_oldest_file_timestamp_seconds";
    let shared = Shared::new("off").await;
    let clock = Clock::of(&shared);
    clock.set("+1h");
    let wrong = clock.start(&shared).await;
    wrong.collected().await;
    shared
        .portal
        .file(shared.folder, "late.pdf", Status::Flagged);
    let right = shared.start().await;
    let flagged = [("status", "flagged")];
    for (exporter, ahead) in [(&wrong, HOUR), (&right, 0.0)] {
        let is_near = |time: Option<f64>| time.is_some_and(|time| (time - ahead).abs() < 60.0);
        exporter
            .metrics_when("times are those of the machine", |metrics| {
                is_near(after_now(metrics, COUNTED, &[]))
                    && is_near(after_now(metrics, OLDEST, &flagged))
            })
            .await;
    }
    let times = "SELECT greatest(
            max(abs((document::json #>> '{record,first_counted}')::bigint - written)),
            max(abs((document::json #>> '{record,counted}')::bigint - written)))
        FROM kb_exporter.folder";
    let apart: i64 = shared.database.value(times).parse().unwrap();
    assert!(apart < 60_000, "{apart} ms");
    let since = "SELECT abs((document::json ->> 'since')::bigint - extract(epoch FROM now()) * 1000)::bigint
        FROM kb_exporter.file WHERE document::json ->> 'status' = 'flagged'";
    let apart: i64 = shared.database.value(since).parse().unwrap();
    assert!(apart < 60_000, "{apart} ms");
    wrong.stop().await;
    right.stop().await;
}
