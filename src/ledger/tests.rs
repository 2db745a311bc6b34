//! The ledger on a real disk: what was written is read again, and nothing is ever written over.

mod forgiven;
mod portals;
mod random;

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::classify::Class;
use crate::model::{FileKey, FolderId, FolderName, Timestamp};

const DAY: Duration = Duration::from_hours(24);

fn now() -> Timestamp {
    std::time::SystemTime::now().into()
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
fn intended(files: &[u128]) -> Vec<IntendedFile> {
    let class = Class::Text("timeout".into());
    let file = |number: &u128| IntendedFile::new(key(*number), class.clone());
    files.iter().map(file).collect()
}

fn intent(mode: ActiveMode, at: Timestamp) -> Intent {
    Intent {
        name: FolderName::new("In\nbox"),
        ..Intent::new(name(), inbox(), mode, at, intended(&[1, 2]))
    }
}

fn enforce() -> Intent {
    intent(ActiveMode::Enforce, now())
}

fn reopen(folder: &Path) -> (PortalLedger, Arc<LedgerView>) {
    let (ledger, error) = Ledger::open(folder, Addresses::default());
    assert!(error.is_none(), "{error:?}");
    let ledger = ledger.portal(&portal());
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
async fn what_was_written_is_read_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, _) = reopen(folder.path());
    intend(&ledger, intent(ActiveMode::DryRun, now()))
        .await
        .unwrap();
    let refused = intend(&ledger, enforce()).await.unwrap();
    let answer = Outcome::Refused {
        status: 403,
        retry_after: Some(Duration::from_secs(90)),
    };
    ledger.settle(refused, now(), answer).await.unwrap();
    let over = intend(&ledger, enforce()).await.unwrap();
    let answer = Outcome::Accepted { updated: 9 };
    ledger.settle(over, now(), answer).await.unwrap();
    let review = judged(
        &[(1, FileState::Done), (2, FileState::Refailed)],
        Some(Verdict::Partial),
    );
    ledger.review(over, now(), review).await.unwrap();
    let watched = intend(&ledger, enforce()).await.unwrap();
    let why = Lost::Status(502);
    let answer = Outcome::Unknown { why };
    ledger.settle(watched, now(), answer).await.unwrap();
    let review = judged(&[(2, FileState::Waiting)], None);
    ledger.review(watched, now(), review).await.unwrap();

    let (_, view) = reopen(folder.path());
    assert_eq!(view, ledger.view().unwrap());
    let totals = view.totals(inbox());
    assert_eq!((totals.accepted, totals.refused, totals.unknown), (1, 1, 1));
    assert_eq!((totals.requeued, totals.partial), (9, 1));
    assert_eq!((totals.files_recovered, totals.files_refailed), (1, 1));
    assert_eq!(
        (
            view.file_attempts(inbox(), key(1)),
            view.file_attempts(inbox(), key(2))
        ),
        (1, 2)
    );
}

#[tokio::test]
async fn what_became_of_each_class_is_known_also_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, _) = reopen(folder.path());
    let files = [("timeout", 1), ("timeout", 2), ("password", 3)];
    let file = |(class, number): (&str, u128)| IntendedFile {
        name: Some("a.pdf".into()),
        ..IntendedFile::new(key(number), Class::Text(class.into()))
    };
    let intent = Intent {
        files: files.map(file).to_vec(),
        ..enforce()
    };
    let id = intend(&ledger, intent).await.unwrap();
    let fates = |view: &LedgerView| {
        let attempt = view.attempt(id).unwrap();
        let fates = attempt.classes.iter();
        let numbers = fates.map(|fate| {
            let class = fate.class.to_string();
            (class, fate.sent, fate.recovered, fate.refailed)
        });
        numbers.collect::<Vec<_>>()
    };
    let row =
        |class: &str, sent, recovered, refailed| (class.to_owned(), sent, recovered, refailed);
    let before = [row("password", 1, 0, 0), row("timeout", 2, 0, 0)];
    assert_eq!(fates(&ledger.view().unwrap()), before);
    let accepted = Outcome::Accepted { updated: 3 };
    ledger.settle(id, now(), accepted).await.unwrap();
    let review = judged(&[(1, FileState::Done), (3, FileState::Refailed)], None);
    ledger.review(id, now(), review).await.unwrap();
    let after = [row("password", 1, 0, 1), row("timeout", 2, 1, 0)];
    let (again, view) = reopen(folder.path());
    assert_eq!(view, ledger.view().unwrap(), "also before the verdict");
    assert_eq!(fates(&view), after);
    let review = judged(&[(2, FileState::Done)], Some(Verdict::Partial));
    again.review(id, now(), review).await.unwrap();
    let (_, view) = reopen(folder.path());
    assert_eq!(view, again.view().unwrap());
    assert_eq!(
        fates(&view),
        [row("password", 1, 0, 1), row("timeout", 2, 2, 0)]
    );
    let totals = |class: &str| view.classes()[&Class::Text(class.into())];
    assert_eq!(
        (totals("timeout").recovered, totals("timeout").refailed),
        (2, 0)
    );
    assert_eq!(
        (totals("password").recovered, totals("password").refailed),
        (0, 1)
    );
}

