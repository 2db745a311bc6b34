//! Every reason, each by one thing that is otherwise than in a folder that is sent.

use std::collections::HashSet;

use super::*;
use crate::config::Window;

type Otherwise = fn(&mut Setup);

/// An attempt in a folder that was answered so, with three files of another class.
fn answered(setup: &mut Setup, of: u128, at: Timestamp, outcome: Outcome) {
    let id = setup.ledger.intend(of, at, "reset", &[1, 2, 3]);
    setup.ledger.settle(id, outcome);
}

const TABLE: &[(Reason, Otherwise)] = &[
    (Reason::Off, |s| s.folder().rules.mode = Mode::Off),
    (Reason::KillSwitch, |s| s.kill_switch = true),
    (Reason::Ledger, |s| s.ledger_usable = false),
    (Reason::Ledger, |s| {
        s.ledger.view = Book::new(ago(MINUTE * 59));
    }),
    (Reason::Clock, |s| {
        let later = NOON.after(Duration::from_millis(1));
        s.ledger.tried(2, later, "reset", 1, 1);
    }),
    (Reason::Portal, |s| s.is_unusable = true),
    (Reason::Portal, |s| {
        answered(s, 2, ago(MINUTE * 5), unavailable(None));
    }),
    (Reason::Portal, |s| {
        answered(s, 1, ago(MINUTE * 59), refused(403, None));
    }),
    (Reason::Counts, |s| s.folder().usable = false),
    (Reason::NothingEligible, |s| s.folder().failed.clear()),
    (Reason::NothingEligible, |s| {
        s.folder().rules.never_classes = vec!["timeout".into()];
    }),
    (Reason::NothingEligible, |s| {
        s.folder().age(MINUTE * 9);
    }),
    (Reason::NothingEligible, |s| {
        for days in [30, 20, 10] {
            s.ledger.tried(1, ago(DAY * days), "timeout", 3, 0);
        }
    }),
    (Reason::OutsideWindows, |s| {
        s.folder().rules.windows = windows("* * 22-23,0-5 * * *");
    }),
    (Reason::Cooldown, |s| {
        s.ledger.tried(1, ago(MINUTE * 59), "timeout", 3, 3);
    }),
    (Reason::Cooldown, |s| {
        answered(s, 1, ago(HOUR * 2), Outcome::Accepted { updated: 3 });
    }),
    (Reason::Backlog, |s| {
        s.folder().counts[Status::Pending] = 60;
        s.folder().counts[Status::Processing] = 41;
    }),
    (Reason::Class, |s| {
        s.ledger.tried(2, ago(MINUTE * 30), "timeout", 3, 0);
    }),
    (Reason::Budget, |s| {
        s.folder().rules.budget.files = 5;
        s.ledger.tried(2, ago(HOUR * 23), "reset", 3, 3);
    }),
    (Reason::Budget, |s| s.folder().rules.budget.files = 0),
    (Reason::Eligible, |_| {}),
];

fn windows(line: &str) -> Vec<Window> {
    vec![Window::parse(line).unwrap()]
}

#[test]
fn one_thing_otherwise_leads_to_each_reason() {
    for mode in [Mode::Enforce, Mode::DryRun] {
        for (line, (reason, otherwise)) in TABLE.iter().enumerate() {
            let mut setup = Setup::new(mode);
            assert_eq!(setup.reason(), Reason::Eligible);
            otherwise(&mut setup);
            assert_eq!(setup.reason(), *reason, "{mode:?}, line {line}");
        }
    }
}

#[test]
fn the_table_names_every_reason_and_each_has_a_word_of_its_own() {
    let named: HashSet<Reason> = TABLE.iter().map(|(reason, _)| *reason).collect();
    let words: HashSet<&str> = Reason::ALL.iter().map(|reason| reason.as_str()).collect();
    assert_eq!(named, Reason::ALL.iter().copied().collect());
    assert_eq!(words.len(), Reason::ALL.len());
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    assert!(words.iter().all(|word| word.bytes().all(is_plain)));
}

