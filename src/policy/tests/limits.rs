//! Cooldowns, the breaker, the budget, and who goes first.

use super::*;
use crate::config::{Breaker, Budget, Reindex};
use crate::ledger::Lost;

fn rules() -> ReindexRules {
    ReindexRules::default()
}

/// The pause after the last of some attempts, a week apart.
fn pause(book: &Book, exhausted: bool) -> Duration {
    let track = book.view.track(ActiveMode::Enforce);
    let last = track.last_of(folder(1)).unwrap().intended;
    let mode = ActiveMode::Enforce;
    let end = next_allowed(&book.view, mode, folder(1), &rules(), exhausted, NOON);
    end.unwrap().since(last)
}

fn judged_in_turn(verdicts: &[Verdict]) -> Book {
    let mut book = Book::new();
    for (index, verdict) in verdicts.iter().enumerate() {
        let weeks = u32::try_from(verdicts.len() - index).unwrap();
        book.judged(1, ago(DAY * 7 * weeks), &[1], *verdict);
    }
    book
}

#[test]
fn the_cooldown_doubles_after_each_attempt_without_effect_and_returns_after_one_with_some() {
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
        let book = judged_in_turn(verdicts);
        assert_eq!(pause(&book, false), HOUR * hours, "{verdicts:?}");
        assert_eq!(pause(&book, true), HOUR * 24, "with exhausted files");
    }
}

#[test]
fn a_refusal_holds_the_folder_for_the_longest_cooldown_and_an_unknown_answer_for_one() {
    for (outcome, hours) in [
        (Outcome::Refused { status: 404 }, 24),
        (
            Outcome::Unknown {
                why: Lost::NoAnswer,
            },
            1,
        ),
        (Outcome::Accepted { updated: 0 }, 1),
    ] {
        let mut book = Book::new();
        let id = book.intend(ActiveMode::Enforce, 1, ago(DAY), &[1]);
        book.settle(id, outcome);
        assert_eq!(pause(&book, false), HOUR * hours, "{outcome:?}");
    }
}

#[test]
fn a_portal_that_was_just_met_is_held_for_one_cooldown_and_then_nothing_is_said() {
    let view = LedgerView::new(NOON);
    let ends = |now| next_allowed(&view, ActiveMode::DryRun, folder(1), &rules(), false, now);
    let end = ends(NOON).unwrap();
    assert_eq!(end.since(NOON), HOUR);
    assert_eq!(ends(end), None);
}

#[test]
fn the_breaker_opens_stays_open_lets_one_folder_try_and_does_what_comes_of_it() {
    let breaker = Breaker::default();
    let mut book = Book::new();
    let state =
        |book: &Book, now| BreakerState::of(book.view.track(ActiveMode::Enforce), &breaker, now);
    let allows = |book: &Book, now| state(book, now).allows(book.view.track(ActiveMode::Enforce));
    for (folder, verdict) in [
        (1, Verdict::None),
        (2, Verdict::None),
        (3, Verdict::Inconclusive),
    ] {
        book.judged(folder, ago(DAY), &[1], verdict);
        assert_eq!(state(&book, NOON), BreakerState::Closed);
    }
    book.judged(4, ago(HOUR * 6), &[1], Verdict::None);
    let last = ago(Duration::from_millis(1));
    assert_eq!(state(&book, last), BreakerState::Open { until: NOON });
    assert!(!allows(&book, last));
    assert_eq!(state(&book, NOON), BreakerState::HalfOpen);
    assert!(state(&book, NOON).is_open() && allows(&book, NOON));

    let probe = book.intend(ActiveMode::Enforce, 5, NOON, &[1]);
    assert!(!allows(&book, NOON), "one folder at a time");
    book.settle(probe, Outcome::Accepted { updated: 1 });
    assert!(!allows(&book, NOON), "until it is judged");
    let mut helped = book.clone();
    helped.judge(probe, NOON, Verdict::Partial);
    assert_eq!(state(&helped, NOON), BreakerState::Closed);
    book.judge(probe, NOON, Verdict::None);
    assert!(
        matches!(state(&book, NOON), BreakerState::Open { until } if until.since(NOON) == HOUR * 6)
    );
}

