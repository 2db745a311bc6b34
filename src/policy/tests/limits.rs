//! Cooldowns, the breaker, the budget, and who goes first.

use super::*;
use crate::config::{Budget, Reindex};
use crate::ledger::Lost;

fn rules() -> ReindexRules {
    ReindexRules::default()
}

/// The pause after the last of some attempts, for files of a class.
fn pause(book: &Book, class: &str) -> Duration {
    let track = book.view.track(ActiveMode::Enforce);
    let last = track.last_of(folder(1)).unwrap().intended;
    let (mode, class) = (ActiveMode::Enforce, Class::Text(class.into()));
    let state = ClassState::of(&book.view, &class);
    let class = Some((&class, &state));
    let end = next_allowed(&book.view, mode, folder(1), class, &rules(), NOON);
    end.unwrap().since(last)
}

fn judged_in_turn(verdicts: &[Verdict]) -> Book {
    let mut book = Book::new();
    for (index, verdict) in verdicts.iter().enumerate() {
        let weeks = u32::try_from(verdicts.len() - index).unwrap();
        book.judged(1, ago(DAY * 7 * weeks), &[1, 2], *verdict);
    }
    book
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
        let book = judged_in_turn(verdicts);
        assert_eq!(pause(&book, "timeout"), HOUR * hours, "{verdicts:?}");
        assert_eq!(pause(&book, "page lost"), HOUR, "{verdicts:?}, new trouble");
    }
}

fn refused(status: u16, retry_after: Option<u64>) -> Outcome {
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
        let mut book = Book::new();
        let id = book.intend(ActiveMode::Enforce, 1, ago(DAY), &[1]);
        book.settle(id, outcome);
        let expected = Duration::from_secs(seconds);
        assert_eq!(pause(&book, "timeout"), expected, "{outcome:?}");
    }
}

#[test]
fn a_portal_that_was_just_met_is_held_for_one_cooldown_and_then_nothing_is_said() {
    let view = LedgerView::new(NOON);
    let mode = ActiveMode::DryRun;
    let ends = |now| next_allowed(&view, mode, folder(1), None, &rules(), now);
    let end = ends(NOON).unwrap();
    assert_eq!(end.since(NOON), HOUR);
    assert_eq!(ends(end), None);
}

/// The state of the breaker under the usual rules, and whether it lets a folder try.
fn breaker(book: &Book, of: u128, now: Timestamp) -> (BreakerState, bool) {
    let rules = rules();
    let state = BreakerState::of(&book.view, ActiveMode::Enforce, &rules.breaker, now);
    let track = book.view.track(ActiveMode::Enforce);
    (state, state.allows(track, folder(of), &rules, now))
}

/// Attempts in as many folders that brought nothing back, of a class that helped before.
fn in_vain(book: &mut Book, folders: std::ops::RangeInclusive<u128>, at: Timestamp) {
    book.judged(
        20,
        ago(DAY),
        &(1..=20).collect::<Vec<_>>(),
        Verdict::Recovered,
    );
    for of in folders {
        book.judged(of, at, &[1], Verdict::None);
    }
}

#[test]
fn the_breaker_opens_stays_open_lets_one_folder_try_and_does_what_comes_of_it() {
    let mut book = Book::new();
    in_vain(&mut book, 1..=2, ago(HOUR * 7));
    book.judged(2, ago(HOUR * 7), &[1], Verdict::None);
    book.judged(3, ago(HOUR * 7), &[1], Verdict::Inconclusive);
    assert_eq!(
        breaker(&book, 5, NOON).0,
        BreakerState::Closed,
        "a folder counts once"
    );
    book.judged(4, ago(HOUR * 6), &[1], Verdict::None);
    let last = ago(Duration::from_millis(1));
    assert_eq!(
        breaker(&book, 5, last),
        (BreakerState::Open { until: NOON }, false)
    );
    let half_open = BreakerState::HalfOpen { but: folder(4) };
    assert_eq!(breaker(&book, 5, NOON), (half_open, true));
    assert_eq!(
        breaker(&book, 4, NOON),
        (half_open, false),
        "it failed last"
    );
    let rested = Timestamp::from_millis(NOON.as_millis() + 18 * 3_600_000);
    assert!(breaker(&book, 4, rested).1, "unless that is long ago");
    assert!(half_open.is_open());

    let probe = book.intend(ActiveMode::Enforce, 5, NOON, &[1]);
    assert!(!breaker(&book, 6, NOON).1, "one folder at a time");
    book.settle(probe, Outcome::Accepted { updated: 1 });
    assert!(!breaker(&book, 6, NOON).1, "until it is judged");
    let mut helped = book.clone();
    helped.judge(probe, NOON, Verdict::Recovered);
    assert_eq!(breaker(&helped, 6, NOON).0, BreakerState::Closed);
    book.judge(probe, NOON, Verdict::None);
    let (state, _) = breaker(&book, 6, NOON);
    assert!(matches!(state, BreakerState::Open { until } if until.since(NOON) == HOUR * 6));
}

