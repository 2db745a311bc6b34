//! A database that lost the end of the log: as after a failover to a copy, or where a backup was restored.

use super::*;
use crate::store::testing::sql;

fn accepted() -> Outcome {
    Outcome::Accepted { updated: 2 }
}

#[tokio::test]
async fn what_a_database_lost_is_added_again_and_limits_are_in_doubt() {
    let folder = Folder::new();
    let path = folder.path().join("ledger.db");
    let (ledger, _) = reopen(&folder).await;
    let kept = intend(&ledger, intent_now()).await.unwrap();
    ledger.settle(kept, now(), accepted()).await.unwrap();
    let review = judged(&[(1, FileState::Done)], Some(Verdict::Partial));
    ledger.review(kept, now(), review).await.unwrap();
    let lost = intend(&ledger, intent_now()).await.unwrap();
    ledger.settle(lost, now(), accepted()).await.unwrap();
    let before = ledger.view().unwrap();
    // The copy has the events up to the outcome of the first attempt, and another process added one.
    sql(&path, "DELETE FROM event WHERE number > 3").await;
    forgive(&state(folder.path()), &portal(), &Forgiven::Clock).unwrap();

    ledger.follow().await.unwrap();
    let after = ledger.view().unwrap();
    for id in [kept, lost] {
        assert_eq!(after.attempt(id), before.attempt(id));
    }
    assert_eq!(after.totals(inbox()), before.totals(inbox()));
    assert_eq!(after.file_attempts(inbox(), key(2)), 2);
    assert!(after.doubted().is_some_and(|at| now().since(at) < DAY));
    assert_eq!(reopen(&folder).await.1, after, "it is on disk");
    ledger.follow().await.unwrap();
    assert_eq!(ledger.view().unwrap(), after, "and is added once");
}

#[tokio::test]
async fn a_log_that_lost_all_before_the_first_attempt_begins_anew() {
    let folder = Folder::new();
    let (ledger, _) = reopen(&folder).await;
    sql(&folder.path().join("ledger.db"), "DELETE FROM event").await;
    ledger.follow().await.unwrap();
    let view = ledger.view().unwrap();
    assert!(view.latest() <= now(), "no clock is waited for");
    assert_eq!(reopen(&folder).await.1, view, "it is on disk");
}

#[tokio::test]
async fn an_attempt_decided_on_a_log_that_was_lost_is_refused() {
    let folder = Folder::new();
    let (ledger, _) = reopen(&folder).await;
    let id = intend(&ledger, intent_now()).await.unwrap();
    let refused = Outcome::Refused {
        status: 404,
        retry_after: None,
    };
    ledger.settle(id, now(), refused).await.unwrap();
    let known = ledger.view().unwrap();
    // The same numbers, other events.
    sql(
        &folder.path().join("ledger.db"),
        "UPDATE event SET token = 7",
    )
    .await;
    let again = ledger.intend(intent_now(), &known).await;
    assert!(
        matches!(again, Err(LedgerError::Misfit(Misfit::Changed))),
        "{again:?}"
    );
}

#[tokio::test]
async fn a_log_that_another_process_compacted_lost_nothing() {
    let folder = Folder::new();
    let (ledger, _) = reopen(&folder).await;
    let (other, _) = reopen(&folder).await;
    let id = intend(&ledger, intent_now()).await.unwrap();
    ledger.settle(id, now(), accepted()).await.unwrap();
    other.follow().await.unwrap();
    let review = judged(&[(1, FileState::Done)], Some(Verdict::Partial));
    ledger.review(id, now(), review).await.unwrap();
    ledger.tidy(DAY, [].into()).await.unwrap();
    let events = history(&state(folder.path())).unwrap().len();
    assert_eq!(events, 1);
    other.follow().await.unwrap();
    assert_eq!(other.view().unwrap(), ledger.view().unwrap());
    assert_eq!(other.view().unwrap().doubted(), None);
}

#[tokio::test]
async fn a_ledger_that_was_deleted_or_restored_while_nothing_ran_forgets_no_attempt() {
    for is_deleted in [true, false] {
        let folder = Folder::new();
        let path = folder.path().join("ledger.db");
        let ledger = folder.open();
        let main = ledger.portal(&portal());
        main.follow().await.unwrap();
        let first = intend(&main, intent_now()).await.unwrap();
        main.settle(first, now(), accepted()).await.unwrap();
        let review = judged(&[], Some(Verdict::None));
        main.review(first, now(), review).await.unwrap();
        let second = intend(&main, intent_now()).await.unwrap();
        main.settle(second, now(), accepted()).await.unwrap();
        ledger.close().await;
        if is_deleted {
            fs::remove_file(&path).unwrap();
        } else {
            sql(&path, "DELETE FROM event WHERE number > 2").await;
        }

        let (again, view) = reopen(&folder).await;
        let charged = |id| view.attempt(id).map(|attempt| attempt.charge());
        assert_eq!((charged(first), charged(second)), (Some(2), Some(2)));
        assert_eq!(view.file_attempts(inbox(), key(1)), 2);
        assert!(view.doubted().is_some());
        let outcome = view.attempt(second).unwrap().outcome.unwrap().1;
        assert_eq!(outcome, accepted(), "its answer is known");
        let refused = intend(&again, intent_now()).await;
        assert!(matches!(
            refused,
            Err(LedgerError::Misfit(Misfit::Unjudged(_)))
        ));
        assert_eq!(reopen(&folder).await.1, view, "and is added once");
    }
}

#[tokio::test]
async fn an_attempt_of_a_wrong_clock_that_was_forgotten_is_not_lost() {
    let folder = Folder::new();
    let (ledger, _) = reopen(&folder).await;
    let ahead = |days: i64| now().moved(days * 24 * 3_600_000);
    let first = intend(&ledger, intent(ahead(1))).await.unwrap();
    ledger
        .settle(first, ahead(1), Outcome::NotSent)
        .await
        .unwrap();
    let second = intend(&ledger, intent(ahead(2))).await.unwrap();
    forgive(&state(folder.path()), &portal(), &Forgiven::Clock).unwrap();
    ledger.follow().await.unwrap();
    ledger
        .settle(second, ahead(3), Outcome::NotSent)
        .await
        .unwrap();
    ledger.tidy(DAY, [inbox()].into()).await.unwrap();
    assert_eq!(ledger.view().unwrap().attempt(first), None);

    let (_, view) = reopen(&folder).await;
    assert_eq!(view.attempt(first), None);
    assert_eq!(view.doubted(), None);
}