#[test]
fn who_tries_and_shows_no_effect_keeps_the_breaker_open_for_as_long_anew() {
    let breaker = Breaker::default();
    let track = |book: &Book| book.view.track(ActiveMode::Enforce).clone();
    let later = |time: i64| Timestamp::from_millis(NOON.as_millis() + 60_000 * time);
    let answers: [fn(&mut Book, AttemptId); 3] = [
        |book, probe| book.settle(probe, Outcome::Refused { status: 403 }),
        |book, probe| {
            book.settle(probe, Outcome::Accepted { updated: 1 });
            book.judge(probe, NOON, Verdict::Inconclusive);
        },
        |book, probe| {
            let why = Lost::NoAnswer;
            book.settle(probe, Outcome::Unknown { why });
            book.judge(probe, NOON, Verdict::Inconclusive);
        },
    ];
    for (row, answer) in answers.into_iter().enumerate() {
        let mut book = Book::new();
        // Neither of these tried whether the breaker may close: they were made before it opened.
        let refused = book.intend(ActiveMode::Enforce, 8, ago(HOUR * 7), &[1]);
        book.settle(refused, Outcome::Refused { status: 404 });
        book.judged(9, ago(HOUR * 6), &[1], Verdict::Inconclusive);
        for of in 1..=3 {
            book.judged(of, ago(HOUR * 6), &[1], Verdict::None);
        }
        // One after the other tries, and none shows anything; each keeps it open for six hours.
        for (turn, of) in [(0, 4), (360, 5), (900, 6)] {
            let now = later(turn);
            let state = BreakerState::of(&track(&book), &breaker, now);
            assert_eq!(state, BreakerState::HalfOpen, "{row}, {turn}");
            assert!(state.allows(&track(&book)));
            let probe = book.intend(ActiveMode::Enforce, of, now, &[1]);
            answer(&mut book, probe);
            for minute in [0, 1, 359] {
                let state = BreakerState::of(&track(&book), &breaker, later(turn + minute));
                let until = later(turn + 360);
                assert_eq!(state, BreakerState::Open { until }, "{row}, {turn}");
                assert!(!state.allows(&track(&book)));
            }
        }
        let last = book.intend(ActiveMode::Enforce, 7, later(1_260), &[1]);
        book.settle(last, Outcome::Accepted { updated: 1 });
        book.judge(last, later(1_260), Verdict::Partial);
        let state = BreakerState::of(&track(&book), &breaker, later(1_260));
        assert_eq!(state, BreakerState::Closed, "{row}");
    }
}

#[test]
fn the_budget_slides_and_is_charged_with_what_the_portal_took() {
    let budget = Budget {
        actions: 3,
        files: 10,
        per: DAY,
    };
    let mut book = Book::new();
    let left = |book: &Book, now| {
        let left = Remaining::of(book.view.track(ActiveMode::Enforce), &budget, now);
        (left.actions, left.files)
    };
    assert_eq!(left(&book, NOON), (3, 10));
    let id = book.intend(ActiveMode::Enforce, 1, ago(DAY), &[1, 2, 3, 4]);
    let before = ago(Duration::from_millis(1));
    assert_eq!(left(&book, before), (2, 6), "as last seen");
    assert_eq!(left(&book, NOON), (3, 10), "a day later");
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
        (Outcome::Refused { status: 400 }, 10),
    ] {
        let mut book = book.clone();
        book.settle(id, outcome);
        assert_eq!(left(&book, before), (2, files), "{outcome:?}");
    }
    book.intend(ActiveMode::DryRun, 2, before, &[1]);
    assert_eq!(
        left(&book, before),
        (2, 6),
        "dry run has a budget of its own"
    );
}

#[test]
fn folders_without_an_attempt_go_first_then_by_the_longest_since_the_last() {
    let mut book = Book::new();
    book.judged(3, ago(DAY), &[1], Verdict::Recovered);
    book.judged(1, ago(HOUR), &[1], Verdict::Recovered);
    book.judged(1, ago(DAY * 9), &[1], Verdict::Recovered);
    book.intend(ActiveMode::DryRun, 2, ago(DAY * 5), &[1]);
    let trigger = |of| Trigger {
        folder: folder(of),
        mode: ActiveMode::Enforce,
        files: vec![key(1)],
    };
    let order = in_order([1, 4, 3, 2].map(trigger).to_vec(), &book.view);
    assert_eq!(order, [2, 4, 3, 1].map(trigger));
}

#[test]
fn the_ledger_is_kept_for_as_long_as_any_limit_looks_back() {
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
