//! A portal in memory, and a collector that does what the policy decides.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::policy::judge::{LaterRead, Observation, renewed, review};

/// What becomes of a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum Answer {
    Accepted,
    Refused(u16),
    /// The answer does not arrive.
    Lost {
        worked: bool,
    },
    /// The program ends before or after the request is sent.
    Crash {
        sent: bool,
    },
}

#[derive(Debug, Clone)]
pub(super) struct File {
    pub key: FileKey,
    pub status: Status,
    pub class: String,
    /// When a read saw it failed first: as the program stores it, and by the clock that nobody sets.
    pub failed_since: Option<(Timestamp, Duration)>,
    /// When a request queued it, until it is processed.
    pub requeued: Option<Duration>,
}

impl File {
    fn waits(&self) -> bool {
        matches!(self.status, Status::Pending | Status::Processing)
    }
}

/// Files by their link.
#[derive(Debug, Default)]
pub(super) struct Folder(pub BTreeMap<u128, File>);

impl Folder {
    /// Adds a file that waits, or puts it in the place of one with the same link.
    pub fn upload(&mut self, key: FileKey) {
        let file = File {
            key,
            status: Status::Pending,
            class: String::new(),
            failed_since: None,
            requeued: None,
        };
        self.0.insert(key.link, file);
    }

    /// Gives each file that waits its next status.
    pub fn process(&mut self, mut next: impl FnMut(&mut File) -> Status) {
        for file in self.0.values_mut().filter(|file| file.waits()) {
            file.status = next(file);
            if !file.waits() {
                (file.requeued, file.failed_since) = (None, None);
            }
        }
    }

    pub fn failed(&self) -> impl Iterator<Item = &File> {
        let files = self.0.values();
        files.filter(|file| file.status == Status::Failed)
    }

    /// Notes which files are failed at a read.
    fn read(&mut self, now: (Timestamp, Duration)) {
        let files = self.0.values_mut();
        for file in files.filter(|file| file.status == Status::Failed) {
            file.failed_since.get_or_insert(now);
        }
    }

    /// Queues the failed files, and returns how many these are.
    fn requeue(&mut self, now: Duration) -> u64 {
        let files = self.0.values_mut();
        let failed = files.filter(|file| file.status == Status::Failed);
        let queued = failed.map(|file| (file.status, file.requeued) = (Status::Pending, Some(now)));
        queued.count() as u64
    }

    fn seen(&self, key: FileKey) -> Observation {
        match self.0.get(&{ key.link }).filter(|file| file.key == key) {
            Some(file) => Observation::Status(file.status),
            None => Observation::Absent,
        }
    }

    fn counts(&self) -> ByStatus<u64> {
        let mut counts = ByStatus::<u64>::default();
        for file in self.0.values() {
            counts[file.status] += 1;
        }
        counts
    }
}

/// An attempt, noted without the ledger.
#[derive(Debug)]
pub(super) struct Noted {
    pub folder: u128,
    /// By a clock that nobody sets.
    pub at: Duration,
    /// Files that the portal may have queued.
    pub files: u64,
    pub refused: bool,
}

pub(super) struct World {
    pub now: Timestamp,
    /// Time since the beginning, by a clock that nobody sets.
    pub passed: Duration,
    pub rules: ReindexRules,
    pub kill_switch: bool,
    pub folders: BTreeMap<u128, Folder>,
    pub ledger: TestLedger,
    last_file: u128,
    pub noted: Vec<Noted>,
    /// Reasons, outcomes and verdicts that occurred.
    pub met: BTreeSet<&'static str>,
}

impl World {
    pub fn new(folders: u128, rules: ReindexRules) -> Self {
        Self {
            now: EPOCH,
            passed: Duration::ZERO,
            rules,
            kill_switch: false,
            folders: (0..folders).map(|of| (of, Folder::default())).collect(),
            ledger: TestLedger::new(),
            last_file: 0,
            noted: Vec::new(),
            met: BTreeSet::new(),
        }
    }

    pub fn folder(&mut self, of: u128) -> &mut Folder {
        self.folders.get_mut(&of).unwrap()
    }

    pub fn new_file(&mut self) -> FileKey {
        self.last_file += 1;
        key(self.last_file)
    }

    pub fn pass(&mut self, time: Duration) {
        (self.now, self.passed) = (self.now.after(time), self.passed + time);
    }

    /// The program ends and is started again: only the ledger survives.
    pub fn restart(&mut self) {
        let book = &mut self.ledger.view;
        let unanswered: Vec<_> = book.unanswered().map(|attempt| attempt.id).collect();
        let why = Lost::Interrupted;
        for id in unanswered {
            book.settle(id, self.now, Outcome::Unknown { why }).unwrap();
        }
    }

