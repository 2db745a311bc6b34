//! The state of a class, and what follows from it.

use super::*;
use crate::ledger::ClassResult;

fn result(recovered: u64, refailed: u64) -> ClassResult {
    ClassResult {
        class: Class::Text("timeout".into()),
        sent: recovered + refailed,
        recovered,
        refailed,
    }
}

#[test]
fn the_bound_on_a_success_rate_falls_with_the_trials() {
    for (successes, trials, bound) in [
        (0.0, 0.0, 1.0),
        (0.0, 1.0, 0.793),
        (0.0, 10.0, 0.278),
        (0.0, 20.0, 0.161),
        (1.0, 20.0, 0.236),
        (10.0, 10.0, 1.0),
        (5.0, 10.0, 0.763),
    ] {
        let found = class::upper_bound(successes, trials);
        assert!(
            (found - bound).abs() < 0.001,
            "{successes} of {trials}: {found}"
        );
    }
}

#[test]
fn whether_a_class_responds_depends_on_the_results_of_its_newest_attempts() {
    use Response::{Responsive, Unknown, Unresponsive};
    /// The folder, files come back and failed again; the newest first.
    type Classes = &'static [(u128, u64, u64)];
    let table: &[(Classes, Response)] = &[
        (&[], Unknown),
        (&[(1, 0, 1)], Unknown),
        (&[(1, 0, 100)], Unresponsive),
        (&[(1, 0, 8), (1, 0, 7)], Unknown),
        (&[(1, 0, 8), (1, 0, 8)], Unresponsive),
        (&[(1, 0, 1), (2, 0, 1)], Unknown),
        (&[(1, 0, 1), (2, 0, 1), (1, 0, 1)], Unknown),
        (&[(1, 0, 1), (2, 0, 1), (3, 0, 1)], Unresponsive),
        (&[(1, 0, 1), (2, 0, 1), (3, 1, 0)], Responsive),
        (&[(1, 1, 0)], Responsive),
        (&[(1, 1, 0), (2, 0, 30), (3, 0, 30)], Unknown),
        (&[(1, 8, 0), (2, 0, 30), (3, 0, 30)], Responsive),
        (&[(1, 0, 30), (2, 0, 30), (3, 8, 0)], Unresponsive),
        (&[(1, 5, 95), (2, 5, 95), (3, 5, 95)], Unknown),
    ];
    for (line, (results, expected)) in table.iter().enumerate() {
        let results: Vec<_> = results
            .iter()
            .map(|(of, recovered, refailed)| (folder(*of), result(*recovered, *refailed)))
            .collect();
        let found = Response::of(results.iter().map(|(of, result)| (*of, result)));
        assert_eq!(found, *expected, "line {line}");
    }
}

/// How many folders may try files of the class now; `fresh`: minutes since files failed that were not sent yet.
fn pace(ledger: &TestLedger, fresh: &[u32], now: Timestamp) -> ClassPace {
    let rules = ReindexRules::default();
    let file = |(number, minutes): (usize, &u32)| FailedFile {
        key: key(900 + number as u128),
        since: now.before(MINUTE * *minutes),
        class: Class::Text("timeout".into()),
    };
    let files: Vec<_> = fresh.iter().enumerate().map(file).collect();
    let failures = FolderFailures {
        folder: folder(99),
        rules: &ReindexRules {
            mode: Mode::Enforce,
            ..rules.clone()
        },
        files: &files,
    };
    let outlook = Outlook::of([failures], &ledger.view, now);
    let class = Class::Text("timeout".into());
    ClassState::of(&ledger.view, &class).pace(outlook.fresh(&class), &rules, now)
}