#[tokio::test]
async fn a_class_has_a_place_when_there_is_room_as_it_is_sent_and_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, _) = reopen(folder.path());
    let send = async |classes: &[&str], max_classes| {
        let files = (1..).zip(classes);
        let intent = Intent {
            files: files
                .map(|(number, class)| IntendedFile::new(key(number), Class::of(Some(class))))
                .collect(),
            max_classes,
            ..enforce()
        };
        let id = intend(&ledger, intent).await.unwrap();
        let updated = classes.len() as u64;
        let outcome = Outcome::Accepted { updated };
        ledger.settle(id, now(), outcome).await.unwrap();
        let done: Vec<_> = (1..=u128::from(updated))
            .map(|number| (number, FileState::Done))
            .collect();
        let review = judged(&done, Some(Verdict::Recovered));
        ledger.review(id, now(), review).await.unwrap();
    };
    let counted = || {
        let view = reopen(folder.path()).1;
        let totals = view.classes().iter();
        let totals = totals.map(|(class, totals)| (class.to_string(), totals.recovered));
        totals.collect::<Vec<_>>()
    };
    let is = |counts: &[(&str, u64)]| {
        let counts = counts
            .iter()
            .map(|(class, files)| ((*class).to_owned(), *files));
        counts.collect::<Vec<_>>()
    };
    send(&["timeout", "password"], 1).await;
    assert_eq!(counted(), is(&[("password", 1), ("other", 1)]));
    send(&["timeout", "network"], 2).await;
    assert_eq!(
        counted(),
        is(&[("network", 1), ("password", 1), ("other", 2)])
    );
    send(&["password", "network", "timeout"], 1).await;
    assert_eq!(
        counted(),
        is(&[("network", 2), ("password", 2), ("other", 3)])
    );
    let many: Vec<_> = (b'a'..=b'z')
        .chain(b'A'..=b'Z')
        .map(|letter| format!("broken {}", letter as char))
        .collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    send(&many, 1_000).await;
    assert_eq!(counted().len(), 51, "the ledger's own bound, and other");
}

#[tokio::test]
async fn no_more_files_come_back_or_fail_again_than_the_portal_took() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, _) = reopen(folder.path());
    let intent = Intent {
        files: intended(&[1, 2, 3, 4]),
        ..enforce()
    };
    let id = intend(&ledger, intent).await.unwrap();
    let accepted = Outcome::Accepted { updated: 2 };
    ledger.settle(id, now(), accepted).await.unwrap();
    for (file, state) in [
        (1, FileState::Done),
        (2, FileState::Refailed),
        (3, FileState::Refailed),
        (4, FileState::Done),
    ] {
        let review = judged(&[(file, state)], None);
        ledger.review(id, now(), review).await.unwrap();
    }
    let view = ledger.view().unwrap();
    let totals = view.totals(inbox());
    assert_eq!((totals.files_recovered, totals.files_refailed), (1, 1));
    let states = view.attempt(id).unwrap().file_states();
    assert_eq!(
        states.of(FileState::Gone),
        2,
        "they were not among the files"
    );
}

#[tokio::test]
async fn a_crash_between_the_intent_and_the_answer_leaves_it_unknown_and_charged() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, _) = reopen(folder.path());
    let id = intend(&ledger, enforce()).await.unwrap();
    let (again, view) = reopen(folder.path());
    let attempt = view.attempt(id).unwrap();
    let why = Lost::Interrupted;
    assert_eq!(attempt.outcome().unwrap().1, Outcome::Unknown { why });
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
    assert_eq!(reopen(folder.path()).1, view, "and is counted once");
}

