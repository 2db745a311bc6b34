//! Every reason, each by one thing that is otherwise than in a folder that triggers.

use std::collections::HashSet;

use super::*;
use crate::config::{Budget, Ratio};
use crate::model::Status;

/// In which modes one thing leads to a reason.
#[derive(Clone, Copy, PartialEq, Eq)]
enum In {
    Both,
    Enforce,
}

type Otherwise = fn(&mut Setup);

fn mode_of(setup: &Setup) -> ActiveMode {
    ActiveMode::of(setup.rules.mode).unwrap_or(ActiveMode::Enforce)
}

/// Four failed files that are not helped for each one that may be.
fn ride_along(setup: &mut Setup) {
    setup.rules.max_ride_along = 0;
    setup.rules.never_classes = vec!["virus".into()];
    setup.fail(5);
    for file in &mut setup.failed[1..] {
        file.class = Class::Text("virus".into());
    }
}

/// An attempt on all files in the other folder, yesterday.
fn attempted(setup: &mut Setup, of: u128, at: Timestamp) -> AttemptId {
    let mode = mode_of(setup);
    setup.ledger.intend(mode, of, at, &[1, 2, 3])
}

/// An attempt in the folder two days ago that brought nothing back.
fn tried_in_vain(setup: &mut Setup) {
    setup.ledger.judged(1, ago(DAY * 2), &[1], Verdict::None);
}

const TABLE: &[(Reason, In, Otherwise)] = &[
    (Reason::Off, In::Both, |s| s.rules.mode = Mode::Off),
    (Reason::KillSwitch, In::Both, |s| s.kill_switch = true),
    (Reason::LedgerUnavailable, In::Both, |s| {
        s.ledger_usable = false;
    }),
    (Reason::Clock, In::Both, |s| s.clock_trusted = false),
    (Reason::Clock, In::Both, |s| {
        attempted(s, 2, Timestamp::from_millis(NOON.as_millis() + 1));
    }),
    (Reason::NotWhole, In::Both, |s| {
        s.quality = CountQuality::NotWhole;
    }),
    (Reason::Stale, In::Both, |s| s.quality = CountQuality::Stale),
    (Reason::PortalErring, In::Both, |s| s.portal_erring = true),
    (Reason::StartingUp, In::Both, |s| {
        s.quality = CountQuality::First;
    }),
    (Reason::BelowMinFailed, In::Both, |s| s.fail(0)),
    (Reason::BelowMinFailed, In::Both, |s| {
        s.rules.min_failed = 4.try_into().unwrap();
    }),
    (Reason::RowsNotWhole, In::Both, |s| s.whole = false),
    (Reason::RowsNotWhole, In::Both, |s| {
        s.counts[Status::Failed] += 1;
    }),
    (Reason::NeverClass, In::Both, |s| {
        s.rules.never_classes = vec!["timeout".into()];
    }),
    (Reason::NeverClass, In::Both, |s| {
        s.rules.retry_classes = vec!["page lost".into()];
    }),
    (Reason::Exhausted, In::Both, |s| {
        for days in [30, 20, 10] {
            s.ledger
                .judged(1, ago(DAY * days), &[1, 2, 3], Verdict::None);
        }
    }),
    (Reason::TooYoung, In::Both, |s| {
        s.failed
            .iter_mut()
            .for_each(|file| file.since = ago(MINUTE * 9));
    }),
    (Reason::MaxFailedRatio, In::Both, |s| {
        s.fail(20);
        s.counts[Status::Done] = 19;
        tried_in_vain(s);
    }),
    (Reason::Backlog, In::Both, |s| {
        s.counts[Status::Pending] = 60;
        s.counts[Status::Processing] = 41;
    }),
    (Reason::ExceedsBudget, In::Both, |s| {
        s.rules.budget.files = 2;
    }),
    (Reason::RideAlong, In::Both, ride_along),
    (Reason::Unjudged, In::Enforce, |s| {
        attempted(s, 1, ago(DAY * 2));
    }),
    (Reason::ClassRests, In::Enforce, |s| {
        for of in 2..=3 {
            attempted(s, of, ago(DAY * 2));
        }
    }),
    (Reason::ClassRests, In::Both, |s| {
        s.ledger.judged(2, ago(MINUTE * 59), &[1], Verdict::None);
    }),
    (Reason::Unresponsive, In::Both, |s| {
        for of in 2..=4 {
            s.ledger.judged(of, ago(HOUR), &[1], Verdict::None);
        }
    }),
    (Reason::NotCarriedOut, In::Enforce, |s| {
        for of in 2..=4 {
            let id = attempted(s, of, ago(MINUTE * 59));
            if s.rules.mode == Mode::Enforce {
                let why = crate::ledger::Lost::Status(503);
                s.ledger.settle(id, Outcome::Unknown { why });
                s.ledger.judge(id, ago(MINUTE), Verdict::Inconclusive);
            }
        }
    }),
    (Reason::Refused, In::Enforce, |s| {
        if s.rules.mode == Mode::Enforce {
            let id = attempted(s, 1, ago(MINUTE * 59));
            let refused = Outcome::Refused {
                status: 403,
                retry_after: None,
            };
            s.ledger.settle(id, refused);
        }
    }),
    (Reason::OutsideWindows, In::Both, |s| {
        s.rules.windows = reindex_windows("* * 22-23,0-5 * * *");
    }),
    (Reason::Cooldown, In::Both, |s| {
        let id = attempted(s, 1, ago(MINUTE * 59));
        if s.rules.mode == Mode::Enforce {
            s.ledger.settle(id, Outcome::Accepted { updated: 3 });
            s.ledger.judge(id, ago(MINUTE), Verdict::Recovered);
        }
    }),
    (Reason::Cooldown, In::Both, |s| {
        s.ledger.view = LedgerView::new(ago(MINUTE * 59));
    }),
    (Reason::Breaker, In::Enforce, |s| {
        // The class of the folder's files helped elsewhere since; another one, which often helped before, did not.
        s.ledger.other_class_in_vain();
    }),
    (Reason::BudgetActions, In::Both, |s| {
        s.rules.budget.actions = 0;
    }),
    (Reason::BudgetFiles, In::Both, |s| {
        s.rules.budget = Budget {
            actions: 10,
            files: 5,
            per: DAY,
        };
        let id = attempted(s, 2, ago(HOUR * 23));
        if s.rules.mode == Mode::Enforce {
            s.ledger.settle(id, Outcome::Accepted { updated: 3 });
        }
    }),
    (Reason::Eligible, In::Both, |_| {}),
];

