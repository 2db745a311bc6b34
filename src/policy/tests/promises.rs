//! Random histories of a portal: whatever happens in whatever order, no attempt breaks a promise.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use super::world::{Answer, World};
use super::*;
use crate::config::{Budget, Window};

const FOLDERS: u128 = 3;

/// The class of one file in four; the others time out.
const POISON: &str = "poison";

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
    /// Another file comes in the place of the oldest.
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
            never_classes: vec![POISON.into()],
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

impl World {
    fn step(&mut self, step: Step) {
        match step {
            Step::Upload { folder, files } => {
                for _ in 0..files {
                    let key = self.new_file();
                    self.folder(folder).upload(key);
                }
            }
            Step::Process { folder, statuses } => {
                self.folder(folder).process(|file| {
                    let is_poison = file.key.link.is_multiple_of(4);
                    file.class = if is_poison { POISON } else { "timeout" }.to_owned();
                    statuses[usize::try_from(file.key.link % 3).unwrap()]
                });
            }
            Step::Replace { folder } => {
                let FileKey { id, .. } = self.new_file();
                if let Some(link) = self.folder(folder).0.keys().next().copied() {
                    self.folder(folder).upload(FileKey { link, id });
                }
            }
            Step::Read {
                after_minutes,
                whole,
                answer,
            } => {
                self.pass(MINUTE * after_minutes.into());
                self.read(whole, || answer);
            }
            Step::SetClockBack { minutes } => self.now = self.now.before(MINUTE * minutes.into()),
            Step::SetKillSwitch(on) => self.kill_switch = on,
            Step::Reload { rules: number } => self.rules = rules(number),
            Step::Restart => self.restart(),
            Step::Tidy => {
                let listed = (0..FOLDERS).map(folder).collect();
                let book = &mut self.ledger.view;
                let (attempts, folders) = book.dispensable(DAY, &listed);
                book.forget(&attempts, &folders);
            }
        }
    }
}

/// Runs a history, in which each attempt is checked, and returns the reasons, outcomes and verdicts that occurred.
fn run(steps: Vec<Step>) -> BTreeSet<&'static str> {
    let mut world = World::new(FOLDERS, rules(0));
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
    // A ledger is unusable in no history, and the backlog seldom large enough.
    let reasons = Reason::ALL.iter().map(|reason| reason.as_str());
    let reasons = reasons.filter(|reason| !["ledger", "backlog"].contains(reason));
    let outcomes = ["accepted", "refused", "unknown"];
    let verdicts = Verdict::ALL.map(Verdict::as_str);
    for word in reasons.chain(outcomes).chain(verdicts) {
        assert!(met.contains(word), "{word} never occurred: {met:?}");
    }
}
