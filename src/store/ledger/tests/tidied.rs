//! What is forgotten, and what is not.

use std::collections::HashSet;

use super::*;

#[tokio::test]
async fn old_attempts_go_and_the_counters_stay() {
    let folder = Folder::new();
    let (ledger, _) = reopen(&folder).await;
    let mut ids = Vec::new();
    // The verdicts of attempts that were made 100, 99, 98 and 0 days ago.
    for (days, verdict) in [
        (100, Verdict::None),
        (99, Verdict::Recovered),
        (98, Verdict::None),
        (0, Verdict::Inconclusive),
    ] {
        let at = now().before(DAY * days);
        let id = intend(&ledger, intent(at)).await.unwrap();
        let outcome = Outcome::Accepted { updated: 2 };
        ledger.settle(id, at, outcome).await.unwrap();
        let review = judged(&[], Some(verdict));
        ledger.review(id, at, review).await.unwrap();
        ids.push(id);
    }
    ledger.tidy(DAY * 90, [inbox()].into()).await.unwrap();
    let view = ledger.view().unwrap();
    let stored: Vec<bool> = ids.iter().map(|id| view.attempt(*id).is_some()).collect();
    assert_eq!(stored, [false, false, false, true], "the newest is stored");
    assert_eq!(view.totals(inbox()).accepted, 4);
    assert_eq!(reopen(&folder).await.1, view);
}

#[tokio::test]
async fn a_clock_that_jumps_forward_forgets_nothing() {
    let folder = Folder::new();
    let (ledger, _) = reopen(&folder).await;
    intend(&ledger, intent(now())).await.unwrap();
    let before = ledger.view().unwrap();
    ledger.tidy(DAY * 90, HashSet::new()).await.unwrap();
    assert_eq!(ledger.view().unwrap(), before);
}

/// An attempt that the portal refuses when it is made.
async fn refuse(ledger: &PortalLedger, intent: Intent) {
    let at = intent.at;
    let id = intend(ledger, intent).await.unwrap();
    let outcome = Outcome::Refused {
        status: 403,
        retry_after: None,
    };
    ledger.settle(id, at, outcome).await.unwrap();
}

#[tokio::test]
async fn a_folder_that_is_not_listed_is_forgotten_90_days_after_its_last_attempt() {
    let folder = Folder::new();
    let (ledger, _) = reopen(&folder).await;
    let (listed, left) = (inbox(), uuid::Uuid::from_u128(8).into());
    let first = now();
    let day = |day: i64| Timestamp::from_millis(first.as_millis() + day * 24 * 3_600_000);
    let into = |folder, at| Intent {
        folder,
        ..intent(at)
    };
    refuse(&ledger, into(listed, day(0))).await;
    refuse(&ledger, into(left, day(1))).await;
    for (today, remains) in [(90, true), (92, false)] {
        let busy = uuid::Uuid::from_u128(9).into();
        refuse(&ledger, into(busy, day(today))).await;
        ledger.tidy(DAY * 90, [listed].into()).await.unwrap();
        let view = ledger.view().unwrap();
        assert_eq!(view.folder(left).is_some(), remains, "day {today}");
        assert!(view.folder(listed).is_some() && view.folder(busy).is_some());
    }
    let view = ledger.view().unwrap();
    assert_eq!(reopen(&folder).await.1, view);
}