#[test]
fn a_dry_run_decides_what_would_be_sent_and_sends_nothing() {
    for (mode, word, sent) in [
        (Mode::Enforce, "trigger", &[1][..]),
        (Mode::DryRun, "dry_run", &[]),
    ] {
        let mut setup = Setup::new(mode);
        setup.folder().failed[1].since = ago(MINUTE);
        let decision = setup.decision();
        assert_eq!(decision.as_str(), word);
        assert_eq!((decision.numbers.failed, decision.numbers.eligible), (3, 2));
        assert_eq!(setup.sent(), sent);
        setup.kill_switch = true;
        assert_eq!(setup.decision().as_str(), "hold");
    }
}

#[test]
fn a_hold_says_until_when() {
    let mut setup = Setup::new(Mode::Enforce);
    setup.ledger.tried(1, ago(MINUTE * 59), "timeout", 3, 3);
    let until = |setup: &Setup| setup.hold().unwrap().until;
    assert_eq!(until(&setup), Some(NOON.after(MINUTE)));
    let mut setup = Setup::new(Mode::Enforce);
    setup.folder().age(MINUTE * 9);
    assert_eq!(until(&setup), Some(NOON.after(MINUTE)));
    setup.folder().rules.never_classes = vec!["timeout".into()];
    assert_eq!(until(&setup), None);
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
        ("* * 2 * * *", "2026-10-25T01:59:59Z", true),
        ("* * 2 * * *", "2026-10-25T02:00:00Z", false),
        ("* 30 2 * * *", "2026-10-25T00:30:59Z", true),
        ("* 30 2 * * *", "2026-10-25T01:30:00Z", true),
        ("* 30 2 * * *", "2026-10-25T01:31:00Z", false),
        ("* * * * * 7", "2026-10-25T22:59:59Z", true),
        ("* * * * * 7", "2026-10-25T23:00:00Z", false),
    ] {
        setup.folder().rules.windows = windows(line);
        let at = chrono::DateTime::parse_from_rfc3339(time).unwrap();
        setup.now = Timestamp::from_millis(at.timestamp_millis());
        let expected = if open {
            Reason::Eligible
        } else {
            Reason::OutsideWindows
        };
        assert_eq!(setup.reason(), expected, "{line} at {time}");
    }
}

#[test]
fn a_window_opens_by_peoples_time_and_a_cooldown_ends_by_the_ledgers() {
    let mut setup = Setup::new(Mode::Enforce);
    setup.folder().rules.windows = windows("* * 12 * * *");
    assert_eq!(setup.reason(), Reason::Eligible);
    setup.wall = Some(NOON.after(HOUR));
    assert_eq!(setup.reason(), Reason::OutsideWindows);
    setup.folder().rules.windows.clear();
    setup.ledger.tried(1, ago(MINUTE * 59), "timeout", 3, 3);
    assert_eq!(setup.reason(), Reason::Cooldown);
}

#[test]
fn an_attempt_is_worth_it_with_ten_files_that_are_not_eligible_for_each_that_is_or_a_hundred() {
    for (bad, good, reason) in [
        (100, 1, Reason::Eligible),
        (101, 1, Reason::NothingEligible),
        (110, 11, Reason::Eligible),
        (111, 11, Reason::NothingEligible),
        (600, 60, Reason::Eligible),
    ] {
        let mut setup = Setup::with(vec![TestFolder::failing(1, good)]);
        setup.folder().rules.never_classes = vec!["password".into()];
        setup.folder().fail(bad, "password", ago(HOUR * 2));
        setup.folder().counts[Status::Done] = 1_000;
        // Files that failed long ago: nothing is to be waited for.
        setup.now = NOON.after(HOUR * 2);
        assert_eq!(setup.reason(), reason, "{bad} beside {good}");
        if let Some(hold) = setup.hold() {
            let eligible = u64::try_from(good).unwrap();
            let others = u64::try_from(bad).unwrap();
            let most = others - 1;
            let cause = Cause::Others {
                eligible,
                others,
                most,
            };
            assert_eq!(hold.cause, Some(cause), "other files hold it, not these");
        }
    }
}

#[test]
fn a_backlog_may_be_a_tenth_of_the_folder() {
    let mut setup = Setup::new(Mode::Enforce);
    setup.folder().counts[Status::Done] = 5_000;
    setup.folder().counts[Status::Pending] = 500;
    assert_eq!(setup.reason(), Reason::Eligible);
    setup.folder().counts[Status::Pending] = 600;
    assert_eq!(setup.reason(), Reason::Backlog);
}
