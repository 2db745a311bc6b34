//! What `/health` reports about reindexing.

use super::*;
use crate::attempts::{Book, Intent, SentFile};
use crate::classify::{Class, KnownClass};
use crate::clock::Moment;
use crate::config::{Mode, Reindex, ReindexRules};
use crate::model::FileKey;
use crate::policy::{Cause, Choice, Decision, Hold, Numbers, Reason};
use crate::snapshot::{LastRun, RunResult};

const NUMBERS: Numbers = Numbers {
    failed: 12,
    eligible: 8,
    exhausted: 3,
    next_allowed: None,
};

const SINCE: Timestamp = Timestamp::from_millis(1_772_366_400_000);

fn decided(mode: Mode, choice: Choice) -> Decision {
    Decision {
        mode,
        choice,
        since: SINCE,
        numbers: NUMBERS,
    }
}

fn view(decision: Decision, ledger: Result<Arc<Book>, &str>) -> ReindexView {
    ReindexView {
        decisions: [(folder(FolderState::Counted, None).id, decision)].into(),
        book: ledger.map_err(str::to_owned),
        write_error: None,
    }
}

fn held(mode: Mode, reason: Reason, ledger: Result<Arc<Book>, &str>) -> ReindexView {
    view(decided(mode, Choice::Hold(reason.into())), ledger)
}

fn judge_in(mode: Mode, state: FolderState, view: ReindexView, now: Moment) -> PortalHealth {
    let portal = (*portal(ListState::Read(FACTS), vec![folder(state, None)])).clone();
    let rules = ReindexRules {
        mode,
        ..ReindexRules::default()
    };
    judge_with(rules, portal, view, now)
}

fn judge_with(
    rules: ReindexRules,
    mut portal: PortalView,
    view: ReindexView,
    now: Moment,
) -> PortalHealth {
    portal.reindex = Arc::new(Reindex {
        rules,
        overrides: Vec::new(),
    });
    let snapshot = Snapshot {
        reindex: [(portal.name.clone(), Arc::new(view))].into(),
        portals: vec![Arc::new(portal)],
    };
    judge(&snapshot, Conditions::default(), now)
        .portals
        .remove(0)
}

fn fresh(now: Moment) -> Arc<Book> {
    Arc::new(Book::new(now.wall))
}

#[test]
fn a_folder_tells_its_decision_unless_its_mode_is_off_or_it_left() {
    let now = Moment::now();
    let left = FolderState::Departed(Departure {
        reason: DepartureReason::Gone,
        since: now.wall,
    });
    for (mode, state, shown) in [
        (Mode::Off, FolderState::Counted, false),
        (Mode::Enforce, left, false),
        (Mode::DryRun, FolderState::Counted, false),
        (Mode::Enforce, FolderState::Counted, true),
    ] {
        let view = held(Mode::Enforce, Reason::Cooldown, Ok(fresh(now)));
        let health = judge_in(mode, state, view, now);
        let decision = health.folders[0].reindex.as_ref();
        let reason = decision.map(|shown| shown.decision.reason());
        assert_eq!(reason, shown.then_some(Reason::Cooldown), "{mode:?}");
        assert_eq!(health.status(), Status::Pass);
        assert_eq!(sentences(&health.findings), "");
    }
}

/// What is said of the folder.
fn sentence(mode: Mode, choice: Choice) -> String {
    let now = Moment::now();
    let view = view(decided(mode, choice), Ok(fresh(now)));
    let health = judge_in(mode, FolderState::Counted, view, now);
    health.folders[0].reindex.as_ref().unwrap().sentence.clone()
}

#[test]
fn a_decision_is_explained_with_the_class_the_folder_that_tries_it_and_the_times() {
    let send = || Choice::Send { is_trial: true };
    assert_eq!(sentence(Mode::Enforce, send()), "a request follows");
    assert!(sentence(Mode::DryRun, send()).contains("dry run sends nothing"));
    let hold = Choice::Hold(Hold {
        reason: Reason::Class,
        until: Some(SINCE.after(Duration::from_hours(2))),
        cause: Some(Cause::Class {
            class: Class::Text("timeout".into()),
            folder: Some(folder(FolderState::Counted, None).id),
        }),
    });
    let expected = format!(
        "{} (timeout); tried last in Inbox; until 2026-03-01T14:00:00Z at the earliest; held since 2026-03-01T12:00:00Z",
        Reason::Class.sentence()
    );
    assert_eq!(sentence(Mode::Enforce, hold), expected);
}

