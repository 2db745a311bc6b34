//! The process that acts stands still or loses the server, and another one takes its place.

use std::time::Duration;

use tokio::time::sleep;

use super::ledger::{self, WRITES_ATTEMPT};
use super::scene::{LEASE, Shared, until_active};
use crate::reindex::scene::{FAILED, READS, budget_left};
use crate::support::exporter::Exporter;
use crate::support::postgres::proxy::{AtCommit, Proxy};
use crate::support::server::REINDEX_FAILED;
use crate::support::wait::until;
use crate::support::workspace::Workspace;
use kb_exposition::{Exposition, Sample};

/// The first process waits by now for the second, which has made the one attempt.
async fn one_attempt(shared: &Shared, [first, second]: [&Exporter; 2]) {
    shared.attempted(second, "accepted").await;
    until_active(first, false).await;
    second.collections(3).await;
    assert_eq!(shared.sent(), 1);
}

/// Starts a process that stands still directly before an attempt, when all but the intent is done. Also who has the lease then.
pub(super) async fn stood_still(shared: &Shared) -> (Exporter, String) {
    shared.meet_long_ago().await;
    let files = format!("{}/files", shared.folder);
    let checked = shared.portal.hold_after(&files, READS);
    let exporter = shared.start_active().await;
    shared.portal.until_asked(&files, checked).await;
    let holder = ledger::holder(&shared.database);
    exporter.signal("STOP");
    shared.portal.heal();
    (exporter, holder)
}

#[tokio::test]
async fn a_process_that_stood_still_directly_before_an_attempt_does_not_make_it() {
    let shared = Shared::new("enforce").await;
    let (first, holder) = stood_still(&shared).await;
    let second = shared.start().await;
    shared.taken_over(&holder).await;
    shared.attempted(&second, "accepted").await;
    first.signal("CONT");
    one_attempt(&shared, [&first, &second]).await;
    assert_eq!(ledger::outcomes(&shared.database), ["accepted"]);
    first.stop().await;
    second.stop().await;
}

/// Starts a process with a lease whose connection loses the commit of the intent, or the answer to it, and waits until it was written.
async fn lost_at_the_intent(
    shared: &Shared,
    lease: &str,
    at: AtCommit,
) -> (Exporter, Proxy, Workspace) {
    shared.meet_long_ago().await;
    let (proxy, distant) = shared.distant(lease).await;
    proxy.at_commit(at, WRITES_ATTEMPT);
    let exporter = Exporter::start(&distant).await;
    until("the intent is written", async || proxy.commits() == 1).await;
    (exporter, proxy, distant)
}

/// The lease ends while the answer to the commit of the intent is on its way.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_intent_whose_commit_is_answered_after_the_end_of_the_lease_is_not_sent() {
    let shared = Shared::new("enforce").await;
    let (first, proxy, _workspace) = lost_at_the_intent(&shared, LEASE, AtCommit::LoseAfter).await;
    let holder = ledger::holder(&shared.database);
    let second = shared.start().await;
    shared.taken_over(&holder).await;
    // Nobody knows whether the request of the first one is under way.
    shared.attempted(&second, "unknown").await;
    proxy.open();
    until_active(&first, false).await;
    second.collections(3).await;
    assert_eq!(shared.sent(), 0);
    assert_eq!(ledger::outcomes(&shared.database), ["unknown"]);
}

/// The answer to the commit of the intent comes within the lease, and after more than ten seconds.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_intent_that_took_long_to_write_is_withdrawn_and_charges_nothing() {
    let shared = Shared::new("enforce").await;
    let (exporter, proxy, _workspace) =
        lost_at_the_intent(&shared, "60s", AtCommit::LoseAfter).await;
    sleep(Duration::from_secs(11)).await;
    assert_eq!(shared.sent(), 0);
    proxy.open();
    // It is decided again, and charged once.
    let metrics = shared.attempted(&exporter, "accepted").await;
    assert_eq!(budget_left(&metrics), Some(5_000 - FAILED));
    assert_eq!(shared.sent(), 1);
    assert_eq!(ledger::outcomes(&shared.database), ["not_sent", "accepted"]);
}

