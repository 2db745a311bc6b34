//! A portal that does anything at all, and a collector that does as the policy says.

mod portal_events;

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use super::model::{Answer, Step, rules};
use super::oracle::{Noted, Oracle, Scene, Sent};
use super::portal::{File, Folder};
use super::*;
use crate::ledger::{Lost, Tidy};
use crate::policy::judge::{LaterRead, Observation, renewed, review};

/// How many folders the portal has.
pub(super) const FOLDERS: u128 = 3;

/// The portal, the collector, and whoever watches them.
pub(super) struct World {
    now: Moment,
    /// When the time of day was set last, as far as the program that runs now has seen it.
    clock_set: Option<Instant>,
    /// Whether it was ever set: from then on times of day tell nothing exactly.
    clock_was_set: bool,
    rules: ReindexRules,
    folders: HashMap<u128, Folder>,
    ledger: TestLedger,
    oracle: Oracle,
    next_file: u128,
    /// Words for what was met, so that a test can tell that everything was.
    pub met: BTreeSet<&'static str>,
}

impl World {
    pub fn new() -> Self {
        let now = Moment {
            wall: EPOCH,
            steady: Instant::now(),
        };
        Self {
            now,
            clock_set: None,
            clock_was_set: false,
            rules: rules(0),
            folders: (0..FOLDERS).map(|of| (of, Folder::default())).collect(),
            ledger: TestLedger::new(),
            oracle: Oracle::new(now),
            next_file: 1,
            met: BTreeSet::new(),
        }
    }

    fn folder(&mut self, of: u128) -> &mut Folder {
        self.folders.get_mut(&of).unwrap()
    }

    pub fn step(&mut self, step: Step) {
        match step {
            Step::Upload { folder, files } => (0..files).for_each(|_| self.upload(folder)),
            Step::Process { folder, ends } => self.process(folder, ends),
            Step::Delete { folder } => drop(self.folder(folder).files.pop_first()),
            Step::Replace { folder } => self.replace(folder),
            Step::Round {
                minutes,
                whole,
                answer,
            } => self.round(minutes, whole, answer),
            Step::Outage { minutes } => {
                self.pass(minutes);
                (0..FOLDERS).for_each(|of| self.judge(of, false, false));
            }
            Step::Clock { minutes } => {
                self.set_clock(minutes);
                self.clock_set = Some(self.now.steady);
                self.clock_was_set = true;
            }
            Step::Reload { rules: number } => self.rules = rules(number),
            Step::Restart => self.restart(),
            Step::Tidy => self.tidy(),
        }
    }

    /// The program ends and is started again: the ledger is all that is left of it, and nobody knows whether the clock was set.
    fn restart(&mut self) {
        self.ledger.view.interrupt(self.now.wall).unwrap();
        self.folders
            .values_mut()
            .for_each(|folder| folder.known = false);
        self.clock_set = None;
        self.oracle.restarted = self.now;
    }

    fn tidy(&mut self) {
        let tidy = Tidy {
            at: self.now.wall,
            horizon: DAY,
            listed: (0..FOLDERS).map(folder).collect(),
        };
        self.ledger.view.tidy(&tidy);
        let view = &self.ledger.view;
        if !self.clock_was_set {
            let is_stored = |id| view.attempt(id).is_some();
            self.oracle.forget(DAY, self.now, is_stored);
        }
    }

    fn round(&mut self, minutes: u16, whole: bool, answer: Answer) {
        self.pass(minutes);
        let mut triggers = Vec::new();
        for of in 0..FOLDERS {
            self.judge(of, true, whole);
            let decision = self.decide(of, whole);
            self.met.insert(decision.reason().as_str());
            if let Choice::Trigger(trigger) = decision.choice {
                triggers.push(trigger);
            }
        }
        for trigger in in_order(triggers, &self.ledger.view) {
            let of = (0..FOLDERS)
                .find(|of| folder(*of) == trigger.folder)
                .unwrap();
            // What was decided before another attempt was written down is out of date.
            let decision = self.decide(of, whole);
            self.met.insert(decision.reason().as_str());
            if let Choice::Trigger(trigger) = decision.choice {
                self.attempt(of, &trigger, answer);
            }
        }
        self.folders
            .values_mut()
            .for_each(|folder| folder.known = true);
    }

