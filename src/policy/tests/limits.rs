//! Refusals, portals that do not carry out requests, and the budget.

use super::*;
use crate::config::Budget;

/// Why the folder is held, and for how long, after an attempt in a folder that was made at a time and answered so at noon.
fn held_after(of: u128, made: Timestamp, outcome: Outcome) -> Option<(Reason, Duration)> {
    let mut setup = Setup::new(Mode::Enforce);
    let id = setup.ledger.intend(of, made, "reset", &[7]);
    setup.ledger.view.settle(id, NOON, outcome).unwrap();
    let hold = setup.hold()?;
    Some((hold.reason, hold.until.unwrap().since(NOON)))
}

#[test]
fn a_refusal_holds_the_folder_for_one_cooldown_or_for_as_long_as_the_portal_asks() {
    for (outcome, seconds) in [
        (refused(404, None), 3_600),
        (refused(403, None), 3_600),
        (refused(429, None), 3_600),
        (refused(429, Some(90)), 360),
        (refused(409, Some(90)), 90),
        (refused(409, Some(7_200)), 3_600),
        (refused(425, Some(1)), 3_600),
        (Outcome::Accepted { updated: 0 }, 3_600),
        (Outcome::NotSent, 0),
    ] {
        let held = held_after(1, NOON, outcome).map_or(0, |(_, time)| time.as_secs());
        assert_eq!(held, seconds, "{outcome:?}");
    }
}

#[test]
fn a_portal_that_carries_nothing_out_rests_for_pauses_that_double() {
    let mut setup = Setup::new(Mode::Enforce);
    for (attempts, minutes) in [(1, 6), (2, 12), (3, 24), (4, 48), (5, 60), (6, 60)] {
        let of = 10 + attempts;
        let id = setup.ledger.intend(of, NOON, "reset", &[7]);
        setup.ledger.settle(id, unavailable(None));
        let hold = setup.hold().unwrap();
        assert_eq!(hold.reason, Reason::Portal);
        assert_eq!(hold.until, Some(NOON.after(MINUTE * minutes)));
    }
    let moved = setup.ledger.intend(20, NOON, "reset", &[7]);
    setup.ledger.settle(moved, unavailable(None));
    let review = Review {
        changed: vec![(key(7), FileState::Waiting)],
        verdict: None,
    };
    setup.ledger.view.review(moved, NOON, &review).unwrap();
    assert_ne!(setup.reason(), Reason::Portal, "files moved");
}

#[test]
fn a_portal_that_asks_for_it_rests_for_as_long_as_that_but_for_a_day_at_most() {
    for (outcome, rests) in [
        (refused(429, Some(4 * 3_600)), Some(HOUR * 4)),
        (refused(429, Some(1)), Some(MINUTE * 6)),
        (refused(429, Some(30 * 86_400)), Some(DAY)),
        (unavailable(Some(4 * 3_600)), Some(HOUR * 4)),
        (unavailable(Some(30 * 86_400)), Some(DAY)),
        (refused(409, Some(4 * 3_600)), None),
    ] {
        let expected = rests.map(|rests| (Reason::Portal, rests));
        let held = held_after(2, ago(MINUTE * 10), outcome);
        assert_eq!(held, expected, "{outcome:?}");
    }
}

#[test]
fn a_rest_counts_from_the_answer_whenever_the_verdict_is_given() {
    let mut setup = Setup::new(Mode::Enforce);
    let why = Lost::NoAnswer;
    let id = setup.ledger.intend(2, ago(MINUTE * 13), "reset", &[7]);
    let view = &mut setup.ledger.view;
    view.settle(id, ago(MINUTE * 12), Outcome::Unknown { why })
        .unwrap();
    let review = Review {
        changed: Vec::new(),
        verdict: Some(Verdict::Inconclusive),
    };
    view.review(id, ago(MINUTE * 2), &review).unwrap();
    assert_eq!(setup.reason(), Reason::Eligible);
}

#[test]
fn what_the_portal_may_have_queued_is_charged_with_what_it_says_that_it_queued_beside() {
    let mut ledger = TestLedger::new();
    let budget = Budget::default();
    let why = Lost::NoAnswer;
    for (of, outcome, left) in [
        (1, Outcome::Accepted { updated: 0 }, 4_998),
        (2, Outcome::Accepted { updated: 900 }, 4_098),
        (3, refused(403, None), 4_098),
        (4, Outcome::NotSent, 4_098),
        (5, Outcome::Unknown { why }, 4_096),
    ] {
        let before = remaining_files(&ledger.view, &budget, NOON);
        let id = ledger.intend(of, ago(HOUR), "timeout", &[1, 2]);
        let unanswered = remaining_files(&ledger.view, &budget, NOON);
        assert_eq!(unanswered, before - 2);
        ledger.settle(id, outcome);
        let remaining = remaining_files(&ledger.view, &budget, NOON);
        assert_eq!(remaining, left, "{outcome:?}");
    }
    let later = NOON.after(HOUR * 23);
    assert_eq!(remaining_files(&ledger.view, &budget, later), 5_000);
}

#[test]
fn a_folder_with_more_files_than_the_budget_has_a_whole_window_alone() {
    let mut setup = Setup::with(vec![TestFolder::failing(1, 30)]);
    setup.folder().rules.budget.files = 20;
    assert_eq!(setup.reason(), Reason::Eligible);
    setup.ledger.tried(2, ago(HOUR * 20), "reset", 1, 1);
    let hold = setup.hold().expect("the window is used");
    assert_eq!(hold.reason, Reason::Budget);
    assert_eq!(hold.until, Some(NOON.after(HOUR * 4)));
}