    /// Reads every folder, and makes the attempts that are due: each makes earlier decisions obsolete.
    pub fn read(&mut self, whole: bool, mut answer: impl FnMut() -> Answer) {
        let now = (self.now, self.passed);
        for of in 0..self.folders.len() as u128 {
            self.folder(of).read(now);
            self.review(of, whole);
        }
        while let Some((of, is_trial)) = self.next(whole) {
            self.check(of);
            self.attempt(of, is_trial, answer());
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
        for (id, review) in reviews.into_iter().filter(|(_, review)| !review.is_empty()) {
            self.met.extend(review.verdict.map(Verdict::as_str));
            view.review(id, now, &review).unwrap();
        }
    }

    /// The first folder to which a request is to be sent, and whether that tries a class.
    fn next(&mut self, whole: bool) -> Option<(u128, bool)> {
        let known = |file: &File| FailedFile {
            key: file.key,
            since: file.failed_since.unwrap().0,
            class: class(&file.class),
        };
        let failed = self.folders.iter().map(|(of, portal)| {
            let files: Vec<_> = portal.failed().map(known).collect();
            (*of, portal, files)
        });
        let failed: Vec<_> = failed.filter(|(.., files)| !files.is_empty()).collect();
        let facts = PortalFacts {
            now: self.now,
            wall: self.now,
            zone: Tz::UTC,
            kill_switch: self.kill_switch,
            is_unusable: false,
            folders: failed
                .iter()
                .map(|(of, portal, failed)| FolderFacts {
                    id: folder(*of),
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
        let of = self.folders.keys().find(|of| folder(**of) == *next);
        of.map(|of| (*of, is_trial))
    }

    fn attempt(&mut self, of: u128, is_trial: bool, answer: Answer) {
        let failed = self.folders[&of].failed();
        let files: Vec<_> = failed
            .map(|file| (file.key, SentFile::new(class(&file.class))))
            .collect();
        self.noted.push(Noted {
            folder: of,
            at: self.passed,
            files: files.len() as u64,
            refused: matches!(answer, Answer::Refused(_)),
        });
        let id = self.ledger.intend_files(of, self.now, files, is_trial);
        let (now, why) = (self.passed, Lost::NoAnswer);
        let mut requeue = |works: bool| {
            if works {
                self.folder(of).requeue(now)
            } else {
                0
            }
        };
        let outcome = match answer {
            Answer::Accepted => Outcome::Accepted {
                updated: requeue(true),
            },
            Answer::Refused(status) => Outcome::Refused {
                status,
                retry_after: None,
            },
            Answer::Lost { worked } => {
                requeue(worked);
                Outcome::Unknown { why }
            }
            Answer::Crash { sent } => {
                requeue(sent);
                return self.restart();
            }
        };
        self.met.insert(outcome.as_str());
        self.ledger.view.settle(id, self.now, outcome).unwrap();
    }

    /// Checks what is promised of an attempt that is about to be made.
    fn check(&self, of: u128) {
        let (rules, portal) = (&self.rules, &self.folders[&of]);
        let since = |then: Duration| self.passed.saturating_sub(then);
        assert_eq!(rules.mode, Mode::Enforce, "the mode");
        assert!(!self.kill_switch, "the kill switch is on");
        let hour = self.now.as_millis() / 3_600_000 % 24;
        let is_open = rules.windows.is_empty() || (8..20).contains(&hour);
        assert!(is_open, "outside the windows");
        assert!(self.passed >= rules.cooldown, "the portal was just met");
        let is_eligible = |file: &File| {
            let age = file.failed_since.map(|(_, seen)| since(seen));
            age >= Some(rules.min_age) && !rules.never_classes.contains(&file.class)
        };
        assert!(portal.failed().any(is_eligible), "min_age");
        if let Some(last) = self.noted.iter().rfind(|noted| noted.folder == of) {
            let passed = since(last.at);
            assert!(passed >= rules.cooldown, "{passed:?} after {last:?}");
        }
        let mut requeued = portal.0.values().filter_map(|file| file.requeued);
        assert!(!requeued.any(|at| since(at) < DAY), "a result is open");
        let recent = self.noted.iter().rev();
        let recent = recent.take_while(|noted| since(noted.at) < rules.budget.per);
        let charged = recent.filter(|noted| !noted.refused);
        let charged: u64 = charged.map(|noted| noted.files).sum();
        let failed = portal.failed().count() as u64;
        let is_alone = charged == 0 && failed > rules.budget.files;
        let fits = charged + failed <= rules.budget.files;
        assert!(is_alone || fits, "{charged} files, and {failed}");
    }
}
