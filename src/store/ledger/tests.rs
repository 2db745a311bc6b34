//! The ledger on a real disk: what was written is read again, and nothing is ever written over.

mod classes;
mod forgiven;
mod portals;
mod random;
mod restored;
mod tidied;
mod unusable;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::attempts::{
    AttemptId, Event, FileState, Forgiven, Intent, LedgerView, Misfit, Review, SentFile, Verdict,
};
use crate::classify::Class;
use crate::clock::Moment;
use crate::config::State;
use crate::model::{FileKey, FolderId, FolderName, Lost, Outcome, PortalName, Timestamp};
use crate::store::error::StoreError;
use crate::store::place::StateFolder;

const DAY: Duration = Duration::from_hours(24);

fn now() -> Timestamp {
    Moment::now().wall
}

fn name() -> PortalName {
    PortalName::new("main").unwrap()
}

fn portal() -> PortalAddress {
    PortalAddress::from("https://portal.example/admin")
}

fn inbox() -> FolderId {
    uuid::Uuid::from_u128(7).into()
}

fn key(number: u128) -> FileKey {
    FileKey {
        link: number,
        id: u128::MAX - number,
    }
}

/// Files with an error of one class.
fn intended(files: &[u128]) -> Vec<(FileKey, SentFile)> {
    let class = Class::Text("timeout".into());
    let file = |number: &u128| (key(*number), SentFile::new(class.clone()));
    files.iter().map(file).collect()
}

fn intent(at: Timestamp) -> Intent {
    Intent {
        name: FolderName::new("In\nbox"),
        ..Intent::new(name(), inbox(), at, intended(&[1, 2]))
    }
}

fn intent_now() -> Intent {
    intent(now())
}

fn state(folder: &Path) -> State {
    State::Path(folder.to_owned())
}

/// A state folder that this process has for the whole test, however often it opens the ledger.
struct Folder {
    files: tempfile::TempDir,
    state: StateFolder,
}

impl Folder {
    fn new() -> Self {
        let files = tempfile::tempdir().unwrap();
        Self {
            state: StateFolder::new(files.path()),
            files,
        }
    }

    fn path(&self) -> &Path {
        self.files.path()
    }

    fn open(&self) -> Ledger {
        Ledger::in_folder(Place::Folder(self.state.clone()))
    }
}

async fn reopen(folder: &Folder) -> (PortalLedger, Arc<LedgerView>) {
    let ledger = folder.open().portal(&portal());
    ledger.follow().await.unwrap();
    let view = ledger.view().unwrap();
    (ledger, view)
}

/// Makes an attempt that was decided on from what is known now.
async fn intend(ledger: &PortalLedger, intent: Intent) -> Result<AttemptId, LedgerError> {
    let known = ledger.view()?;
    ledger.intend(intent, &known).await
}

fn judged(changed: &[(u128, FileState)], verdict: Option<Verdict>) -> Review {
    Review {
        changed: changed
            .iter()
            .map(|(file, state)| (key(*file), *state))
            .collect(),
        verdict,
    }
}

#[tokio::test]
async fn a_crash_between_the_intent_and_the_answer_leaves_it_unknown_and_charged() {
    let folder = Folder::new();
    let (ledger, _) = reopen(&folder).await;
    let id = intend(&ledger, intent_now()).await.unwrap();
    let (again, view) = reopen(&folder).await;
    let attempt = view.attempt(id).unwrap();
    let why = Lost::Interrupted;
    assert_eq!(attempt.outcome.unwrap().1, Outcome::Unknown { why });
    assert_eq!((attempt.charge(), attempt.is_unjudged()), (2, true));
    assert_eq!(view.totals(inbox()).unknown, 1);
    assert_eq!(view.file_attempts(inbox(), key(1)), 1);
    let late = again
        .settle(id, now(), Outcome::Accepted { updated: 2 })
        .await;
    assert!(matches!(
        late,
        Err(LedgerError::Misfit(Misfit::WrongCourse(_)))
    ));
    assert_eq!(reopen(&folder).await.1, view, "and is counted once");
}