#[tokio::test]
async fn of_two_who_ask_at_once_for_one_folder_only_one_may_send() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, _) = Ledger::open(folder.path(), Addresses::default());
    let (one, other) = (ledger.portal(&portal()), ledger.portal(&portal()));
    let known = one.view().unwrap();
    let (first, second) = tokio::join!(
        one.intend(enforce(), &known),
        other.intend(enforce(), &known)
    );
    let Err(LedgerError::Misfit(Misfit::Changed)) = first.clone().and(second.clone()) else {
        panic!("{first:?}, {second:?}");
    };
    let sent = first.or(second).unwrap();
    let decided_on = one.view().unwrap();
    assert!(other.intend(enforce(), &known).await.is_err());
    let now_known = one.view().unwrap();
    assert!(
        Arc::ptr_eq(&decided_on, &now_known),
        "a refused intent puts no other decision out of date"
    );
    let again = intend(&other, enforce()).await;
    assert!(
        matches!(again, Err(LedgerError::Misfit(Misfit::Unjudged(id))) if id == sent),
        "decided anew: {again:?}"
    );
    let view = one.view().unwrap();
    assert_eq!(view.track(ActiveMode::Enforce).iter().count(), 1);
    assert_eq!(view.file_attempts(inbox(), key(1)), 1, "charged once");

    let rehearsed = intent(ActiveMode::DryRun, now());
    for _ in 0..2 {
        intend(&one, rehearsed.clone()).await.unwrap();
    }
    let accepted = Outcome::Accepted { updated: 2 };
    one.settle(sent, now(), accepted).await.unwrap();
    assert!(intend(&other, enforce()).await.is_err(), "still unjudged");
    let review = judged(&[], Some(Verdict::None));
    one.review(sent, now(), review).await.unwrap();
    intend(&other, enforce()).await.unwrap();
}

#[tokio::test]
async fn a_caller_that_gave_up_says_so_without_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, _) = reopen(folder.path());
    let first = intend(&ledger, enforce()).await.unwrap();
    ledger.interrupt(now()).await.unwrap();
    let view = ledger.view().unwrap();
    let outcome = view.attempt(first).unwrap().outcome().unwrap().1;
    assert_eq!(outcome.as_str(), "unknown");
    assert_eq!(reopen(folder.path()).1, view);
}

#[tokio::test]
async fn files_get_their_attempts_back_when_nothing_was_queued_or_can_be_told() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, _) = reopen(folder.path());
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
    let id = intend(&ledger, enforce()).await.unwrap();
    assert_eq!(tries(), (1, 1));
    ledger.settle(id, now(), refused).await.unwrap();
    assert_eq!(tries(), (0, 0), "refused");

    for (verdict, left) in [(Verdict::None, (1, 1)), (Verdict::Inconclusive, (1, 1))] {
        let id = intend(&ledger, enforce()).await.unwrap();
        ledger.settle(id, now(), accepted).await.unwrap();
        let review = judged(&[], Some(verdict));
        ledger.review(id, now(), review).await.unwrap();
        assert_eq!(tries(), left, "{verdict:?}");
    }
    ledger.renew(inbox(), vec![key(1), key(9)]).await.unwrap();
    assert_eq!(tries(), (0, 1), "seen done");
    assert_eq!(reopen(folder.path()).1, ledger.view().unwrap());
}

#[tokio::test]
async fn portals_do_not_share_what_is_known_and_never_share_a_number() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, _) = Ledger::open(folder.path(), Addresses::default());
    let (main, other) = (
        ledger.portal(&portal()),
        ledger.portal(&PortalAddress::from("https://other.example")),
    );
    let first = intend(&main, enforce()).await.unwrap();
    let second = intend(&other, enforce()).await.unwrap();
    assert!(first < second);
    assert!(other.view().unwrap().attempt(first).is_none());
    assert_eq!(
        ledger.portal(&portal()).view().unwrap(),
        main.view().unwrap()
    );
    let history = history(folder.path()).unwrap();
    let ids: Vec<_> = history.iter().map(|entry| entry.attempt.id).collect();
    assert_eq!(ids, [second, first]);
    assert_eq!(history[1].attempt.portal, name());
    assert_eq!(history[1].name, FolderName::new("In\nbox"));
}

#[tokio::test]
async fn old_attempts_go_and_the_counters_stay() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, _) = reopen(folder.path());
    let mut ids = Vec::new();
    // The verdicts of attempts that were made 100, 99, 98 and 0 days ago.
    for (days, verdict) in [
        (100, Verdict::None),
        (99, Verdict::Recovered),
        (98, Verdict::None),
        (0, Verdict::Inconclusive),
    ] {
        let at = now().before(DAY * days);
        let id = intend(&ledger, intent(ActiveMode::Enforce, at))
            .await
            .unwrap();
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
    let kept: Vec<bool> = ids.iter().map(|id| view.attempt(*id).is_some()).collect();
    assert_eq!(
        kept,
        [false, false, true, true],
        "the row without effect is kept"
    );
    assert_eq!(view.totals(inbox()).accepted, 4);
    assert_eq!(reopen(folder.path()).1, view);
}

#[tokio::test]
async fn a_clock_that_jumps_forward_forgets_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, _) = reopen(folder.path());
    for _ in 0..3 {
        intend(&ledger, intent(ActiveMode::DryRun, now()))
            .await
            .unwrap();
    }
    let before = ledger.view().unwrap();
    let tidy = Tidy {
        at: Timestamp::from_millis(i64::MAX),
        horizon: DAY * 90,
        listed: [inbox()].into(),
    };
    ledger.tidy(tidy).await.unwrap();
    assert_eq!(ledger.view().unwrap(), before);
}

