//! Cooldowns, the budget, and the order of attempts.

use super::*;
use crate::config::{Budget, Reindex};
use crate::ledger::Lost;
use crate::policy::cooldown::next_allowed;

pub(super) fn rules() -> ReindexRules {
    ReindexRules::default()
}

/// The pause after the last of some attempts, for files of a class.
fn pause(ledger: &TestLedger, class: &str) -> Duration {
    let track = ledger.view.track(ActiveMode::Enforce);
    let last = track.last_of(folder(1)).unwrap().intended;
    let (mode, class) = (ActiveMode::Enforce, Class::Text(class.into()));
    let state = ClassState::of(&ledger.view, &class);
    let class = Some((&class, &state));
    let end = next_allowed(&ledger.view, mode, folder(1), class, &rules(), NOON);
    end.unwrap().since(last)
}

fn judged_in_turn(verdicts: &[Verdict]) -> TestLedger {
    let mut ledger = TestLedger::new();
    for (index, verdict) in verdicts.iter().enumerate() {
        let weeks = u32::try_from(verdicts.len() - index).unwrap();
        ledger.judged(1, ago(DAY * 7 * weeks), &[1, 2], *verdict);
    }
    ledger
}

#[test]
fn the_cooldown_doubles_for_a_class_that_does_not_come_back_and_for_no_other() {
    use Verdict::{Inconclusive, None, Partial, Recovered};
    for (verdicts, hours) in [
        (&[Recovered][..], 1),
        (&[None], 2),
        (&[None, None], 4),
        (&[None, Inconclusive, None], 4),
        (&[None, None, Partial], 1),
        (&[None, Recovered, None], 2),
        (&[Inconclusive], 1),
        (&[None; 4], 16),
        (&[None; 5], 24),
        (&[None; 40], 24),
    ] {
        let ledger = judged_in_turn(verdicts);
        assert_eq!(pause(&ledger, "timeout"), HOUR * hours, "{verdicts:?}");
        assert_eq!(
            pause(&ledger, "page lost"),
            HOUR,
            "{verdicts:?}, new trouble"
        );
    }
}

pub(super) fn refused(status: u16, retry_after: Option<u64>) -> Outcome {
    Outcome::Refused {
        status,
        retry_after: retry_after.map(Duration::from_secs),
    }
}

#[test]
fn a_refusal_holds_the_folder_for_one_cooldown_or_for_as_long_as_the_portal_asks() {
    for (outcome, seconds) in [
        (refused(404, None), 3_600),
        (refused(403, None), 3_600),
        (refused(403, Some(90)), 3_600),
        (refused(429, None), 3_600),
        (refused(404, Some(90)), 3_600),
        (refused(429, Some(90)), 90),
        (refused(409, Some(7_200)), 7_200),
        (refused(425, Some(1)), 60),
        (refused(408, Some(1_000_000)), 24 * 3_600),
        (
            Outcome::Unknown {
                why: Lost::NoAnswer,
            },
            3_600,
        ),
        (Outcome::Accepted { updated: 0 }, 3_600),
    ] {
        let mut ledger = TestLedger::new();
        let id = ledger.intend(ActiveMode::Enforce, 1, ago(DAY), &[1]);
        ledger.settle(id, outcome);
        let expected = Duration::from_secs(seconds);
        assert_eq!(pause(&ledger, "timeout"), expected, "{outcome:?}");
    }
}

#[test]
fn of_refusals_in_a_row_only_the_first_is_charged_and_a_folder_that_left_never_is() {
    let mut ledger = TestLedger::new();
    let budget = Budget::default();
    let left =
        |ledger: &TestLedger| Remaining::of(ledger.view.track(ActiveMode::Enforce), &budget, NOON);
    for (hours, outcome, actions) in [
        (9, refused(403, None), 99),
        (8, refused(404, None), 99),
        (8, refused(403, None), 99),
        (7, Outcome::Accepted { updated: 1 }, 98),
        (6, refused(403, None), 97),
        (5, refused(429, None), 96),
        (4, refused(404, None), 96),
    ] {
        let id = ledger.intend(
            ActiveMode::Enforce,
            hours,
            ago(HOUR * u32::try_from(hours).unwrap()),
            &[1],
        );
        ledger.settle(id, outcome);
        assert_eq!(left(&ledger).actions, actions, "{hours} hours ago");
    }
}

