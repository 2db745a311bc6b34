//! A portal, and a collector that does what the policy decides.

use std::collections::BTreeMap;

use super::portal::{Answer, FOLDERS, File, Folder};
use super::*;
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
            Step::Tidy => {
                let listed = (0..FOLDERS).map(folder).collect();
                let book = &mut self.ledger.view;
                let (attempts, folders) = book.dispensable(DAY, &listed);
                book.forget(&attempts, &folders);
            }
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
        let book = &mut self.ledger.view;
        let unanswered: Vec<_> = book.unanswered().map(|attempt| attempt.id).collect();
        let why = Lost::Interrupted;
        for id in unanswered {
            book.settle(id, self.now, Outcome::Unknown { why }).unwrap();
        }
    }

    fn read(&mut self, whole: bool, answer: Answer) {
        let now = (self.now, self.passed);
        for of in 0..FOLDERS {
            self.folder(of).read(now);
            self.review(of, whole);
        }
        // Each attempt makes earlier decisions obsolete.
        while let Some((of, is_trial)) = self.next(whole) {
            self.check(of);
            self.attempt(of, is_trial, answer);
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
        let read = LaterRead {
            began: now,
            seen: &seen,
        };
        let view = &mut self.ledger.view;
        let unjudged = view.track().unjudged_in(folder(of));
        let reviews: Vec<_> = unjudged
            .map(|attempt| (attempt.id, review(attempt, Some(read), now)))
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

    /// The first folder to which a request is to be sent, and whether that tries a class.
    fn next(&mut self, whole: bool) -> Option<(u128, bool)> {
        let failed = self.folders.values().map(Folder::failed_files);
        let failed: Vec<Vec<FailedFile>> = failed.collect();
        let folders = (0..).zip(self.folders.values()).zip(&failed);
        let facts = PortalFacts {
            now: self.now,
            wall: self.now,
            zone: Tz::UTC,
            kill_switch: self.kill_switch,
            is_unusable: false,
            folders: folders
                .map(|((of, portal), failed)| FolderFacts {
                    id: folder(of),
                    rules: &self.rules,
                    usable: whole,
                    counts: portal.counts(),
                    failed,
                })
                .collect(),
        };
        let decisions = decide(&facts, Some(&self.ledger.view));
        let reasons = decisions.folders.values();
        self.met
            .extend(reasons.map(|decision| decision.reason().as_str()));
        let next = decisions.order.first()?;
        let Choice::Send { is_trial } = decisions.folders[next].choice else {
            panic!("it is sent")
        };
        let of = (0..FOLDERS).find(|of| folder(*of) == *next);
        of.map(|of| (of, is_trial))
    }

    fn attempt(&mut self, of: u128, is_trial: bool, answer: Answer) {
        let failed = self.folders[&of].failed();
        let sent = |(key, file): (FileKey, &File)| (key, SentFile::new(class(file.class())));
        let files: Vec<_> = failed.map(sent).collect();
        self.noted.push(Noted {
            folder: of,
            at: self.passed,
            files: files.len() as u64,
            refused: matches!(answer, Answer::Refused(_)),
        });
        let id = self.ledger.intend_files(of, self.now, files, is_trial);
        self.send(of, id, answer);
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