#[tokio::test]
async fn a_folder_is_forgotten_after_90_days_without_being_listed() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, _) = reopen(folder.path());
    let start = now();
    intend(&ledger, intent(ActiveMode::DryRun, start))
        .await
        .unwrap();
    let later = start.as_millis() + 91 * 24 * 3_600_000;
    let other = Intent {
        folder: uuid::Uuid::from_u128(8).into(),
        ..intent(ActiveMode::DryRun, Timestamp::from_millis(later))
    };
    let stays = other.folder;
    intend(&ledger, other).await.unwrap();
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
    assert_eq!(reopen(folder.path()).1, view);
}

#[tokio::test]
async fn a_file_that_cannot_be_used_stays_as_it_is_and_every_change_is_refused() {
    type Make = fn(&Path);
    let newer: Make = |path| {
        let connection = rusqlite::Connection::open(path).unwrap();
        connection.pragma_update(None, "user_version", 99).unwrap();
    };
    let foreign: Make = |path| {
        let connection = rusqlite::Connection::open(path).unwrap();
        connection.execute_batch("CREATE TABLE other (x)").unwrap();
    };
    let corrupt: Make = |path| {
        fs::write(path, "not a database, but long enough to be one".repeat(99)).unwrap();
    };
    let read_only: Make = |path| {
        drop(database::Database::open(path.parent().unwrap(), &Addresses::default()).unwrap());
        let mut permissions = fs::metadata(path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(path, permissions).unwrap();
    };
    let blocked: Make = |path| {
        fs::create_dir(path.with_extension("db-wal")).unwrap();
    };
    let emptied: Make = |path| {
        drop(database::Database::open(path.parent().unwrap(), &Addresses::default()).unwrap());
        let connection = rusqlite::Connection::open(path).unwrap();
        connection.execute_batch("DELETE FROM ledger").unwrap();
    };
    for (make, says) in [
        (newer, "newer version (schema 99, known 4)"),
        (foreign, "not a reindex ledger"),
        (corrupt, "not a database"),
        (read_only, "read-only"),
        (blocked, "cannot be used"),
        (emptied, "the time of its creation is missing"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE_NAME);
        make(&path);
        let before = fs::read(&path).ok();
        let (ledger, error) = Ledger::open(folder.path(), Addresses::default());
        let error = error.expect(says).to_string();
        assert!(error.contains(says), "{error:?} does not say {says:?}");
        let ledger = ledger.portal(&portal());
        assert_eq!(ledger.view().unwrap_err().to_string(), error);
        assert_eq!(
            intend(&ledger, enforce()).await.unwrap_err().to_string(),
            error
        );
        let unchanged = fs::read(&path).ok() == before;
        assert!(unchanged || before.is_none(), "{says}: written over");
    }
}

#[test]
fn a_start_that_was_cut_short_before_the_first_table_is_made_good() {
    type Make = fn(&Path);
    let empty: Make = |path| fs::write(path, "").unwrap();
    let without_tables: Make = |path| {
        let connection = rusqlite::Connection::open(path).unwrap();
        connection
            .pragma_update(None, "journal_mode", "wal")
            .unwrap();
    };
    for make in [empty, without_tables] {
        let folder = tempfile::tempdir().unwrap();
        make(&folder.path().join(FILE_NAME));
        let before = now();
        assert!(reopen(folder.path()).1.met() >= before);
    }
}

#[tokio::test]
async fn a_change_is_made_also_when_nobody_waits_for_it_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, _) = reopen(folder.path());
    let mut given_up = Box::pin(intend(&ledger, enforce()));
    let _ = futures_util::poll!(&mut given_up);
    drop(given_up);
    ledger.renew(inbox(), vec![]).await.unwrap();
    let view = ledger.view().unwrap();
    assert_eq!(view.track(ActiveMode::Enforce).unjudged_count(), 1);
}

#[tokio::test]
async fn a_change_that_the_disk_refuses_is_not_in_the_view() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, before) = reopen(folder.path());
    let other = rusqlite::Connection::open(folder.path().join(FILE_NAME)).unwrap();
    other.execute_batch("DROP TABLE tries").unwrap();
    assert!(intend(&ledger, enforce()).await.is_err());
    assert_eq!(ledger.view().unwrap(), before);
}

#[test]
fn the_history_says_when_there_is_no_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let error = history(folder.path()).unwrap_err();
    assert!(matches!(error, LedgerError::Missing { .. }), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let _open = Ledger::open(folder.path(), Addresses::default());
    assert_eq!(history(folder.path()).unwrap(), []);
}