fn reindex_windows(line: &str) -> Vec<crate::config::Window> {
    vec![crate::config::Window::parse(line).unwrap()]
}

#[test]
fn one_thing_otherwise_leads_to_each_reason() {
    for mode in [Mode::Enforce, Mode::DryRun] {
        for (line, (reason, modes, otherwise)) in TABLE.iter().enumerate() {
            let mut setup = Setup::new(mode);
            assert_eq!(setup.reason(), Reason::Eligible);
            otherwise(&mut setup);
            let holds = *modes == In::Both || mode == Mode::Enforce;
            let expected = if holds { *reason } else { Reason::Eligible };
            assert_eq!(setup.reason(), expected, "{mode:?}, line {line}");
        }
    }
}

#[test]
fn the_table_names_every_reason_and_each_has_a_word_of_its_own() {
    let named: HashSet<Reason> = TABLE.iter().map(|(reason, ..)| *reason).collect();
    let words: HashSet<&str> = Reason::ALL.iter().map(|reason| reason.as_str()).collect();
    assert_eq!(named, Reason::ALL.iter().copied().collect());
    assert_eq!(words.len(), Reason::ALL.len());
    for word in words {
        assert!(
            word.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_'),
            "{word}"
        );
    }
}

#[test]
fn an_attempt_takes_every_failed_file_and_says_in_which_mode() {
    for (mode, word) in [(Mode::Enforce, "trigger"), (Mode::DryRun, "dry_run")] {
        let mut setup = Setup::new(mode);
        setup.failed[1].since = ago(MINUTE);
        let decision = setup.decide();
        assert_eq!(decision.as_str(), word);
        let Choice::Trigger(trigger) = decision.choice else {
            panic!("{decision:?}");
        };
        assert_eq!(trigger.mode, mode_of(&setup));
        assert_eq!(trigger.files, [1, 2, 3].map(timeout));
        assert_eq!(
            (decision.numbers.retryable, decision.numbers.eligible),
            (3, 2)
        );
        setup.kill_switch = true;
        assert_eq!(setup.decide().as_str(), "hold");
    }
}

#[test]
fn many_failed_files_are_trouble_only_from_twenty_on_and_above_the_ratio() {
    let mut setup = Setup::new(Mode::Enforce);
    tried_in_vain(&mut setup);
    for (failed, done, reason) in [
        (19, 0, Reason::Eligible),
        (20, 20, Reason::Eligible),
        (20, 19, Reason::MaxFailedRatio),
    ] {
        setup.fail(failed);
        setup.counts[Status::Done] = done;
        assert_eq!(setup.reason(), reason, "{failed} of {}", done + 20);
    }
    let untried = Setup {
        ledger: TestLedger::new(),
        ..setup.clone()
    };
    assert_eq!(
        untried.reason(),
        Reason::Eligible,
        "not before it was tried"
    );
    setup.rules.max_failed_ratio = Ratio::new(1.0).unwrap();
    assert_eq!(setup.reason(), Reason::Eligible);
}

