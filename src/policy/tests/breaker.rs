//! The breaker.

use super::limits::{refused, rules};
use super::*;
use crate::ledger::Lost;

/// The state of the breaker under the usual rules, and whether it lets a folder try.
fn breaker(ledger: &TestLedger, of: u128, now: Timestamp) -> (BreakerState, bool) {
    let rules = rules();
    let state = BreakerState::of(&ledger.view, ActiveMode::Enforce, &rules.breaker, now);
    let track = ledger.view.track(ActiveMode::Enforce);
    (state, state.allows(track, folder(of), &rules, now))
}

/// Attempts in as many folders that brought nothing back, of a class that helped before.
fn in_vain(ledger: &mut TestLedger, folders: std::ops::RangeInclusive<u128>, at: Timestamp) {
    ledger.judged(
        20,
        ago(DAY),
        &(1..=20).collect::<Vec<_>>(),
        Verdict::Recovered,
    );
    for of in folders {
        ledger.judged(of, at, &[1], Verdict::None);
    }
}

#[test]
fn the_breaker_opens_stays_open_lets_one_folder_try_and_does_what_comes_of_it() {
    let mut ledger = TestLedger::new();
    in_vain(&mut ledger, 1..=2, ago(HOUR * 7));
    ledger.judged(2, ago(HOUR * 7), &[1], Verdict::None);
    ledger.judged(3, ago(HOUR * 7), &[1], Verdict::Inconclusive);
    assert_eq!(
        breaker(&ledger, 5, NOON).0,
        BreakerState::Closed,
        "a folder counts once"
    );
    ledger.judged(4, ago(HOUR * 6), &[1], Verdict::None);
    let last = ago(Duration::from_millis(1));
    assert_eq!(
        breaker(&ledger, 5, last),
        (BreakerState::Open { until: NOON }, false)
    );
    let half_open = BreakerState::HalfOpen { but: folder(4) };
    assert_eq!(breaker(&ledger, 5, NOON), (half_open, true));
    assert_eq!(
        breaker(&ledger, 4, NOON),
        (half_open, false),
        "it failed last"
    );
    let rested = Timestamp::from_millis(NOON.as_millis() + 18 * 3_600_000);
    assert!(breaker(&ledger, 4, rested).1, "unless that is long ago");
    assert!(half_open.is_open());

    let probe = ledger.intend(ActiveMode::Enforce, 5, NOON, &[1]);
    assert!(!breaker(&ledger, 6, NOON).1, "one folder at a time");
    ledger.settle(probe, Outcome::Accepted { updated: 1 });
    assert!(!breaker(&ledger, 6, NOON).1, "until it is judged");
    let mut helped = ledger.clone();
    helped.judge(probe, NOON, Verdict::Recovered);
    assert_eq!(breaker(&helped, 6, NOON).0, BreakerState::Closed);
    ledger.judge(probe, NOON, Verdict::None);
    let (state, _) = breaker(&ledger, 6, NOON);
    assert!(matches!(state, BreakerState::Open { until } if until.since(NOON) == HOUR * 6));
}

#[test]
fn a_class_that_does_not_respond_stops_no_other_and_an_effect_ends_every_row() {
    let mut ledger = TestLedger::new();
    for of in 1..=9 {
        ledger.judged(of, ago(HOUR), &[1], Verdict::None);
    }
    assert_eq!(
        breaker(&ledger, 10, NOON).0,
        BreakerState::Closed,
        "unresponsive"
    );
    let mut ledger = TestLedger::new();
    in_vain(&mut ledger, 1..=2, ago(HOUR * 3));
    ledger.other_class_in_vain();
    in_vain(&mut ledger, 3..=3, ago(HOUR * 2));
    let (state, _) = breaker(&ledger, 10, NOON);
    assert!(state.is_open(), "the other class, which helped before");
    ledger.judged(11, ago(HOUR), &[1], Verdict::Recovered);
    assert_eq!(breaker(&ledger, 10, NOON).0, BreakerState::Closed);
}

#[test]
fn who_tries_and_shows_no_effect_keeps_the_breaker_open_for_as_long_anew() {
    let later = |time: i64| Timestamp::from_millis(NOON.as_millis() + 60_000 * time);
    let answers: [fn(&mut TestLedger, AttemptId); 3] = [
        |ledger, probe| ledger.settle(probe, refused(403, None)),
        |ledger, probe| {
            ledger.settle(probe, Outcome::Accepted { updated: 1 });
            ledger.judge(probe, NOON, Verdict::Inconclusive);
        },
        |ledger, probe| {
            let why = Lost::NoAnswer;
            ledger.settle(probe, Outcome::Unknown { why });
            ledger.judge(probe, NOON, Verdict::Inconclusive);
        },
    ];
    for (row, answer) in answers.into_iter().enumerate() {
        let mut ledger = TestLedger::new();
        // Neither of these tried whether the breaker may close: they were made before it opened.
        let before = ledger.intend(ActiveMode::Enforce, 8, ago(HOUR * 7), &[1]);
        ledger.settle(before, refused(404, None));
        ledger.judged(9, ago(HOUR * 6), &[1], Verdict::Inconclusive);
        in_vain(&mut ledger, 1..=3, ago(HOUR * 6));
        // One after the other tries, and none shows anything; each keeps it open for six hours.
        for (minutes, of) in [(0, 4), (360, 5), (900, 6)] {
            let now = later(minutes);
            let (state, allows) = breaker(&ledger, of, now);
            assert!(
                matches!(state, BreakerState::HalfOpen { .. }) && allows,
                "{row}, {minutes}"
            );
            let probe = ledger.intend(ActiveMode::Enforce, of, now, &[1]);
            answer(&mut ledger, probe);
            for minute in [0, 1, 359] {
                let until = later(minutes + 360);
                let found = breaker(&ledger, 7, later(minutes + minute));
                assert_eq!(
                    found,
                    (BreakerState::Open { until }, false),
                    "{row}, {minutes}"
                );
            }
        }
        let last = ledger.intend(ActiveMode::Enforce, 7, later(1_260), &[1]);
        ledger.settle(last, Outcome::Accepted { updated: 1 });
        ledger.judge(last, later(1_260), Verdict::Recovered);
        assert_eq!(
            breaker(&ledger, 4, later(1_260)).0,
            BreakerState::Closed,
            "{row}"
        );
    }
}