    fn decide(&mut self, of: u128, whole: bool) -> Decision {
        let now = self.now;
        let (rules, clock_trusted) = (self.rules.clone(), self.trusts_clock());
        let portal = self.folder(of);
        let files = failures(portal, now);
        let all: Vec<_> = (0..FOLDERS)
            .map(|of| (of, failures(self.folder(of), now)))
            .collect();
        let failures = all.iter().map(|(of, files)| FolderFailures {
            folder: folder(*of),
            rules: &rules,
            files,
        });
        let outlook = Outlook::of(failures, &self.ledger.view, now.wall);
        let portal = self.folder(of);
        let failed = FailedFiles {
            files: &files,
            are_all: whole,
        };
        let candidate = Candidate {
            clock_trusted,
            quality: if portal.known {
                CountQuality::Usable
            } else {
                CountQuality::First
            },
            ..Candidate::new(folder(of), &rules, portal.counts(), failed, &outlook)
        };
        let decision = decide(&candidate, Some(&self.ledger.view), now.wall);
        if !self.clock_was_set {
            let scene = Scene {
                rules: &rules,
                mode: ActiveMode::of(rules.mode).unwrap(),
                of,
                now: now.wall,
                counts: candidate.counts,
                all: &all,
                whole,
                known: candidate.quality == CountQuality::Usable,
            };
            self.holds_to_the_rules(&decision, &scene);
        }
        decision
    }

    /// A decision is what the rules say: an attempt where nothing speaks against it, or one of the reasons that do.
    fn holds_to_the_rules(&self, decision: &Decision, scene: &Scene<'_>) {
        let objections = self.oracle.objections(scene);
        match &decision.choice {
            Choice::Trigger(_) => assert_eq!(objections, BTreeSet::new(), "{:?}", decision.numbers),
            Choice::Hold(reason) => assert!(
                objections.contains(reason),
                "{reason}, not {objections:?}: {:?}",
                decision.numbers
            ),
        }
    }

    /// Does what is done after each read: attempts are judged, files start anew.
    fn judge(&mut self, of: u128, counted: bool, whole: bool) {
        let (now, verify_after) = (self.now, self.rules.verify_after);
        let portal = &self.folders[&of];
        let seen = |key| {
            if whole {
                portal.seen(key)
            } else {
                Observation::Unread
            }
        };
        let read = if counted {
            LaterRead::Counted {
                began: now.wall,
                idle: portal.is_idle(),
                seen: &seen,
            }
        } else {
            LaterRead::Failed
        };
        let track = self.ledger.view.track(ActiveMode::Enforce);
        let attempts = track
            .unjudged()
            .filter(|attempt| attempt.folder == folder(of));
        let reviews: Vec<_> = attempts
            .map(|attempt| (attempt.id, review(attempt, verify_after, read, now.wall)))
            .collect();
        let known = self.ledger.view.folder(folder(of));
        let tried = known
            .into_iter()
            .flat_map(|ledger| ledger.file_attempts.keys().copied());
        let files = if counted {
            renewed(tried, seen)
        } else {
            Vec::new()
        };
        // The same as whoever watches sees it.
        if counted && whole {
            let is_new = |key| {
                matches!(
                    seen(key),
                    Observation::Status(Status::Done) | Observation::Absent
                )
            };
            self.oracle
                .attempts_of_files
                .retain(|(other, key), _| *other != of || !is_new(*key));
        }
        self.ledger.view.renew(folder(of), &files);
        for (id, review) in reviews {
            if let Some(verdict) = review.verdict {
                self.met.insert(verdict.as_str());
            }
            self.oracle.review(id, now, &review);
            self.ledger.view.review(id, now.wall, &review).unwrap();
        }
    }

    fn attempt(&mut self, of: u128, trigger: &Trigger, answer: Answer) {
        let now = self.now;
        assert!(self.folder(of).known, "the first read after a start");
        let failed = self.folder(of).failed(now);
        self.oracle.check(trigger, &self.rules, &failed, now);
        let sent = trigger.files.iter().map(|(key, file)| Sent {
            key: *key,
            class: file.class.clone().unwrap(),
            state: file.state,
        });
        let files: Vec<Sent> = sent.collect();
        let id = AttemptId::new(self.ledger.next);
        self.ledger.next += 1;
        let intent = Intent::new(
            PortalName::new("main").unwrap(),
            trigger.folder,
            trigger.mode,
            now.wall,
            trigger.files.clone(),
        );
        self.ledger.view.intend(id, intent).unwrap();
        self.oracle.note(Noted {
            id,
            mode: trigger.mode,
            folder: of,
            at: now,
            charge: files.len() as u64,
            files,
            refused: None,
            carried_out: false,
            interrupted: false,
            verdict: None,
        });
        match trigger.mode {
            ActiveMode::DryRun => drop(self.met.insert("rehearsed")),
            ActiveMode::Enforce => self.send(of, id, answer),
        }
    }
}

/// The failed files of a folder.
fn failures(portal: &mut Folder, now: Moment) -> Vec<FailedFile> {
    let failed = portal.failed(now).into_iter();
    failed.map(|(file, _)| file).collect()
}

/// The longest time for which any limit counts.
fn longest(rules: &ReindexRules) -> Duration {
    [
        rules.cooldown,
        rules.max_cooldown,
        rules.budget.per,
        rules.breaker.open_for,
        rules.verify_after,
    ]
    .into_iter()
    .fold(Duration::ZERO, Duration::max)
}
