//! One process reads a portal; the others wait.

use super::*;
use crate::attempts::Misfit;
use crate::model::Outcome;
use crate::store::Standing;

const BEAT: &str = "SELECT beat AS n FROM lease";

#[tokio::test]
async fn every_write_of_the_holder_beats_its_lease() {
    let path = tempfile::tempdir().unwrap();
    let ledger = ledger(&store(path.path()).await).await;
    let mut before = numbers(ledger.lease(), BEAT).await[0];
    let id = intend(&ledger, 1, 2).await;
    let outcome = Outcome::Accepted { updated: 2 };
    for write in ["intend", "settle", "renew", "follow"] {
        match write {
            "settle" => ledger.settle(id, NOON, outcome).await.unwrap(),
            "renew" => ledger.renew(folder(1), vec![key(1)]).await.unwrap(),
            "follow" => drop(ledger.follow().await.unwrap()),
            _ => {}
        }
        let beat = numbers(ledger.lease(), BEAT).await[0];
        assert_eq!(beat, before + 1, "{write}");
        before = beat;
    }
}

#[tokio::test]
async fn who_lost_its_lease_writes_nothing_and_ends() {
    let path = tempfile::tempdir().unwrap();
    let ledger = ledger(&store(path.path()).await).await;
    let book = ledger.book().unwrap();
    execute(
        ledger.lease(),
        "UPDATE lease SET epoch = epoch + 1, holder = 'another'",
    )
    .await;
    let refused = ledger.intend(intent(1, 1), &book).await.unwrap_err();
    assert!(matches!(refused, StoreError::NoLease));
    assert!(ledger.lease().is_over() && !ledger.may_act());
    ledger.lease().over().await;
    let attempts = numbers(ledger.lease(), "SELECT id AS n FROM attempt").await;
    assert!(attempts.is_empty());
}

#[tokio::test]
async fn an_outcome_is_written_once_and_a_review_only_before_the_verdict() {
    let path = tempfile::tempdir().unwrap();
    let ledger = ledger(&store(path.path()).await).await;
    let id = intend(&ledger, 1, 1).await;
    let accepted = Outcome::Accepted { updated: 1 };
    // What another hand wrote is not replaced.
    execute(
        ledger.lease(),
        "UPDATE attempt SET outcome = '\"not_sent\"', answered = 1",
    )
    .await;
    assert!(ledger.settle(id, NOON, accepted).await.is_err());
    let outcome = "SELECT outcome AS n FROM attempt";
    assert_eq!(texts(ledger.lease(), outcome).await, ["\"not_sent\""]);
    execute(
        ledger.lease(),
        "UPDATE attempt SET outcome = NULL, answered = NULL",
    )
    .await;
    ledger.settle(id, NOON, accepted).await.unwrap();
    execute(ledger.lease(), "UPDATE attempt SET watched = NULL").await;
    let review = crate::attempts::Review {
        changed: vec![(key(1), crate::attempts::FileState::Done)],
        verdict: None,
    };
    assert!(ledger.review(id, NOON, review).await.is_err());
    assert_eq!(ledger.book().unwrap().totals(folder(1)).files_recovered, 0);
}

#[tokio::test]
async fn a_second_open_attempt_in_a_folder_is_refused_by_the_database_too() {
    let path = tempfile::tempdir().unwrap();
    let ledger = ledger(&store(path.path()).await).await;
    intend(&ledger, 1, 1).await;
    let book = ledger.book().unwrap();
    let second = ledger.intend(intent(1, 1), &book).await.unwrap_err();
    assert!(matches!(second, StoreError::Misfit(Misfit::Unjudged(_))));
    let copy = "INSERT INTO attempt SELECT portal, id + 1, entry, folder, name, is_trial, intended, files, outcome, answered,
                verdict, judged, results, watched FROM attempt";
    let refused = sql(ledger.lease(), copy, |_| Ok(())).await.unwrap_err();
    assert!(refused.to_string().contains("UNIQUE"), "{refused}");
}

#[tokio::test]
async fn an_attempt_that_was_decided_on_something_older_is_refused() {
    let path = tempfile::tempdir().unwrap();
    let ledger = ledger(&store(path.path()).await).await;
    let before = ledger.book().unwrap();
    intend(&ledger, 1, 1).await;
    let refused = ledger.intend(intent(2, 1), &before).await.unwrap_err();
    assert!(matches!(refused, StoreError::Misfit(Misfit::Changed)));
    assert_eq!(ledger.book().unwrap().track().iter().count(), 1);
}

#[tokio::test]
async fn a_process_whose_folder_was_removed_waits_for_the_one_that_made_it_anew() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("state");
    let first = store(&path).await;
    let lost = ledger(&first).await;
    std::fs::remove_dir_all(&path).unwrap();
    let second = store(&path).await;
    let taken = ledger(&second).await;
    assert!(first.leave(lost).await.is_err(), "there is none to give up");
    let (said, mut saying) = tokio::sync::mpsc::unbounded_channel();
    let portal = address();
    tokio::select! {
        _ = first.acquire(&portal, |standing| said.send(standing).unwrap()) => panic!("both have it"),
        said = saying.recv() => assert!(matches!(said, Some(Standing::Standby(_)))),
    }
    assert!(taken.may_act());
}
