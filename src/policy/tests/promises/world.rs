//! A portal, and a collector that does what the policy decides.

use std::collections::BTreeMap;

use super::portal::{Answer, FOLDERS, Folder};
use super::*;
use crate::ledger::{Lost, Tidy};
use crate::policy::judge::{LaterRead, Observation, renewed, review};

pub(super) struct World {
    now: Timestamp,
    /// Time since the beginning, by a clock that nobody sets.
    pub passed: Duration,
    pub rules: ReindexRules,
    pub kill_switch: bool,
    pub folders: BTreeMap<u128, Folder>,
    ledger: TestLedger,
    next_file: u128,
    pub noted: Vec<Noted>,
    /// Reasons, outcomes and verdicts that occurred.
    pub met: BTreeSet<&'static str>,
}

impl World {
    pub fn new() -> Self {
        Self {
            now: EPOCH,
            passed: Duration::ZERO,
            rules: rules(0),
            kill_switch: false,
            folders: (0..FOLDERS).map(|of| (of, Folder::default())).collect(),
            ledger: TestLedger::new(),
            next_file: 1,
            noted: Vec::new(),
            met: BTreeSet::new(),
        }
    }

    /// The hour of the day, in UTC.
    pub fn hour(&self) -> i64 {
        self.now.as_millis() / 3_600_000 % 24
    }

    /// The time since then, by the clock that nobody sets.
    pub fn since(&self, then: Duration) -> Duration {
        self.passed.saturating_sub(then)
    }

    pub fn step(&mut self, step: Step) {
        match step {
            Step::Upload { folder, files } => {
                for _ in 0..files {
                    let number = self.new_file();
                    self.folder(folder).upload(number);
                }
            }
            Step::Process { folder, statuses } => self.folder(folder).process(statuses),
            Step::Replace { folder } => {
                let id = self.new_file();
                self.folder(folder).replace(id);
            }
            Step::Read {
                after_minutes,
                whole,
                answer,
            } => {
                let after = MINUTE * after_minutes.into();
                (self.now, self.passed) = (self.now.after(after), self.passed + after);
                self.read(whole, answer);
            }
            Step::SetClockBack { minutes } => self.now = self.now.before(MINUTE * minutes.into()),
            Step::SetKillSwitch(on) => self.kill_switch = on,
            Step::Reload { rules: number } => self.rules = rules(number),
            Step::Restart => self.restart(),
            Step::Tidy => self.ledger.view.tidy(&Tidy {
                at: self.now,
                horizon: DAY,
                listed: (0..FOLDERS).map(folder).collect(),
            }),
        }
    }

    fn folder(&mut self, of: u128) -> &mut Folder {
        self.folders.get_mut(&of).unwrap()
    }

    fn new_file(&mut self) -> u128 {
        self.next_file += 1;
        self.next_file
    }

    /// The program ends and is started again: only the ledger survives.
    fn restart(&mut self) {
        self.ledger.view.interrupt(self.now).unwrap();
        for folder in self.folders.values_mut() {
            folder.was_read = false;
        }
    }

    fn read(&mut self, whole: bool, answer: Answer) {
        let now = (self.now, self.passed);
        for of in 0..FOLDERS {
            self.folder(of).read(now);
            self.review(of, whole);
        }
        let triggers = (0..FOLDERS).filter_map(|of| self.decide(of, whole));
        let triggers: Vec<_> = triggers.collect();
        for trigger in in_order(triggers, &self.ledger.view) {
            let mut folders = 0..FOLDERS;
            let of = folders.find(|of| folder(*of) == trigger.folder).unwrap();
            // Each attempt makes earlier decisions obsolete.
            if let Some(trigger) = self.decide(of, whole) {
                self.check(of, &trigger);
                self.attempt(of, trigger, answer);
            }
        }
        for folder in self.folders.values_mut() {
            folder.was_read = true;
        }
    }

    fn review(&mut self, of: u128, whole: bool) {
        let (now, portal) = (self.now, &self.folders[&of]);
        let seen = |key| {
            if whole {
                portal.seen(key)
            } else {
                Observation::Unread
            }
        };
        let read = LaterRead::Counted {
            began: now,
            idle: portal.is_idle(),
            seen: &seen,
        };
        let view = &mut self.ledger.view;
        let unjudged = view.track(ActiveMode::Enforce).unjudged_in(folder(of));
        let reviews: Vec<_> = unjudged
            .map(|attempt| {
                (
                    attempt.id,
                    review(attempt, self.rules.verify_after, read, now),
                )
            })
            .collect();
        let known = view.folder(folder(of)).into_iter();
        let sent = known.flat_map(|ledger| ledger.file_attempts.keys().copied());
        let renewed = renewed(sent, seen);
        view.renew(folder(of), &renewed);
        for (id, review) in reviews {
            self.met.extend(review.verdict.map(Verdict::as_str));
            view.review(id, now, &review).unwrap();
        }
    }

    fn decide(&mut self, of: u128, whole: bool) -> Option<Trigger> {
        let failed = |folder: &Folder| -> Vec<_> {
            let files = folder.failed().map(|(key, file)| FailedFile {
                key,
                since: file.failed_since.unwrap().0,
                class: Class::Text(file.class().into()),
            });
            files.collect()
        };
        let all: Vec<_> = self.folders.values().map(failed).collect();
        let failures = (0..).zip(&all).map(|(of, files)| FolderFailures {
            folder: folder(of),
            rules: &self.rules,
            files,
        });
        let outlook = Outlook::of(failures, &self.ledger.view, self.now);
        let (portal, files) = (&self.folders[&of], failed(&self.folders[&of]));
        let failed = FailedFiles {
            files: &files,
            are_all: whole,
        };
        let candidate = Candidate {
            kill_switch: self.kill_switch,
            quality: if portal.was_read {
                CountQuality::Usable
            } else {
                CountQuality::First
            },
            ..Candidate::new(folder(of), &self.rules, portal.counts(), failed, &outlook)
        };
        let decision = decide(&candidate, Some(&self.ledger.view), self.now);
        self.met.insert(decision.reason().as_str());
        match decision.choice {
            Choice::Trigger(trigger) => Some(trigger),
            Choice::Hold(_) => None,
        }
    }

    fn attempt(&mut self, of: u128, trigger: Trigger, answer: Answer) {
        let (mode, files) = (trigger.mode, trigger.files.len() as u64);
        let id = self.ledger.intend_files(mode, of, self.now, trigger.files);
        let refused = mode == ActiveMode::Enforce && matches!(answer, Answer::Refused(_));
        self.noted.push(Noted {
            folder: of,
            mode,
            at: self.passed,
            files,
            refused,
        });
        if mode == ActiveMode::Enforce {
            self.send(of, id, answer);
        }
    }

    fn send(&mut self, of: u128, id: AttemptId, answer: Answer) {
        let (now, why) = (self.passed, Lost::NoAnswer);
        let outcome = match answer {
            Answer::Accepted => Outcome::Accepted {
                updated: self.folder(of).requeue(now),
            },
            Answer::Refused(status) => Outcome::Refused {
                status,
                retry_after: None,
            },
            Answer::Lost { worked } => {
                if worked {
                    self.folder(of).requeue(now);
                }
                Outcome::Unknown { why }
            }
            Answer::Crash { sent } => {
                if sent {
                    self.folder(of).requeue(now);
                }
                return self.restart();
            }
        };
        self.met.insert(outcome.as_str());
        self.ledger.view.settle(id, self.now, outcome).unwrap();
    }
}
