//! What is forgotten, and what is not.

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
    let tidy = Tidy {
        at: now(),
        horizon: DAY * 90,
        listed: [inbox()].into(),
    };
    ledger.tidy(tidy).await.unwrap();
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
    let tidy = Tidy {
        at: Timestamp::from_millis(i64::MAX),
        horizon: DAY * 90,
        listed: [inbox()].into(),
    };
    ledger.tidy(tidy).await.unwrap();
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
async fn a_folder_is_forgotten_after_90_days_without_being_listed() {
    let folder = Folder::new();
    let (ledger, _) = reopen(&folder).await;
    let start = now();
    refuse(&ledger, intent(start)).await;
    let later = start.as_millis() + 91 * 24 * 3_600_000;
    let other = Intent {
        folder: uuid::Uuid::from_u128(8).into(),
        ..intent(Timestamp::from_millis(later))
    };
    let stays = other.folder;
    refuse(&ledger, other).await;
    let mut known = Vec::new();
    for (day, listed) in [
        (0, false),
        (80, true),
        (81, false),
        (170, false),
        (171, false),
    ] {
        let mut folders: std::collections::HashSet<_> = [stays].into();
        folders.extend(listed.then(inbox));
        let tidy = Tidy {
            at: Timestamp::from_millis(start.as_millis() + day * 24 * 3_600_000),
            horizon: DAY * 90,
            listed: folders,
        };
        ledger.tidy(tidy).await.unwrap();
        known.push(ledger.view().unwrap().folder(inbox()).is_some());
    }
    assert_eq!(known, [true, true, true, true, false]);
    let view = ledger.view().unwrap();
    assert!(view.folder(stays).is_some());
    assert_eq!(reopen(&folder).await.1, view);
}