/// The lease ends while the commit of the intent is on its way. The server ends the transaction, which would keep the others waiting.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_intent_whose_commit_is_late_is_made_by_another_process() {
    let shared = Shared::new("enforce").await;
    let (first, proxy, _workspace) = lost_at_the_intent(&shared, LEASE, AtCommit::LoseBefore).await;
    let holder = ledger::holder(&shared.database);
    let second = shared.start().await;
    shared.taken_over(&holder).await;
    shared.attempted(&second, "accepted").await;
    proxy.open();
    one_attempt(&shared, [&first, &second]).await;
    assert_eq!(ledger::outcomes(&shared.database), ["accepted"]);
}

/// The portal answers when the process that asked stands still, and another one has its place.
#[tokio::test]
async fn an_attempt_whose_answer_finds_nobody_is_not_made_again() {
    let shared = Shared::new("enforce").await;
    shared.meet_long_ago().await;
    shared.portal.hold(REINDEX_FAILED);
    let first = shared.start_active().await;
    shared.first_sent().await;
    let holder = ledger::holder(&shared.database);
    first.signal("STOP");
    let second = shared.start().await;
    shared.taken_over(&holder).await;
    shared.attempted(&second, "unknown").await;
    shared.portal.heal();
    first.signal("CONT");
    until_active(&first, false).await;
    second.collections(3).await;
    assert_eq!(shared.sent(), 1);
    assert_eq!(ledger::outcomes(&shared.database), ["unknown"]);
}

/// Nothing of what a process that ended counted, sent or spent is lost, and nothing is made twice.
#[tokio::test]
async fn counts_and_limits_are_there_again_after_the_active_process_was_killed() {
    let shared = Shared::new("enforce").await;
    shared.meet_long_ago().await;
    let first = shared.start_active().await;
    let before = shared.in_cooldown(&first).await;
    let second = shared.start_standby().await;
    assert_eq!(second.status("/livez").await, 200);
    assert_eq!(second.status("/readyz").await, 200);
    let health = second.json("/health").await;
    assert_eq!(health["status"], "pass");
    let holder = format!("process {} on", first.pid());
    assert!(health.to_string().contains(&holder), "{health}");
    let page = second.get("/").await.text().await.unwrap();
    assert!(page.contains(&holder), "{page}");
    let asked = shared.portal.asked().len();
    // Both processes show what they know, and the standby asks for nothing.
    let of_first = first.collections(1).await;
    assert!(shared.portal.asked().len() > asked);
    let of_second = second.metrics().await;
    assert_eq!(of_second.all("kb_portal_requests_total", &[]).count(), 0);

    first.kill().await;
    let after = until_active(&second, true).await;
    let failed = |metrics: &Exposition| {
        let own = metrics.folder(shared.folder);
        own.by_status("kb_folder_files")["failed"]
    };
    assert_eq!(failed(&after), failed(&of_first), "shown at once");
    let is_there_again = |metrics: &Exposition, sample: &Sample| {
        let labels = sample.labels.iter();
        let labels: Vec<_> = labels.map(|(name, value)| (&**name, &**value)).collect();
        let shown = metrics.value(&sample.name, &labels);
        assert!(
            shown.is_none_or(|shown| shown >= sample.value),
            "{sample:?}: {shown:?}"
        );
        shown.is_some()
    };
    let counters = [
        "kb_folder_status_entries_total",
        "kb_reindex_attempts_total",
        "kb_reindex_files_recovered_total",
    ];
    second
        .metrics_when("every counter is there again", |metrics| {
            let mut samples = counters.iter().flat_map(|name| before.all(name, &[]));
            samples.all(|sample| is_there_again(metrics, sample))
        })
        .await;
    shared.held(&second, "cooldown").await;
    let metrics = second.collections(3).await;
    assert_eq!(budget_left(&metrics), budget_left(&before));
    assert_eq!(shared.sent(), 1);

    // One that stops gives its lease up: this process would wait an hour for the end of it.
    let mut patient = shared.by(&shared.database.url());
    patient.change(|config| config["state"]["lease"] = "1h".into());
    let third = Exporter::start(&patient).await;
    until_active(&third, false).await;
    second.stop().await;
    until_active(&third, true).await;
}
