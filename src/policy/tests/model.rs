//! Whatever happens in whatever order, every attempt keeps every promise.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use super::world::{FOLDERS, World};
use super::*;
use crate::config::{Breaker, Budget};

/// What a portal makes of a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum Answer {
    /// It queues the files, and says how many and so many more.
    Accept { more: u64 },
    /// It refuses, with this status.
    Refuse { status: u16 },
    /// The answer is lost, after or before the work was done.
    Lose { worked: bool },
    /// The program ends, after or before the request was sent.
    Crash { sent: bool },
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    Upload {
        folder: u128,
        files: u8,
    },
    /// Every file that waits ends in one of these states, by its number.
    Process {
        folder: u128,
        ends: [Status; 3],
    },
    Delete {
        folder: u128,
    },
    Replace {
        folder: u128,
    },
    /// So many minutes later every folder is read, and attempts are made.
    Round {
        minutes: u16,
        whole: bool,
        answer: Answer,
    },
    /// No folder can be read.
    Outage {
        minutes: u16,
    },
    /// The time of day is set forward or back, by more than clocks drift apart.
    Clock {
        minutes: i64,
    },
    Reload {
        rules: usize,
    },
    Restart,
    Tidy,
}

fn step() -> impl Strategy<Value = Step> {
    let of = 0..FOLDERS;
    let end = prop::sample::select(vec![
        Status::Done,
        Status::Failed,
        Status::Failed,
        Status::Flagged,
        Status::Processing,
    ]);
    let answer = prop_oneof![
        6 => prop_oneof![4 => Just(0), 1 => 1..20_u64].prop_map(|more| Answer::Accept { more }),
        1 => prop::sample::select(vec![403, 404, 429]).prop_map(|status| Answer::Refuse { status }),
        1 => any::<bool>().prop_map(|worked| Answer::Lose { worked }),
        1 => any::<bool>().prop_map(|sent| Answer::Crash { sent }),
    ];
    let minutes = prop_oneof![6 => 1..90_u16, 2 => 90..1_500_u16, 1 => 5_000..9_000_u16];
    prop_oneof![
        3 => (of.clone(), 1..5_u8).prop_map(|(folder, files)| Step::Upload { folder, files }),
        8 => (of.clone(), [end.clone(), end.clone(), end]).prop_map(|(folder, ends)| Step::Process { folder, ends }),
        1 => of.clone().prop_map(|folder| Step::Delete { folder }),
        1 => of.prop_map(|folder| Step::Replace { folder }),
        12 => (minutes, prop::bool::weighted(0.9), answer)
            .prop_map(|(minutes, whole, answer)| Step::Round { minutes, whole, answer }),
        1 => (1..300_u16).prop_map(|minutes| Step::Outage { minutes }),
        1 => (2..200_i64, any::<bool>()).prop_map(|(by, back)| Step::Clock { minutes: if back { -by } else { by } }),
        1 => (0..4_usize).prop_map(|rules| Step::Reload { rules }),
        1 => Just(Step::Restart),
        1 => Just(Step::Tidy),
    ]
}

/// In half of the stories nobody sets the clock: there every decision is compared with the rules.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let steps = prop::collection::vec(step(), 1..120);
    (steps, any::<bool>()).prop_map(|(mut steps, sets_clock)| {
        steps.retain(|step| sets_clock || !matches!(step, Step::Clock { .. }));
        steps
    })
}

/// Rules under which much happens; which of them hold changes with a reload.
pub(super) fn rules(number: usize) -> ReindexRules {
    let usual = ReindexRules {
        mode: Mode::Enforce,
        min_age: MINUTE * 5,
        max_cooldown: HOUR * 8,
        max_attempts: 2.try_into().unwrap(),
        max_ride_along: 1,
        budget: Budget {
            actions: 4,
            files: 20,
            per: DAY,
        },
        max_backlog: 8,
        breaker: Breaker {
            no_effect: 2.try_into().unwrap(),
            open_for: HOUR * 3,
        },
        ..ReindexRules::default()
    };
    match number {
        0 => usual,
        1 => ReindexRules {
            min_age: Duration::ZERO,
            cooldown: MINUTE * 10,
            max_cooldown: MINUTE * 40,
            max_attempts: 3.try_into().unwrap(),
            verify_after: MINUTE * 30,
            budget: Budget {
                actions: 9,
                files: 60,
                per: HOUR * 12,
            },
            breaker: Breaker {
                no_effect: 3.try_into().unwrap(),
                open_for: HOUR,
            },
            ..usual
        },
        2 => ReindexRules {
            min_failed: 2.try_into().unwrap(),
            never_classes: vec!["poison".into()],
            ..usual
        },
        _ => ReindexRules {
            mode: Mode::DryRun,
            ..usual
        },
    }
}

/// Runs a story to its end, and returns what happened on the way.
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
    fn whatever_happens_every_attempt_keeps_every_promise(steps in steps()) {
        run(steps);
    }
}

#[test]
fn the_model_meets_every_outcome_and_every_limit() {
    let mut runner = TestRunner::deterministic();
    let mut met = BTreeSet::new();
    for _ in 0..200 {
        met.extend(run(steps().new_tree(&mut runner).unwrap().current()));
    }
    let limits = [
        Reason::Clock,
        Reason::StartingUp,
        Reason::BelowMinFailed,
        Reason::RowsNotWhole,
        Reason::NeverClass,
        Reason::Exhausted,
        Reason::TooYoung,
        Reason::Backlog,
        Reason::RideAlong,
        Reason::Unjudged,
        Reason::Cooldown,
        Reason::Refused,
        Reason::ClassRests,
        Reason::Breaker,
        Reason::BudgetActions,
        Reason::BudgetFiles,
        Reason::Eligible,
    ];
    let words = limits.iter().map(|reason| reason.as_str());
    let outcomes = ["accepted", "refused", "unknown", "interrupted", "rehearsed"];
    let verdicts = Verdict::ALL.map(Verdict::as_str);
    for word in words.chain(outcomes).chain(verdicts) {
        assert!(met.contains(word), "{word} was never met: {met:?}");
    }
}