#[test]
fn a_portal_says_how_many_files_wait_where_one_is_tried_and_what_holds_the_others() {
    let now = Moment::now();
    let mut ledger = Book::new(now.wall);
    let portal = PortalName::new("main").unwrap();
    let key = FileKey { link: 1, id: 1 };
    let files = vec![(key, SentFile::new(Class::Text("timeout".into())))];
    let elsewhere = uuid::Uuid::from_u128(77).into();
    let intent = Intent::new(portal, elsewhere, now.wall, files);
    ledger.intend(intent).unwrap();
    let view = held(Mode::Enforce, Reason::Class, Ok(Arc::new(ledger)));
    let health = judge_in(Mode::Enforce, FolderState::Counted, view, now);
    let reindex = health.reindex.unwrap();
    assert_eq!((reindex.waiting, reindex.remaining_files), (8, Some(4_999)));
    let expected = format!(
        "8 files wait for a retry; the results of a retry in {elsewhere} are awaited; 1 folder is held since 2026-03-01T12:00:00Z: {}",
        Reason::Class.sentence()
    );
    assert_eq!(reindex.sentence, expected);
}

#[test]
fn a_ledger_that_cannot_be_used_is_a_warning_where_it_would_be_needed() {
    let now = Moment::now();
    let unusable = || held(Mode::DryRun, Reason::Ledger, Err("it is read-only"));
    let health = judge_in(Mode::DryRun, FolderState::Counted, unusable(), now);
    assert_eq!(health.status(), Status::Warn);
    assert_eq!(
        sentences(&health.findings),
        "nothing is reindexed: it is read-only"
    );
    assert_eq!(health.reindex.unwrap().remaining_files, None);
    let health = judge_in(Mode::Off, FolderState::Counted, unusable(), now);
    assert_eq!(health.status(), Status::Pass);
    assert_eq!(sentences(&health.findings), "");
}

/// The notes of a portal whose rules name classes, of which it knows some.
fn notes_on_classes(never: &[&str], ended: bool) -> (Status, Vec<String>) {
    let now = Moment::now();
    let mut portal = (*portal(
        ListState::Read(FACTS),
        vec![folder(FolderState::Counted, Some(now))],
    ))
    .clone();
    let rules = ReindexRules {
        mode: Mode::DryRun,
        never_classes: never.iter().map(|&class| class.to_owned()).collect(),
        ..ReindexRules::default()
    };
    let known = KnownClass {
        example: "page 7 lost".into(),
        first_seen: now.wall,
        last_seen: now.wall,
    };
    portal.classes = Arc::new([("page lost".into(), known)].into());
    portal.collections.last_run = ended.then_some(LastRun {
        ended: now.wall,
        duration: Duration::from_secs(1),
        result: RunResult::Success,
        requests: 2,
    });
    let mut ledger = Book::new(now.wall);
    let key = FileKey { link: 1, id: 1 };
    let intent = Intent::new(
        PortalName::new("main").unwrap(),
        uuid::Uuid::nil().into(),
        now.wall,
        vec![(key, SentFile::new(Class::Text("timeout".into())))],
    );
    ledger.intend(intent).unwrap();
    let view = held(Mode::DryRun, Reason::Cooldown, Ok(Arc::new(ledger)));
    let health = judge_with(rules, portal, view, now);
    let status = health.status();
    let findings = health.findings.into_iter();
    (status, findings.map(|finding| finding.sentence).collect())
}

#[test]
fn a_class_that_nobody_knows_is_a_note_once_a_collection_has_ended() {
    let named = ["page lost", "timeout", "other", "tmieout"];
    assert_eq!(notes_on_classes(&named, false).1, [""; 0]);
    let (status, notes) = notes_on_classes(&named, true);
    assert_eq!(status, Status::Pass, "it is no warning");
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].contains("\"tmieout\"") && notes[0].ends_with("is \"timeout\" meant?"));
    assert_eq!(notes_on_classes(&named[..3], true).1, [""; 0]);
}

#[test]
fn of_many_unknown_classes_a_few_are_named_and_the_others_are_counted() {
    let named = ["a", "b", "c", "d", "e", "f", "g"];
    let (_, notes) = notes_on_classes(&named, true);
    assert_eq!(notes.len(), 6);
    assert!(notes[5].contains("2 more unknown classes"), "{notes:?}");
}