/// Berlin has no time from 02:00 to 02:59 on 29 March 2026, and has it twice on 25 October.
#[test]
fn windows_are_read_by_the_clock_on_the_wall_also_when_it_changes() {
    let mut setup = Setup::new(Mode::Enforce);
    setup.zone = Tz::Europe__Berlin;
    for (line, time, open) in [
        ("* * 2 * * *", "2026-03-28T01:30:00Z", true),
        ("* * 2 * * *", "2026-03-29T00:59:59Z", false),
        ("* * 2 * * *", "2026-03-29T01:00:00Z", false),
        ("* * 2 * * *", "2026-03-30T00:30:00Z", true),
        ("* * 1-3 * * *", "2026-03-29T00:59:59Z", true),
        ("* * 1-3 * * *", "2026-03-29T01:00:00Z", true),
        ("* * 1-3 * * *", "2026-03-29T02:00:00Z", false),
        ("* * 2 * * *", "2026-10-24T23:59:59Z", false),
        ("* * 2 * * *", "2026-10-25T00:00:00Z", true),
        ("* * 2 * * *", "2026-10-25T00:59:59Z", true),
        ("* * 2 * * *", "2026-10-25T01:00:00Z", true),
        ("* * 2 * * *", "2026-10-25T01:59:59Z", true),
        ("* * 2 * * *", "2026-10-25T02:00:00Z", false),
        ("* 30 2 * * *", "2026-10-25T00:30:59Z", true),
        ("* 30 2 * * *", "2026-10-25T01:30:00Z", true),
        ("* 30 2 * * *", "2026-10-25T01:31:00Z", false),
        ("* * * * * 7", "2026-10-25T22:59:59Z", true),
        ("* * * * * 7", "2026-10-25T23:00:00Z", false),
    ] {
        setup.rules.windows = reindex_windows(line);
        let at = chrono::DateTime::parse_from_rfc3339(time).unwrap();
        let now = Timestamp::from_millis(at.timestamp_millis());
        let expected = if open {
            Reason::Eligible
        } else {
            Reason::OutsideWindows
        };
        assert_eq!(setup.decide_at(now).reason(), expected, "{line} at {time}");
    }
}

#[test]
fn exhausted_files_ride_along_with_a_fresh_failure_and_do_not_hold_it() {
    let mut setup = Setup::new(Mode::Enforce);
    setup.fail(1);
    for days in [4, 3, 2] {
        setup.ledger.judged(1, ago(DAY * days), &[1], Verdict::None);
    }
    // Another folder has shown since that such errors come back.
    setup.ledger.judged(2, ago(HOUR), &[9], Verdict::Recovered);
    assert_eq!(setup.reason(), Reason::Exhausted);
    let numbers = |setup: &Setup| {
        let numbers = setup.decide().numbers;
        (numbers.retryable, numbers.exhausted, numbers.riding_along)
    };
    setup.fail(2);
    setup.failed[1].class = Class::Text("page lost".into());
    assert_eq!(numbers(&setup), (1, 1, 1));
    assert_eq!(setup.reason(), Reason::Eligible);
}

#[test]
fn files_that_cannot_be_helped_are_held_against_those_that_can() {
    for (bad, good, reason) in [
        (100, 1, Reason::Eligible),
        (101, 1, Reason::RideAlong),
        (101, 40, Reason::Eligible),
        (121, 40, Reason::RideAlong),
        (600, 200, Reason::Eligible),
    ] {
        let mut setup = Setup::new(Mode::Enforce);
        setup.rules.never_classes = vec!["password".into()];
        setup.counts[Status::Done] = 1_000;
        setup.fail(bad + good);
        for file in &mut setup.failed[..usize::try_from(bad).unwrap()] {
            file.class = Class::Text("password".into());
        }
        assert_eq!(setup.reason(), reason, "{bad} beside {good}");
    }
}

#[test]
fn attempts_of_a_dry_run_count_for_dry_runs_alone() {
    let mut setup = Setup::new(Mode::DryRun);
    for minutes in [40, 30, 20, 10] {
        attempted(&mut setup, 1, ago(MINUTE * minutes));
    }
    assert_eq!(setup.reason(), Reason::Cooldown);
    assert_eq!(setup.decide().numbers.exhausted, 0);
    setup.rules.mode = Mode::Enforce;
    assert_eq!(setup.reason(), Reason::Eligible);
}