#[test]
fn a_portal_that_carries_nothing_out_is_left_alone_for_pauses_that_double() {
    let mut ledger = TestLedger::new();
    let not_carried_out = |ledger: &mut TestLedger, of: u128| {
        let id = ledger.intend(ActiveMode::Enforce, of, NOON, &[1]);
        let why = Lost::Status(503);
        ledger.settle(id, Outcome::Unknown { why });
        ledger.judge(id, NOON, Verdict::Inconclusive);
    };
    let rests = |ledger: &TestLedger| {
        let until =
            cooldown::not_carried_out_until(ledger.view.track(ActiveMode::Enforce), &rules());
        until.map(|end| end.since(NOON))
    };
    for (of, rest) in [
        (1, None),
        (2, None),
        (3, Some(HOUR)),
        (4, Some(HOUR * 2)),
        (5, Some(HOUR * 4)),
    ] {
        not_carried_out(&mut ledger, of);
        assert_eq!(rests(&ledger), rest, "after {of}");
    }
    assert_eq!(
        ledger.view.file_attempts(folder(5), key(1)),
        0,
        "no attempt of a file is used up"
    );
    ledger.judged(6, NOON, &[1], Verdict::Recovered);
    assert_eq!(rests(&ledger), None);
}

#[test]
fn the_budget_slides_and_is_charged_with_what_the_portal_took() {
    let budget = Budget {
        actions: 3,
        files: 10,
        per: DAY,
    };
    let mut ledger = TestLedger::new();
    let left = |ledger: &TestLedger, now| {
        let left = Remaining::of(ledger.view.track(ActiveMode::Enforce), &budget, now);
        (left.actions, left.files)
    };
    assert_eq!(left(&ledger, NOON), (3, 10));
    let id = ledger.intend(ActiveMode::Enforce, 1, ago(DAY), &[1, 2, 3, 4]);
    let before = ago(Duration::from_millis(1));
    assert_eq!(left(&ledger, before), (2, 6), "as last seen");
    assert_eq!(left(&ledger, NOON), (3, 10), "a day later");
    for (outcome, files) in [
        (Outcome::Accepted { updated: 1 }, 9),
        (Outcome::Accepted { updated: 11 }, 0),
        (Outcome::Accepted { updated: u64::MAX }, 0),
        (
            Outcome::Unknown {
                why: Lost::Unreadable,
            },
            6,
        ),
        (refused(400, None), 10),
    ] {
        let mut ledger = ledger.clone();
        ledger.settle(id, outcome);
        assert_eq!(left(&ledger, before), (2, files), "{outcome:?}");
    }
    ledger.intend(ActiveMode::DryRun, 2, before, &[1]);
    assert_eq!(
        left(&ledger, before),
        (2, 6),
        "dry run has a budget of its own"
    );
}

#[test]
fn folders_in_which_most_comes_back_go_first_then_those_without_an_attempt_then_by_the_last_one() {
    let mut ledger = TestLedger::new();
    ledger.judged(3, ago(DAY), &[1], Verdict::Recovered);
    ledger.judged(1, ago(HOUR), &[1], Verdict::Recovered);
    ledger.judged(1, ago(DAY * 9), &[1], Verdict::Recovered);
    ledger.intend(ActiveMode::DryRun, 2, ago(DAY * 5), &[1]);
    let trigger = |of| Trigger {
        folder: folder(of),
        mode: ActiveMode::Enforce,
        gain: if of == 5 { 900 } else { 50 },
        files: vec![timeout(1)],
    };
    let order = in_order([1, 4, 3, 5, 2].map(trigger).to_vec(), &ledger.view);
    assert_eq!(order, [5, 2, 4, 3, 1].map(trigger));
}

#[test]
fn the_ledger_stores_attempts_for_as_long_as_any_limit_needs_them() {
    let mut reindex = Reindex::default();
    assert_eq!(horizon(&reindex), DAY * 90);
    reindex.rules.budget.per = DAY * 100;
    assert_eq!(horizon(&reindex), DAY * 100);
    reindex.rules.verify_after = DAY * 101;
    assert_eq!(horizon(&reindex), DAY * 101);
    reindex.rules.breaker.open_for = DAY * 102;
    assert_eq!(horizon(&reindex), DAY * 102);
    reindex.rules.max_cooldown = DAY * 103;
    assert_eq!(horizon(&reindex), DAY * 103);
}
