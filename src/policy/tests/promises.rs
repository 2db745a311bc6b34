//! Random histories of a portal: whatever happens in whatever order, no attempt breaks a promise.

mod portal;
mod world;

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use super::*;
use crate::config::{Budget, Window};
use portal::{Answer, FOLDERS};
use world::World;

#[derive(Debug, Clone, Copy)]
enum Step {
    Upload {
        folder: u128,
        files: u8,
    },
    /// Each file that waits gets one of these statuses, by its number.
    Process {
        folder: u128,
        statuses: [Status; 3],
    },
    Replace {
        folder: u128,
    },
    /// Every folder is read, and attempts are made.
    Read {
        after_minutes: u16,
        whole: bool,
        answer: Answer,
    },
    SetClockBack {
        minutes: u16,
    },
    SetKillSwitch(bool),
    Reload {
        rules: usize,
    },
    Restart,
    Tidy,
}

fn step() -> impl Strategy<Value = Step> {
    let of = 0..FOLDERS;
    let status = prop::sample::select(vec![
        Status::Done,
        Status::Failed,
        Status::Failed,
        Status::Flagged,
        Status::Processing,
    ]);
    let statuses = [status.clone(), status.clone(), status];
    let answer = prop_oneof![
        6 => Just(Answer::Accepted),
        1 => prop::sample::select(vec![403, 404, 429]).prop_map(Answer::Refused),
        1 => any::<bool>().prop_map(|worked| Answer::Lost { worked }),
        1 => any::<bool>().prop_map(|sent| Answer::Crash { sent }),
    ];
    let after = prop_oneof![6 => 1..90_u16, 2 => 90..1_500_u16];
    prop_oneof![
        3 => (of.clone(), 1..5_u8).prop_map(|(folder, files)| Step::Upload { folder, files }),
        8 => (of.clone(), statuses).prop_map(|(folder, statuses)| Step::Process { folder, statuses }),
        1 => of.prop_map(|folder| Step::Replace { folder }),
        12 => (after, prop::bool::weighted(0.9), answer)
            .prop_map(|(after_minutes, whole, answer)| Step::Read { after_minutes, whole, answer }),
        1 => (2..200_u16).prop_map(|minutes| Step::SetClockBack { minutes }),
        1 => prop::bool::weighted(0.2).prop_map(Step::SetKillSwitch),
        1 => (0..RULES).prop_map(|rules| Step::Reload { rules }),
        1 => Just(Step::Restart),
        1 => Just(Step::Tidy),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 1..120)
}

/// How many [`rules`] there are.
const RULES: usize = 5;

/// Rules under which attempts are frequent and each limit is reached.
fn rules(number: usize) -> ReindexRules {
    let budget = |files, per| Budget { files, per };
    let usual = ReindexRules {
        mode: Mode::Enforce,
        min_age: MINUTE * 5,
        max_attempts: 2.try_into().unwrap(),
        budget: budget(10, DAY),
        max_backlog: 8,
        ..ReindexRules::default()
    };
    match number {
        0 => usual,
        1 => ReindexRules {
            min_age: Duration::ZERO,
            cooldown: MINUTE * 10,
            budget: budget(60, HOUR * 12),
            ..usual
        },
        2 => ReindexRules {
            never_classes: vec![portal::POISON.into()],
            windows: vec![Window::parse("* * 8-19 * * *").unwrap()],
            ..usual
        },
        3 => ReindexRules {
            mode: Mode::DryRun,
            ..usual
        },
        _ => ReindexRules {
            mode: Mode::Off,
            ..usual
        },
    }
}

/// An attempt, noted without the ledger.
#[derive(Debug)]
struct Noted {
    folder: u128,
    /// By a clock that nobody sets.
    at: Duration,
    /// Files that the portal may have queued.
    files: u64,
    refused: bool,
}

impl World {
    /// Checks what is promised of an attempt that is about to be made.
    fn check(&self, of: u128) {
        let rules = &self.rules;
        assert_eq!(rules.mode, Mode::Enforce, "the mode");
        assert!(!self.kill_switch, "the kill switch is on");
        assert!(
            rules.windows.is_empty() || (8..20).contains(&self.hour()),
            "outside the windows"
        );
        assert!(self.passed >= rules.cooldown, "the portal was just met");
        let portal = &self.folders[&of];
        let failed = portal.failed().count() as u64;
        let mut eligible = portal.failed().filter(|(_, file)| {
            let age = file.failed_since.map(|(_, since)| self.since(since));
            let never = rules.never_classes.contains(&file.class().to_owned());
            age >= Some(rules.min_age) && !never
        });
        assert!(eligible.next().is_some(), "min_age");
        if let Some(last) = self.noted.iter().rfind(|noted| noted.folder == of) {
            let passed = self.since(last.at);
            assert!(passed >= rules.cooldown, "{passed:?} after {last:?}");
        }
        let is_open = |requeued| self.since(requeued) < DAY;
        assert!(!portal.requeued().any(is_open), "a result is open");
        let recent = self.noted.iter();
        let recent = recent.filter(|noted| self.since(noted.at) < rules.budget.per);
        let recent: Vec<_> = recent.filter(|noted| !noted.refused).collect();
        let files: u64 = recent.iter().map(|noted| noted.files).sum();
        let is_alone = files == 0 && failed > rules.budget.files;
        let fits = files + failed <= rules.budget.files;
        assert!(is_alone || fits, "{recent:?}");
    }
}

/// Runs a history, and returns the reasons, outcomes and verdicts that occurred.
fn run(steps: Vec<Step>) -> BTreeSet<&'static str> {
    let mut world = World::new();
    for step in steps {
        world.step(step);
    }
    world.met
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn no_attempt_breaks_a_promise(steps in steps()) {
        run(steps);
    }
}

#[test]
fn the_histories_reach_each_checked_limit_and_each_outcome() {
    let mut runner = TestRunner::deterministic();
    let mut met = BTreeSet::new();
    for _ in 0..200 {
        met.extend(run(steps().new_tree(&mut runner).unwrap().current()));
    }
    let limits = [
        Reason::Off,
        Reason::KillSwitch,
        Reason::Clock,
        Reason::Portal,
        Reason::Counts,
        Reason::NothingEligible,
        Reason::OutsideWindows,
        Reason::Cooldown,
        Reason::Class,
        Reason::Budget,
        Reason::Eligible,
    ];
    let words = limits.iter().map(|reason| reason.as_str());
    let outcomes = ["accepted", "refused", "unknown"];
    let verdicts = Verdict::ALL.map(Verdict::as_str);
    for word in words.chain(outcomes).chain(verdicts) {
        assert!(met.contains(word), "{word} never occurred: {met:?}");
    }
}
