//! One process reads a portal; the others wait.

use super::*;
use crate::attempts::{Forgiven, Misfit};
use crate::config::State;
use crate::model::{Lost, Outcome};
use crate::store::error::LedgerError;
use crate::store::{Standing, forgive};

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
    assert!(matches!(refused, LedgerError::Store(StoreError::NoLease)));
    assert!(ledger.lease().is_over() && !ledger.may_act());
    ledger.lease().over().await;
    let attempts = numbers(ledger.lease(), "SELECT id AS n FROM attempt").await;
    assert!(attempts.is_empty());
}

#[tokio::test]
async fn what_a_database_lost_is_written_back_and_held_for_a_cooldown() {
    let path = tempfile::tempdir().unwrap();
    let ledger = ledger(&store(path.path()).await).await;
    let everything = Forgiven::Everything;
    forgive(
        &State::Path(path.path().to_owned()),
        &address(),
        Some(&everything),
    )
    .unwrap();
    assert_eq!(ledger.follow().await.unwrap(), ["everything"]);
    assert_eq!(ledger.book().unwrap().doubted(), None);
    let [one, two] = [intend(&ledger, 1, 3).await, intend(&ledger, 2, 1).await];
    let outcome = Outcome::Accepted { updated: 3 };
    ledger.settle(one, NOON, outcome).await.unwrap();
    let before = ledger.book().unwrap();
    // An older copy: the second attempt is not there, the first has no outcome, and files were sent less often.
    for lost in [
        "UPDATE lease SET beat = beat - 3",
        "DELETE FROM attempt WHERE folder <> '00000000-0000-0000-0000-000000000001'",
        "UPDATE attempt SET outcome = NULL, answered = NULL",
        "DELETE FROM tried",
        "DELETE FROM total",
    ] {
        execute(ledger.lease(), lost).await;
    }
    let refused = ledger.intend(intent(3, 1), &before).await.unwrap_err();
    assert!(matches!(
        refused,
        LedgerError::Store(StoreError::LostWrites)
    ));
    assert_eq!(ledger.lease().losses(), 1);
    let stale = ledger.intend(intent(3, 1), &before).await.unwrap_err();
    assert!(matches!(stale, LedgerError::Misfit(Misfit::Changed)));
    ledger.follow().await.unwrap();
    let after = ledger.book().unwrap();
    assert!(after.doubted().is_some());
    assert_eq!(after.track().iter().count(), 2);
    assert_eq!(
        after.attempt(one).unwrap().outcome,
        before.attempt(one).unwrap().outcome
    );
    assert!(after.attempt(two).unwrap().is_unjudged());
    assert_eq!(after.totals(folder(1)), before.totals(folder(1)));
    assert_eq!(after.file_attempts(folder(1), key(3)), 1);
    assert_eq!(
        numbers(ledger.lease(), "SELECT epoch AS n FROM lease").await,
        [2]
    );
}

#[tokio::test]
async fn tables_that_vanished_are_made_again_and_written_back() {
    let path = tempfile::tempdir().unwrap();
    let store = store(path.path()).await;
    let ledger = ledger(&store).await;
    let id = intend(&ledger, 1, 3).await;
    store.close().await;
    std::fs::remove_file(path.path().join("state.db")).unwrap();
    ledger.follow().await.unwrap();
    assert!(ledger.book().unwrap().attempt(id).is_some());
    assert_eq!(
        numbers(ledger.lease(), "SELECT id AS n FROM attempt").await,
        [id.get()]
    );
}

#[tokio::test]
async fn whoever_takes_over_ends_attempts_without_an_answer_as_unknown() {
    let path = tempfile::tempdir().unwrap();
    let id = {
        let store = store(path.path()).await;
        let ledger = ledger(&store).await;
        let id = intend(&ledger, 1, 3).await;
        store.close().await;
        id
    };
    let store = store(path.path()).await;
    let ledger = ledger(&store).await;
    let book = ledger.book().unwrap();
    let outcome = book.attempt(id).unwrap().outcome.unwrap().1;
    let why = Lost::Interrupted;
    assert_eq!(outcome, Outcome::Unknown { why });
    assert_eq!(book.totals(folder(1)).unknown, 1);
    assert_eq!(book.file_attempts(folder(1), key(1)), 1);
    let stored = texts(ledger.lease(), "SELECT outcome AS n FROM attempt").await;
    assert!(stored[0].contains("interrupted"));
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
    execute(ledger.lease(), "UPDATE attempt SET is_open = 0").await;
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
    assert!(matches!(second, LedgerError::Misfit(Misfit::Unjudged(_))));
    let copy = "INSERT INTO attempt SELECT portal, id + 1, entry, folder, name, is_trial, intended, files, outcome, answered,
                verdict, judged, results, is_open FROM attempt";
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
    assert!(matches!(refused, LedgerError::Misfit(Misfit::Changed)));
    assert_eq!(ledger.book().unwrap().track().iter().count(), 1);
}