#[test]
fn a_few_folders_try_an_unknown_class_and_all_do_once_enough_of_it_came_back() {
    let mut ledger = TestLedger::new();
    let first = ledger.intend(ActiveMode::Enforce, 1, ago(MINUTE * 9), &[1]);
    assert_eq!(pace(&ledger, &[], NOON), ClassPace::Few);
    let second = ledger.intend(ActiveMode::Enforce, 2, ago(MINUTE * 8), &[1, 2, 3]);
    assert_eq!(
        pace(&ledger, &[], NOON),
        ClassPace::Paused,
        "two are enough"
    );
    ledger.settle(first, Outcome::Accepted { updated: 1 });
    ledger.judge(first, ago(MINUTE), Verdict::Recovered);
    assert_eq!(
        pace(&ledger, &[], NOON),
        ClassPace::Few,
        "one file shows little"
    );
    ledger.settle(second, Outcome::Accepted { updated: 3 });
    ledger.judge(second, ago(MINUTE), Verdict::Recovered);
    assert_eq!(pace(&ledger, &[], NOON), ClassPace::All);
    let later = Timestamp::from_millis(NOON.as_millis() + 2 * 3_600_000);
    assert_eq!(
        pace(&ledger, &[], later),
        ClassPace::Few,
        "that is long ago"
    );
}

#[test]
fn a_class_rests_after_attempts_in_vain_for_pauses_that_double_once_it_does_not_respond() {
    let mut ledger = TestLedger::new();
    let days = [9, 8, 7, 6, 5];
    for (of, (days, hours)) in (1..).zip(days.into_iter().zip([1_u32, 1, 4, 8, 16])) {
        ledger.judged(of, ago(DAY * days), &[1], Verdict::None);
        let end = ago((DAY * days).checked_sub(HOUR * hours).unwrap());
        assert_eq!(pace(&ledger, &[], end), ClassPace::One, "{hours}");
        assert_eq!(
            pace(&ledger, &[], end.before(MINUTE)),
            ClassPace::Paused,
            "{hours}"
        );
    }
}

#[test]
fn while_more_files_fail_one_folder_shows_for_all_and_again_when_none_does_any_more() {
    let mut ledger = TestLedger::new();
    ledger.judged(1, ago(MINUTE * 70), &[1, 2, 3, 4], Verdict::Recovered);
    let helped = ledger.clone();
    assert_eq!(
        pace(&helped, &[9, 8], NOON),
        ClassPace::All,
        "too few to tell"
    );
    assert_eq!(
        pace(&helped, &[9, 9, 9, 9], NOON),
        ClassPace::All,
        "at once"
    );
    assert_eq!(pace(&helped, &[9, 6, 3], NOON), ClassPace::One);
    assert_eq!(
        pace(&helped, &[48, 46, 44], NOON),
        ClassPace::All,
        "it has ended"
    );
    ledger.judged(2, ago(MINUTE * 40), &[1], Verdict::None);
    assert_eq!(pace(&ledger, &[], NOON), ClassPace::Paused);
    assert_eq!(
        pace(&ledger, &[48, 46, 44], NOON),
        ClassPace::One,
        "it has ended since"
    );
    assert_eq!(
        pace(&ledger, &[49, 43, 37], NOON),
        ClassPace::Paused,
        "not so soon"
    );
    assert_eq!(
        pace(&ledger, &[58, 57, 56], NOON),
        ClassPace::Paused,
        "it was tried since"
    );
}

#[test]
fn the_folder_that_shows_for_all_is_the_one_in_which_least_is_sent() {
    let class = Class::Text("timeout".into());
    let mut ledger = TestLedger::new();
    let gain =
        |ledger: &TestLedger, files, pace| ClassState::of(&ledger.view, &class).gain(files, pace);
    let (few, many) = (
        gain(&ledger, 2, ClassPace::Few),
        gain(&ledger, 9, ClassPace::Few),
    );
    assert!(few < many, "nothing is known: most to gain");
    ledger.judged(1, ago(HOUR * 3), &[1], Verdict::None);
    for pace in [ClassPace::One, ClassPace::Few] {
        let difference = gain(&ledger, 9, pace) - gain(&ledger, 2, pace);
        assert!(difference.abs() < 1e-9, "{pace:?}: one file shows as much");
    }
    assert!(gain(&ledger, 2, ClassPace::All) < gain(&ledger, 9, ClassPace::All));
}