#[tokio::test]
async fn of_two_who_ask_at_once_for_one_folder_only_one_may_send() {
    let folder = Folder::new();
    let ledger = folder.open();
    let (one, other) = (ledger.portal(&portal()), ledger.portal(&portal()));
    one.follow().await.unwrap();
    let known = one.view().unwrap();
    let (first, second) = tokio::join!(
        one.intend(intent_now(), &known),
        other.intend(intent_now(), &known)
    );
    let Err(LedgerError::Misfit(Misfit::Changed)) = first.clone().and(second.clone()) else {
        panic!("{first:?}, {second:?}");
    };
    let sent = first.or(second).unwrap();
    let decided_on = one.view().unwrap();
    assert!(other.intend(intent_now(), &known).await.is_err());
    let now_known = one.view().unwrap();
    assert!(
        Arc::ptr_eq(&decided_on, &now_known),
        "a refused intent puts no other decision out of date"
    );
    let again = intend(&other, intent_now()).await;
    assert!(
        matches!(again, Err(LedgerError::Misfit(Misfit::Unjudged(id))) if id == sent),
        "decided anew: {again:?}"
    );
    let view = one.view().unwrap();
    assert_eq!(view.track().iter().count(), 1);
    assert_eq!(view.file_attempts(inbox(), key(1)), 1, "charged once");

    let accepted = Outcome::Accepted { updated: 2 };
    one.settle(sent, now(), accepted).await.unwrap();
    assert!(
        intend(&other, intent_now()).await.is_err(),
        "still unjudged"
    );
    let review = judged(&[], Some(Verdict::None));
    one.review(sent, now(), review).await.unwrap();
    intend(&other, intent_now()).await.unwrap();
}

#[tokio::test]
async fn a_caller_that_gave_up_says_so_without_a_restart() {
    let folder = Folder::new();
    let (ledger, _) = reopen(&folder).await;
    let first = intend(&ledger, intent_now()).await.unwrap();
    ledger.interrupt(now()).await.unwrap();
    let view = ledger.view().unwrap();
    let outcome = view.attempt(first).unwrap().outcome.unwrap().1;
    assert_eq!(outcome.as_str(), "unknown");
    assert_eq!(reopen(&folder).await.1, view);
}

#[tokio::test]
async fn files_get_their_attempts_back_when_nothing_was_queued_or_nothing_is_known() {
    let folder = Folder::new();
    let (ledger, _) = reopen(&folder).await;
    let tries = || {
        let view = ledger.view().unwrap();
        (
            view.file_attempts(inbox(), key(1)),
            view.file_attempts(inbox(), key(2)),
        )
    };
    let accepted = Outcome::Accepted { updated: 2 };
    let refused = Outcome::Refused {
        status: 404,
        retry_after: None,
    };
    let id = intend(&ledger, intent_now()).await.unwrap();
    assert_eq!(tries(), (1, 1));
    ledger.settle(id, now(), refused).await.unwrap();
    assert_eq!(tries(), (0, 0), "refused");

    for (verdict, left) in [(Verdict::None, (1, 1)), (Verdict::Inconclusive, (1, 1))] {
        let id = intend(&ledger, intent_now()).await.unwrap();
        ledger.settle(id, now(), accepted).await.unwrap();
        let review = judged(&[], Some(verdict));
        ledger.review(id, now(), review).await.unwrap();
        assert_eq!(tries(), left, "{verdict:?}");
    }
    ledger.renew(inbox(), vec![key(1), key(9)]).await.unwrap();
    assert_eq!(tries(), (0, 1), "seen done");
    assert_eq!(reopen(&folder).await.1, ledger.view().unwrap());
}

#[tokio::test]
async fn portals_do_not_share_what_is_known() {
    let folder = Folder::new();
    let ledger = folder.open();
    let (main, other) = (
        ledger.portal(&portal()),
        ledger.portal(&PortalAddress::from("https://other.example")),
    );
    for portal in [&main, &other] {
        portal.follow().await.unwrap();
    }
    let at = now();
    let first = intend(&main, intent(at)).await.unwrap();
    let second = intend(&other, intent(at.moved(1))).await.unwrap();
    assert!(first < second);
    assert!(other.view().unwrap().attempt(first).is_none());
    let history = history(&state(folder.path())).unwrap();
    let ids: Vec<_> = history.iter().map(|entry| entry.attempt.id).collect();
    assert_eq!(ids, [second, first]);
    assert_eq!(history[1].attempt.portal, name());
    assert_eq!(history[1].name, FolderName::new("In\nbox"));
}

#[tokio::test]
async fn a_change_is_made_also_when_nobody_waits_for_it_any_more() {
    let folder = Folder::new();
    let (ledger, _) = reopen(&folder).await;
    let mut given_up = Box::pin(intend(&ledger, intent_now()));
    let _ = futures_util::poll!(&mut given_up);
    drop(given_up);
    ledger.renew(inbox(), vec![]).await.unwrap();
    let view = ledger.view().unwrap();
    assert_eq!(view.track().unjudged().count(), 1);
}
