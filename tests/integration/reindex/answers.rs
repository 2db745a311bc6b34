//! What the portal answers to an attempt, or fails to.

use futures_util::future::join_all;
use kb_simulator::Status;
use kb_simulator::faults::{BodyFault, Fault, LineFault, RetryAfter, Target};
use uuid::Uuid;

use super::scene::{
    FAILED, Scene, budget_left, decided, fail_for_a_reason, make_old_ledger, rules,
};
use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::server::REINDEX_FAILED;
use crate::support::workspace::Workspace;
use kb_exposition::Exposition;

const KEY: &str = "kbk_demo";

/// Ways to lose the answer after the work was done.
const LOST: [Fault; 5] = [
    Fault::Body(BodyFault::OtherTypes),
    Fault::Line(LineFault::Closed),
    Fault::Line(LineFault::CutBody),
    Fault::Status(500, RetryAfter::Absent),
    Fault::Status(503, RetryAfter::Seconds(1)),
];

#[tokio::test]
async fn an_answer_that_is_lost_after_the_work_was_done_is_unknown_charged_and_not_sent_again() {
    join_all(LOST.map(lost)).await;
}

async fn lost(fault: Fault) {
    let portal = Portal::keyed(KEY).await;
    portal.allow_reindex_failed();
    portal.strike(Target::ReindexFailed, fault.clone());
    let (folder, files) = failed_files(&portal);
    let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
        config["collect"]["schedule"] = "1s".into();
        config["request"]["retries"] = 4.into();
        config["reindex"] = rules("enforce");
    });
    make_old_ledger(&workspace).await;
    let exporter = Exporter::start(&workspace).await;
    let metrics = exporter
        .metrics_when("the attempt is unknown", is_unknown)
        .await;
    assert_eq!(budget_left(&metrics), Some(5_000 - FAILED));
    let counts = portal.world(|world| world.counts(folder)).unwrap();
    assert_eq!(counts.get(&Status::Pending), Some(&FAILED), "{fault:?}");

    portal.faults.clear();
    portal.world(|world| {
        for file in files {
            let set = world.set_status(folder, file, Status::Failed, Some("again"));
            set.unwrap();
        }
    });
    exporter.collected_again().await;
    exporter.kill().await;
    let exporter = Exporter::start(&workspace).await;
    let metrics = exporter.collected_again().await;
    assert!(is_unknown(&metrics), "{fault:?}");
    assert_eq!(budget_left(&metrics), Some(5_000 - FAILED));
    exporter.stop().await;
    assert_eq!(portal.requests_with(REINDEX_FAILED), 1, "{fault:?}");
}

fn failed_files(portal: &Portal) -> (Uuid, Vec<Uuid>) {
    portal.world(|world| {
        let folder = world.add_folder("Inbox");
        let number = usize::try_from(FAILED).unwrap();
        let files = world.add_files(folder, &Status::Failed, number);
        (folder, files.unwrap())
    })
}

fn is_unknown(metrics: &Exposition) -> bool {
    let results = ["accepted", "refused", "unknown"]
        .map(|result| metrics.count("kb_reindex_attempts_total", &[("result", result)]));
    results == [Some(0), Some(0), Some(1)]
}

#[tokio::test]
async fn what_is_charged_and_who_waits_is_shown_while_an_answer_is_awaited() {
    let scene = Scene::new("enforce").await;
    let other = scene.portal.folder("Outbox");
    fail_for_a_reason(&scene.portal, other, "a.pdf");
    let exporter = scene.held_at_the_answer().await;
    let budget = "kb_reindex_budget_remaining_files";
    let metrics = exporter.until_value(budget, &[], 4_999.0).await;
    for (folder, files, held) in [(scene.folder, FAILED, None), (other, 1, Some(1))] {
        let own = metrics.folder(folder);
        let eligible = own.count("kb_reindex_eligible_files", &[]);
        assert_eq!(eligible, Some(files));
        assert_eq!(own.count("kb_reindex_hold", &[]), held);
    }
    scene.portal.heal();
    decided(&exporter, "trigger", "eligible", 2..=2).await;
    scene.sent_in_all(exporter, 2).await;
}

#[tokio::test]
async fn an_answer_may_take_longer_than_those_to_other_requests() {
    let scene = Scene::with("enforce", |config| {
        config["request"]["timeout"] = "1s".into();
    })
    .await;
    let exporter = scene.held_at_the_answer().await;
    // Each takes a second.
    exporter.collections(3).await;
    scene.portal.heal();
    let metrics = scene.attempted(&exporter, "accepted").await;
    assert_eq!(scene.attempts(&metrics, "unknown"), Some(0.0));
}