#[test]
fn a_class_that_does_not_respond_stops_no_other_and_an_effect_ends_every_row() {
    let mut book = Book::new();
    for of in 1..=9 {
        book.judged(of, ago(HOUR), &[1], Verdict::None);
    }
    assert_eq!(
        breaker(&book, 10, NOON).0,
        BreakerState::Closed,
        "unresponsive"
    );
    let mut book = Book::new();
    in_vain(&mut book, 1..=2, ago(HOUR * 3));
    book.other_class_in_vain();
    in_vain(&mut book, 3..=3, ago(HOUR * 2));
    let (state, _) = breaker(&book, 10, NOON);
    assert!(state.is_open(), "the other class, which helped before");
    book.judged(11, ago(HOUR), &[1], Verdict::Recovered);
    assert_eq!(breaker(&book, 10, NOON).0, BreakerState::Closed);
}

#[test]
fn who_tries_and_shows_no_effect_keeps_the_breaker_open_for_as_long_anew() {
    let later = |time: i64| Timestamp::from_millis(NOON.as_millis() + 60_000 * time);
    let answers: [fn(&mut Book, AttemptId); 3] = [
        |book, probe| book.settle(probe, refused(403, None)),
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
        let before = book.intend(ActiveMode::Enforce, 8, ago(HOUR * 7), &[1]);
        book.settle(before, refused(404, None));
        book.judged(9, ago(HOUR * 6), &[1], Verdict::Inconclusive);
        in_vain(&mut book, 1..=3, ago(HOUR * 6));
        // One after the other tries, and none shows anything; each keeps it open for six hours.
        for (turn, of) in [(0, 4), (360, 5), (900, 6)] {
            let now = later(turn);
            let (state, allows) = breaker(&book, of, now);
            assert!(
                matches!(state, BreakerState::HalfOpen { .. }) && allows,
                "{row}, {turn}"
            );
            let probe = book.intend(ActiveMode::Enforce, of, now, &[1]);
            answer(&mut book, probe);
            for minute in [0, 1, 359] {
                let until = later(turn + 360);
                let found = breaker(&book, 7, later(turn + minute));
                assert_eq!(
                    found,
                    (BreakerState::Open { until }, false),
                    "{row}, {turn}"
                );
            }
        }
        let last = book.intend(ActiveMode::Enforce, 7, later(1_260), &[1]);
        book.settle(last, Outcome::Accepted { updated: 1 });
        book.judge(last, later(1_260), Verdict::Recovered);
        assert_eq!(
            breaker(&book, 4, later(1_260)).0,
            BreakerState::Closed,
            "{row}"
        );
    }
}

#[test]
fn of_refusals_in_a_row_only_the_first_is_charged_and_a_folder_that_left_never_is() {
    let mut book = Book::new();
    let budget = Budget::default();
    let left = |book: &Book| Remaining::of(book.view.track(ActiveMode::Enforce), &budget, NOON);
    for (hours, outcome, actions) in [
        (9, refused(403, None), 99),
        (8, refused(404, None), 99),
        (8, refused(403, None), 99),
        (7, Outcome::Accepted { updated: 1 }, 98),
        (6, refused(403, None), 97),
        (5, refused(429, None), 96),
        (4, refused(404, None), 96),
    ] {
        let id = book.intend(
            ActiveMode::Enforce,
            hours,
            ago(HOUR * u32::try_from(hours).unwrap()),
            &[1],
        );
        book.settle(id, outcome);
        assert_eq!(left(&book).actions, actions, "{hours} hours ago");
    }
}

#[test]
fn a_portal_that_carries_nothing_out_is_left_alone_for_pauses_that_double() {
    let mut book = Book::new();
    let not_carried_out = |book: &mut Book, of: u128| {
        let id = book.intend(ActiveMode::Enforce, of, NOON, &[1]);
        let why = Lost::Status(503);
        book.settle(id, Outcome::Unknown { why });
        book.judge(id, NOON, Verdict::Inconclusive);
    };
    let rests = |book: &Book| {
        let until = carried_out::rests_until(book.view.track(ActiveMode::Enforce), &rules());
        until.map(|end| end.since(NOON))
    };
    for (of, rest) in [
        (1, None),
        (2, None),
        (3, Some(HOUR)),
        (4, Some(HOUR * 2)),
        (5, Some(HOUR * 4)),
    ] {
        not_carried_out(&mut book, of);
        assert_eq!(rests(&book), rest, "after {of}");
    }
    assert_eq!(
        book.view.file_attempts(folder(5), key(1)),
        0,
        "no attempt of a file is used up"
    );
    book.judged(6, NOON, &[1], Verdict::Recovered);
    assert_eq!(rests(&book), None);
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
        (refused(400, None), 10),
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
fn folders_in_which_most_comes_back_go_first_then_those_without_an_attempt_then_by_the_last_one() {
    let mut book = Book::new();
    book.judged(3, ago(DAY), &[1], Verdict::Recovered);
    book.judged(1, ago(HOUR), &[1], Verdict::Recovered);
    book.judged(1, ago(DAY * 9), &[1], Verdict::Recovered);
    book.intend(ActiveMode::DryRun, 2, ago(DAY * 5), &[1]);
    let trigger = |of| Trigger {
        folder: folder(of),
        mode: ActiveMode::Enforce,
        gain: if of == 5 { 900 } else { 50 },
        files: vec![timeout(1)],
    };
    let order = in_order([1, 4, 3, 5, 2].map(trigger).to_vec(), &book.view);
    assert_eq!(order, [5, 2, 4, 3, 1].map(trigger));
}

#[test]
fn the_ledger_is_kept_for_as_long_as_any_limit_reads_back() {
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
