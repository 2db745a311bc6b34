//! What `/health` reports about reindexing.

use super::*;
use crate::classify::{Class, KnownClass};
use crate::clock::Moment;
use crate::config::{Mode, Reindex, ReindexRules};
use crate::ledger::{
    ActiveMode, AttemptId, FileState, Intent, Ledger, LedgerView, Outcome, PortalLedger, Review,
    SentFile, Verdict,
};
use crate::model::FileKey;
use crate::policy::{BreakerState, Numbers, Reason, Remaining};
use crate::snapshot::{FolderReindex, LastRun, RunResult};

const NUMBERS: Numbers = Numbers {
    failed: 12,
    of_class: 12,
    helpable: 12,
    retryable: 9,
    eligible: 8,
    ready: 8,
    exhausted: 3,
    riding_along: 3,
    gain: 400,
    tried_in_vain: false,
    next_allowed: None,
};

fn view(reason: Reason, ledger: Result<Arc<LedgerView>, &str>) -> ReindexView {
    let decided = FolderReindex {
        reason,
        numbers: NUMBERS,
    };
    ReindexView {
        folders: [(folder(FolderState::Counted, None).id, decided)].into(),
        ledger: ledger.map_err(str::to_owned),
        write_error: None,
    }
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
    judge(&snapshot, false, now).portals.remove(0)
}

fn fresh(now: Moment) -> Arc<LedgerView> {
    Arc::new(LedgerView::new(now.wall))
}

/// Makes an attempt with this number of files of one class, which all end in this state.
async fn attempt(ledger: &PortalLedger, of: FolderId, now: Timestamp, files: u128, end: FileState) {
    let keys = || (1..=files).map(|id| FileKey { link: id, id });
    let sent = keys().map(|key| (key, SentFile::new(Class::Text("broken".into()))));
    let portal = PortalName::new("main").unwrap();
    let intent = Intent::new(portal, of, ActiveMode::Enforce, now, sent.collect());
    let view = ledger.view().unwrap();
    let id = ledger.intend(intent, &view).await.unwrap();
    let outcome = Outcome::Accepted { updated: 2 };
    ledger.settle(id, now, outcome).await.unwrap();
    let verdict = match end {
        FileState::Done => Verdict::Recovered,
        _ => Verdict::None,
    };
    let review = Review {
        changed: keys().map(|key| (key, end)).collect(),
        verdict: Some(verdict),
    };
    ledger.review(id, now, review).await.unwrap();
}

#[test]
fn a_folder_tells_its_decision_unless_its_mode_is_off_or_it_left() {
    let now = Moment::now();
    let left = FolderState::Departed(Departure {
        reason: DepartureReason::Gone,
        since: now.wall,
    });
    let decided = |reason| Some((reason, NUMBERS));
    for (mode, state, reason, expected) in [
        (Mode::Off, FolderState::Counted, Reason::Off, None),
        (Mode::Enforce, left, Reason::Cooldown, None),
        (
            Mode::Enforce,
            FolderState::Counted,
            Reason::Cooldown,
            Some((ActiveMode::Enforce, decided(Reason::Cooldown))),
        ),
    ] {
        let health = judge_in(mode, state, view(reason, Ok(fresh(now))), now);
        let decision = health.folders[0].reindex;
        let expected = expected.map(|(mode, decided)| FolderDecision { mode, decided });
        assert_eq!(decision, expected, "{mode:?} {reason}");
        assert_eq!(health.status, Status::Pass);
        assert_eq!(health.notes, [""; 0]);
    }
}

#[test]
fn an_attempt_in_dry_run_is_not_called_one_that_was_made() {
    let sentence = |mode| {
        let decided = Some((Reason::Eligible, NUMBERS));
        FolderDecision { mode, decided }.sentence()
    };
    assert!(sentence(ActiveMode::DryRun).contains("sends nothing"));
    assert!(sentence(ActiveMode::Enforce).contains("was made"));
}

#[test]
fn a_ledger_that_cannot_be_used_is_a_warning_where_it_would_be_needed() {
    let now = Moment::now();
    let unusable = || view(Reason::LedgerUnavailable, Err("it is read-only"));
    let health = judge_in(Mode::DryRun, FolderState::Counted, unusable(), now);
    assert_eq!(health.status, Status::Warn);
    assert_eq!(health.notes, ["nothing is reindexed: it is read-only"]);
    assert_eq!(health.reindex, None);
    let health = judge_in(Mode::Off, FolderState::Counted, unusable(), now);
    assert_eq!(health.status, Status::Pass);
    assert_eq!(health.notes, [""; 0]);
}

#[tokio::test]
async fn the_breaker_and_what_is_left_of_the_budget_are_shown() {
    let now = Moment::now();
    let folder = tempfile::tempdir().unwrap();
    let folder = crate::sql::StateFolder::new(folder.path());
    let ledger = Ledger::open(folder).0;
    let ledger = ledger.portal(&crate::model::PortalAddress::from("https://portal.example"));
    let folders = [1, 2, 3].map(|number| FolderId::from(uuid::Uuid::from_u128(number)));
    // The class helped before the window of the budget: a class that never helps does not open the breaker.
    let before = now.wall.before(Duration::from_hours(25));
    let helped = FolderId::from(uuid::Uuid::from_u128(20));
    attempt(&ledger, helped, before, 20, FileState::Done).await;
    for folder in folders {
        attempt(&ledger, folder, now.wall, 1, FileState::Refailed).await;
    }
    let hours_later = |hours: i64| Timestamp::from_millis(now.wall.as_millis() + hours * 3_600_000);
    let until = hours_later(6);
    for (hours, breaker, note) in [
        (
            5,
            BreakerState::Open { until },
            "nothing is reindexed until",
        ),
        (
            7,
            BreakerState::HalfOpen { but: folders[2] },
            "one folder at a time",
        ),
    ] {
        let later = Moment {
            wall: hours_later(hours),
            ..now
        };
        let view = view(Reason::Breaker, ledger.view().map_err(|_| ""));
        let health = judge_in(Mode::Enforce, FolderState::Counted, view, later);
        assert_eq!(health.status, Status::Pass);
        assert!(health.notes[0].starts_with(note), "{:?}", health.notes);
        let limits = PortalLimits {
            mode: ActiveMode::Enforce,
            remaining: Remaining {
                actions: 97,
                files: 4_994,
            },
            breaker,
        };
        assert_eq!(health.reindex, Some(limits));
    }
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
    });
    let mut ledger = LedgerView::new(now.wall);
    let key = FileKey { link: 1, id: 1 };
    let intent = Intent::new(
        PortalName::new("main").unwrap(),
        uuid::Uuid::nil().into(),
        ActiveMode::DryRun,
        now.wall,
        vec![(key, SentFile::new(Class::Text("timeout".into())))],
    );
    let id = AttemptId::new(1);
    ledger.intend(id, intent).unwrap();
    let view = view(Reason::Cooldown, Ok(Arc::new(ledger)));
    let health = judge_with(rules, portal, view, now);
    (health.status, health.notes)
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
    assert!(notes[5].contains("2 more classes"), "{notes:?}");
}
