//! Which of several processes acts, and what is said of it.

use std::time::{Duration, Instant};

use serde_json::json;

use super::ledger;
use super::scene::{Shared, says};
use crate::reindex::scene::only_with_a_reason;
use crate::support::exporter::Exporter;
use crate::support::wait::wait_for;

/// The lease of the stories, and two intervals of its renewal.
const TAKEN_OVER_WITHIN: Duration = Duration::from_millis(2_000 + 2 * 667);

/// How much later it may be seen, on a machine that is busy.
const BUSY: Duration = Duration::from_secs(2);

async fn logs(exporter: &Exporter, text: &str) {
    wait_for(text, async || says(exporter, text).then_some(())).await;
}

#[tokio::test]
async fn a_replica_that_has_nothing_to_act_on_leaves_that_to_another_one() {
    for mode in ["off", "dry_run"] {
        let shared = Shared::new("enforce").await;
        shared.meet_long_ago().await;
        let other_rules = shared
            .workspace
            .variant(|config| config["reindex"]["mode"] = mode.into());
        let idle = Exporter::start(&other_rules).await;
        if mode == "dry_run" {
            logs(&idle, "no process may reindex").await;
        }
        let acting = shared.start().await;
        shared.attempted(&acting, "accepted").await;
        let active = [("portal", "main")];
        let is_active = async |exporter: &Exporter| {
            let metrics = exporter.metrics().await;
            metrics.value("kb_reindex_active", &active)
        };
        assert_eq!(is_active(&idle).await, Some(0.0), "{mode}");
        assert_eq!(is_active(&acting).await, Some(1.0), "{mode}");
        logs(&acting, "this process may reindex").await;
        logs(&idle, &format!("process {} on ", acting.pid())).await;
        for exporter in [&idle, &acting] {
            logs(exporter, "by a different configuration").await;
        }
        assert_eq!(says(&idle, "no process may reindex"), mode == "dry_run");
        idle.stop().await;
        acting.stop().await;
        assert_eq!(shared.sent(), 1);
    }
}

#[tokio::test]
async fn another_process_acts_within_the_lease_and_two_intervals_of_its_renewal() {
    let shared = Shared::with("enforce", only_with_a_reason).await;
    shared.meet_long_ago().await;
    let first = shared.start_active().await;
    let second = shared.start().await;
    logs(&second, "another process may reindex").await;
    let holder = ledger::holder(&shared.database);
    first.kill().await;
    let killed = Instant::now();
    wait_for("the other process has the lease", async || {
        (ledger::holder(&shared.database) != holder).then_some(())
    })
    .await;
    let took = killed.elapsed();
    assert!(took < TAKEN_OVER_WITHIN + BUSY, "{took:?}");
    second.stop().await;
}

#[tokio::test]
async fn two_entries_with_one_address_and_folder_judge_their_own_attempts() {
    let shared = Shared::with("enforce", |config| {
        let mut again = config["portals"][0].clone();
        again["name"] = "again".into();
        config["portals"].as_array_mut().unwrap().push(again);
    })
    .await;
    shared.meet_long_ago().await;
    let exporter = shared.start_active().await;
    wait_for("a request", async || (shared.sent() == 1).then_some(())).await;
    shared.helped_and_failed_anew(&exporter).await;
    // Each entry has seen what the other one wrote.
    exporter.collections(4).await;
    let by = |what| -> Vec<_> {
        let lines = exporter.output();
        let lines = lines.iter().filter(|line| line.contains(what));
        let is_of = |line: &String, portal| line.contains(&format!("portal={portal} "));
        let portal = |line| ["main", "again"].map(|portal| is_of(line, portal));
        lines.map(portal).collect()
    };
    assert_eq!(by("attempt judged"), by("failed files were reindexed"));
    assert!(!says(&exporter, "cannot be written"));
    exporter.stop().await;
    assert_eq!(shared.sent(), 1);
}

#[tokio::test]
async fn two_entries_with_one_address_are_one_process_that_acts() {
    let shared = Shared::with("enforce", |config| {
        let mut again = config["portals"][0].clone();
        again["name"] = "again".into();
        again["folders"] = json!({"include": ["Outbox"]});
        config["portals"][0]["folders"] = json!({"exclude": ["Outbox"]});
        config["portals"].as_array_mut().unwrap().push(again);
        config["reindex"]["folders"] = json!([{"match": "Outbox", "mode": "off"}]);
    })
    .await;
    shared.portal.folder("Outbox");
    shared.meet_long_ago().await;
    let exporter = shared.start_active().await;
    shared.attempted(&exporter, "accepted").await;
    let holder = ledger::holder(&shared.database);
    // Long enough for each entry to renew the lease a few times.
    exporter.collections(4).await;
    let metrics = exporter.metrics().await;
    for portal in ["main", "again"] {
        let active = metrics.value("kb_reindex_active", &[("portal", portal)]);
        assert_eq!(active, Some(1.0), "{portal}");
    }
    assert_eq!(ledger::holder(&shared.database), holder);
    assert!(!says(&exporter, "no process may reindex"));
    exporter.stop().await;
    assert_eq!(shared.sent(), 1);
}
