//! What the ledger tells of a class, and what follows from it.

use super::*;
use crate::ledger::ClassFate;

fn fate(recovered: u64, refailed: u64) -> ClassFate {
    ClassFate {
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
        let found = upper_bound(successes, trials);
        assert!(
            (found - bound).abs() < 0.001,
            "{successes} of {trials}: {found}"
        );
    }
}

#[test]
fn a_class_is_told_by_what_came_back_of_its_newest_attempts() {
    use Response::{Responsive, Unknown, Unresponsive};
    /// The folder, files come back and failed again; the newest first.
    type Told = &'static [(u128, u64, u64)];
    let table: &[(Told, Response)] = &[
        (&[], Unknown),
        (&[(1, 0, 1)], Unknown),
        (&[(1, 0, 100)], Unknown),
        (&[(1, 0, 8), (1, 0, 7)], Unknown),
        (&[(1, 0, 8), (1, 0, 8)], Unresponsive),
        (&[(1, 0, 1), (2, 0, 1)], Unknown),
        (&[(1, 0, 1), (2, 0, 1), (1, 0, 1)], Unknown),
        (&[(1, 0, 1), (2, 0, 1), (3, 0, 1)], Unresponsive),
        (&[(1, 0, 1), (2, 0, 1), (3, 1, 0)], Responsive),
        (&[(1, 1, 0)], Responsive),
        (&[(1, 1, 0), (2, 0, 30), (3, 0, 30), (4, 0, 30)], Unknown),
        (&[(1, 8, 0), (2, 0, 30), (3, 0, 30), (4, 0, 30)], Responsive),
        (&[(1, 0, 30), (2, 0, 30), (3, 8, 0)], Responsive),
        (&[(1, 0, 8), (2, 0, 8), (3, 0, 8), (4, 90, 0)], Unresponsive),
        (&[(1, 5, 95), (2, 5, 95), (3, 5, 95)], Unknown),
    ];
    for (line, (told, expected)) in table.iter().enumerate() {
        let fates: Vec<_> = told
            .iter()
            .map(|(of, recovered, refailed)| (folder(*of), fate(*recovered, *refailed)))
            .collect();
        let found = Response::of(fates.iter().map(|(of, fate)| (*of, fate)));
        assert_eq!(found, *expected, "line {line}");
    }
}

/// Whether a folder may try files of the class now.
fn is_ready(book: &Book, burst: Option<Burst>, now: Timestamp) -> bool {
    let class = Class::Text("timeout".into());
    let state = ClassState::of(&book.view, &class);
    state.is_ready(burst.as_ref(), &ReindexRules::default(), now)
}

#[test]
fn a_few_folders_try_an_unknown_class_and_all_do_once_it_came_back() {
    let mut book = Book::new();
    let first = book.intend(ActiveMode::Enforce, 1, ago(MINUTE * 9), &[1]);
    assert!(is_ready(&book, None, NOON));
    book.intend(ActiveMode::Enforce, 2, ago(MINUTE * 8), &[1]);
    assert!(!is_ready(&book, None, NOON), "two are enough");
    book.settle(first, Outcome::Accepted { updated: 1 });
    book.judge(first, ago(MINUTE), Verdict::Recovered);
    assert!(is_ready(&book, None, NOON));
    let later = Timestamp::from_millis(NOON.as_millis() + 3 * 3_600_000);
    assert!(is_ready(&book, None, later), "one is still open");
    book.intend(ActiveMode::Enforce, 3, later, &[1]);
    assert!(
        !is_ready(&book, None, later),
        "that it came back is long ago"
    );
}

#[test]
fn a_class_rests_after_attempts_in_vain_for_pauses_that_double() {
    let mut book = Book::new();
    let times = [DAY * 9, DAY * 8, DAY * 7];
    for (of, (at, hours)) in (1..).zip(times.iter().zip([1_u32, 2, 4])) {
        book.judged(of, ago(*at), &[1], Verdict::None);
        let end = ago(*at - HOUR * hours);
        assert!(is_ready(&book, None, end), "{hours}");
        assert!(!is_ready(&book, None, end.before(MINUTE)), "{hours}");
    }
}

#[test]
fn while_more_files_fail_a_class_waits_and_is_tried_when_none_does_any_more() {
    let mut book = Book::new();
    let minutes_ago = |minutes: u32| ago(MINUTE * minutes);
    let burst = |book: &Book, files, first, newest| Burst {
        after: book
            .view
            .track(ActiveMode::Enforce)
            .last_of(folder(1))
            .map(|last| last.intended),
        files,
        first: minutes_ago(first),
        newest: minutes_ago(newest),
    };
    for (files, first, newest, ready) in [
        (40, 40, 1, false),
        (40, 40, 9, false),
        (40, 50, 10, true),
        (3, 50, 20, false),
        (4, 58, 40, true),
        (2, 3, 1, true),
        (40, 61, 1, true),
    ] {
        let burst = burst(&book, files, first, newest);
        assert_eq!(
            is_ready(&book, Some(burst), NOON),
            ready,
            "{files}, {first}, {newest}"
        );
    }
    book.judged(1, minutes_ago(45), &[1], Verdict::None);
    assert!(!is_ready(&book, None, NOON), "it rests");
    let quiet = burst(&book, 30, 40, 10);
    assert!(
        is_ready(&book, Some(quiet), NOON),
        "the cause seems to have ended"
    );
    let earlier = Burst {
        after: None,
        ..quiet
    };
    assert!(
        !is_ready(&book, Some(earlier), NOON),
        "before the last attempt"
    );
}

#[test]
fn a_class_that_does_not_respond_is_tried_in_the_folder_in_which_least_is_sent() {
    let mut setup = Setup::new(Mode::Enforce);
    for (of, days) in [(7, 5), (8, 4), (9, 3)] {
        setup.book.judged(of, ago(DAY * days), &[1], Verdict::None);
    }
    let outlook = |setup: &Setup, others: &[(u128, usize)]| {
        let files = setup.failed.clone();
        let others: Vec<_> = others
            .iter()
            .map(|(of, count)| (folder(*of), &files[..*count]))
            .collect();
        let all = others.into_iter().chain([(folder(1), &files[..])]);
        let all = all.map(|(folder, files)| FolderFailures {
            folder,
            rules: &setup.rules,
            files,
        });
        Outlook::of(all, &setup.book.view, NOON)
    };
    let class = Class::Text("timeout".into());
    let probe = |others: &[(u128, usize)]| {
        let outlook = outlook(&setup, others);
        (1..=9).find(|of| outlook.is_probe(&class, folder(*of)))
    };
    assert_eq!(probe(&[]), Some(1));
    assert_eq!(probe(&[(2, 1), (3, 2)]), Some(2));
    assert_eq!(
        probe(&[(9, 1), (3, 2)]),
        Some(3),
        "the one that failed last comes last"
    );
    assert_eq!(setup.reason(), Reason::Eligible, "as the probe");
    setup.rules.min_age = HOUR * 2;
    assert_eq!(outlook(&setup, &[]).is_probe(&class, folder(1)), false);
}