#[tokio::test]
async fn entries_with_one_address_share_a_lease_and_the_last_gives_it_up() {
    let path = tempfile::tempdir().unwrap();
    let store = store(path.path()).await;
    let [one, other] = [ledger(&store).await, ledger(&store).await];
    intend(&one, 1, 1).await;
    assert_eq!(other.book().unwrap().track().iter().count(), 1);
    let holder = "SELECT holder AS n FROM lease";
    store.leave(one).await.unwrap();
    assert!(!other.lease().is_over());
    assert_ne!(texts(other.lease(), holder).await, [""]);
    let lease = other.lease().clone();
    store.leave(other).await.unwrap();
    assert!(lease.is_over());
    assert_eq!(texts(&lease, holder).await, [""]);
}

#[tokio::test]
async fn a_folder_that_is_in_use_is_waited_for_and_says_by_whom() {
    let path = tempfile::tempdir().unwrap();
    let first = store(path.path()).await;
    let ledger = ledger(&first).await;
    let second = store(path.path()).await;
    let (said, mut saying) = tokio::sync::mpsc::unbounded_channel();
    let portal = address();
    let waiting = second.acquire(&portal, |standing| said.send(standing).unwrap());
    let waiting = tokio::spawn({
        let second = second.clone();
        drop(waiting);
        let said = said.clone();
        async move {
            second
                .acquire(&address(), |it| said.send(it).unwrap())
                .await
        }
    });
    let Some(Standing::Standby(holder)) = saying.recv().await else {
        panic!("it does not wait")
    };
    assert!(holder.contains(&format!("process {}", std::process::id())));
    first.leave(ledger).await.unwrap();
    drop(first);
    let ledger = waiting.await.unwrap();
    assert!(ledger.may_act());
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

#[tokio::test]
async fn times_of_a_clock_that_was_ahead_end_at_the_time_of_forgiving() {
    let path = tempfile::tempdir().unwrap();
    let state = State::Path(path.path().to_owned());
    let store = store(path.path()).await;
    let ledger = ledger(&store).await;
    intend(&ledger, 1, 1).await;
    execute(
        ledger.lease(),
        "UPDATE attempt SET intended = intended + 500000000000",
    )
    .await;
    store.leave(ledger).await.unwrap();
    let ledger = super::ledger(&store).await;
    assert!(ledger.book().unwrap().latest() > Some(ledger.now()));
    forgive(&state, &address(), None).unwrap();
    assert_eq!(ledger.follow().await.unwrap(), ["clock"]);
    assert!(ledger.book().unwrap().latest() <= Some(ledger.now()));
    // It is applied once.
    assert_eq!(ledger.follow().await.unwrap(), [""; 0]);
    store.leave(ledger).await.unwrap();
    let ledger = super::ledger(&store).await;
    assert!(ledger.book().unwrap().latest() <= Some(ledger.now()));
}

#[tokio::test]
async fn what_is_forgiven_while_the_service_runs_holds_for_earlier_attempts_alone() {
    let path = tempfile::tempdir().unwrap();
    let state = State::Path(path.path().to_owned());
    let ledger = ledger(&store(path.path()).await).await;
    let id = intend(&ledger, 1, 2).await;
    let accepted = Outcome::Accepted { updated: 2 };
    ledger.settle(id, NOON, accepted).await.unwrap();
    let what = Forgiven::Folder(folder(1));
    forgive(&state, &address(), Some(&what)).unwrap();
    let newest = || {
        let book = ledger.book().unwrap();
        let newest = book.track().of_folder(folder(1)).next();
        newest.map(|attempt| attempt.id)
    };
    assert_eq!(newest(), Some(id), "not read yet");
    assert_eq!(ledger.follow().await.unwrap(), [what.to_string()]);
    assert_eq!(newest(), None);
    assert_eq!(ledger.book().unwrap().file_attempts(folder(1), key(1)), 0);
    let review = crate::attempts::Review {
        changed: Vec::new(),
        verdict: Some(crate::attempts::Verdict::None),
    };
    ledger.review(id, NOON, review).await.unwrap();
    let later = intend(&ledger, 1, 2).await;
    assert_eq!(newest(), Some(later));
    assert_eq!(ledger.book().unwrap().file_attempts(folder(1), key(1)), 1);
}
