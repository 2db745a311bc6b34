//! Who decides when a folder's failed files are sent: this program, and those that it is held against.

use std::collections::{BTreeMap, HashMap};

use kb_exporter::classify::Class;
use kb_exporter::config::{Mode, Reindex, ReindexRules};
use kb_exporter::ledger::{
    ActiveMode, AttemptId, Change, Course, Intent, LedgerView, Lost, Outcome,
};
use kb_exporter::model::{
    ByStatus, FileKey, FolderId, FolderName, PortalName, Status as Of, Timestamp,
};
use kb_exporter::policy::judge::{self, Look, Seen};
use kb_exporter::policy::{
    BreakerState, Case, Choice, Failed, FailedFile, FolderFailures, Outlook, Reason, Trigger,
    Worth, decide, in_order,
};
use uuid::Uuid;

use crate::week::{Answer, DAY, HOUR, Status, Week};

/// Decides once a minute.
pub trait Policy {
    fn name(&self) -> &'static str;
    fn look(&mut self, week: &mut Week);
}

/// Nothing is ever sent.
pub struct Never;

impl Policy for Never {
    fn name(&self) -> &'static str {
        "never"
    }

    fn look(&mut self, _: &mut Week) {}
}

/// Every folder with a failed file, once an hour.
pub struct EveryHour;

impl Policy for EveryHour {
    fn name(&self) -> &'static str {
        "every folder each hour"
    }

    fn look(&mut self, week: &mut Week) {
        if week.now % HOUR != 0 {
            return;
        }
        for of in 0..u32::try_from(week.folders.len()).unwrap_or(0) {
            if week.folders[of as usize].failed().next().is_some() {
                week.post(of);
            }
        }
    }
}

/// Knows what will come back: sends a folder as soon as a file of it does, under the same cooldown and the same budget.
#[derive(Default)]
pub struct Omniscient {
    last: BTreeMap<u32, u32>,
    spent: Vec<(u32, u64)>,
}

impl Policy for Omniscient {
    fn name(&self) -> &'static str {
        "omniscient"
    }

    fn look(&mut self, week: &mut Week) {
        let now = week.now;
        let rules = ReindexRules::default();
        self.spent.retain(|(at, _)| at + DAY > now);
        for of in 0..u32::try_from(week.folders.len()).unwrap_or(0) {
            let folder = &week.folders[of as usize];
            let comes_back =
                |file: &crate::week::File| file.helpable_from.is_some_and(|at| at <= now);
            let helped = folder.failed().filter(|(_, file)| comes_back(file)).count();
            let rests = self.last.get(&of).is_some_and(|last| last + HOUR > now);
            let files: u64 = self.spent.iter().map(|(_, files)| files).sum();
            let left =
                (self.spent.len() as u64) < rules.budget.actions && files < rules.budget.files;
            if helped == 0 || rests || !left || !week.allows(of) {
                continue;
            }
            self.last.insert(of, now);
            let sent = folder.failed().count() as u64;
            self.spent.push((now, sent));
            week.post(of);
        }
    }
}

const START: i64 = 1_772_366_400_000;

pub fn time(minute: u32) -> Timestamp {
    Timestamp::from_millis(START + i64::from(minute) * 60_000)
}

fn id(of: u32) -> FolderId {
    Uuid::from_u128(u128::from(of) + 1).into()
}

fn key(file: u128) -> FileKey {
    FileKey {
        link: file,
        id: file,
    }
}

/// This program, under its default rules.
pub struct ThisProgram {
    reindex: Reindex,
    ledger: LedgerView,
    next: i64,
    numbers: HashMap<FolderId, u32>,
    /// How many decisions had each reason.
    pub reasons: BTreeMap<Reason, u64>,
    /// Minutes in which the breaker was open.
    pub breaker_open: u64,
    /// Whether the kill switch is on: for a few hours, once.
    killed: bool,
}

impl ThisProgram {
    pub fn new(week: &Week) -> Self {
        let mut reindex = Reindex::default();
        reindex.rules.mode = Mode::Enforce;
        let folders = 0..u32::try_from(week.folders.len()).unwrap_or(0);
        Self {
            reindex,
            ledger: LedgerView::new(time(0)),
            next: 1,
            numbers: folders.map(|of| (id(of), of)).collect(),
            reasons: BTreeMap::new(),
            breaker_open: 0,
            killed: false,
        }
    }

    fn apply(&mut self, change: Change) {
        self.ledger.apply(change).expect("it fits");
    }

    fn review(&mut self, week: &Week, of: u32) {
        let now = time(week.now);
        let folder = &week.folders[of as usize];
        let seen = |key: FileKey| match folder.files.get(&key.link).map(|file| file.status) {
            Some(Status::Done) => Seen::As(Of::Done),
            Some(Status::Failed) => Seen::As(Of::Failed),
            Some(Status::Waiting { .. }) => Seen::As(Of::Pending),
            None => Seen::Absent,
        };
        let look = Look::Counted {
            began: now,
            idle: folder.waiting() == 0,
            seen: &seen,
        };
        let verify_after = self.reindex.rules.verify_after;
        let track = self.ledger.track(ActiveMode::Enforce);
        let reviews: Vec<_> = track
            .unjudged_in(id(of))
            .map(|attempt| (attempt.id, judge::review(attempt, verify_after, look, now)))
            .collect();
        for (id, review) in reviews {
            if !review.is_empty() {
                self.apply(Change::Review {
                    id,
                    at: now,
                    review,
                });
            }
        }
        let tried = self.ledger.folder(id(of));
        let tried = tried
            .into_iter()
            .flat_map(|book| book.tries.keys().copied());
        let files = judge::renewed(tried.collect::<Vec<_>>(), seen);
        if !files.is_empty() {
            self.apply(Change::Renew {
                folder: id(of),
                files,
            });
        }
    }

    fn failures(week: &Week, of: u32) -> Vec<FailedFile> {
        let failed = week.folders[of as usize].failed();
        failed
            .map(|(number, file)| FailedFile {
                key: key(number),
                since: time(file.since),
                class: Class::Text(file.class.into()),
            })
            .collect()
    }

    fn decide(
        &self,
        week: &Week,
        of: u32,
        failed: &[FailedFile],
        outlook: &Outlook,
    ) -> kb_exporter::policy::Decision {
        let folder = &week.folders[of as usize];
        let mut counts = ByStatus::<u64>::default();
        counts[Of::Done] = folder.done;
        counts[Of::Pending] = folder.waiting();
        counts[Of::Failed] = failed.len() as u64;
        let case = Case {
            folder: id(of),
            rules: &self.reindex.rules,
            zone: chrono_tz::Tz::UTC,
            kill_switch: self.killed,
            clock_trusted: true,
            portal_erring: false,
            counts_are: Worth::Whole,
            counts,
            failed: Failed::Whole(failed),
            outlook,
        };
        decide(&case, Some(&self.ledger), time(week.now))
    }

    fn attempt(&mut self, week: &mut Week, of: u32, trigger: Trigger) {
        let at = time(week.now);
        self.promises_hold(&trigger, at);
        let number = AttemptId::new(self.next);
        self.next += 1;
        let intent = Intent {
            portal: PortalName::new("main").expect("a name"),
            folder: trigger.folder,
            name: FolderName::new("folder"),
            mode: trigger.mode,
            at,
            files: trigger.files,
            max_classes: 50,
        };
        self.apply(Change::Intend { id: number, intent });
        // The program may be killed between the intent and the answer; what is left is the ledger.
        let killed = self.next % 17 == 0;
        let answer = week.post(of);
        if killed {
            for change in self.ledger.interrupted(at) {
                self.apply(change);
            }
            return;
        }
        let refused = |status| Outcome::Refused {
            status,
            retry_after: None,
        };
        let outcome = match answer {
            Answer::Accepted(updated) => Outcome::Accepted { updated },
            Answer::Forbidden => refused(403),
            Answer::Busy => refused(429),
            Answer::NotCarriedOut => Outcome::Unknown {
                why: Lost::Status(503),
            },
            Answer::Lost => Outcome::Unknown {
                why: Lost::NoAnswer,
            },
        };
        self.apply(Change::Settle {
            id: number,
            at,
            outcome,
        });
    }

    /// What is promised of every attempt, worked out from the plain list of those before it.
    fn promises_hold(&self, trigger: &Trigger, now: Timestamp) {
        let rules = &self.reindex.rules;
        assert!(!self.killed, "the kill switch is on");
        let before: Vec<_> = self.ledger.track(trigger.mode).iter().collect();
        let of_folder = before.iter().filter(|other| other.folder == trigger.folder);
        for other in of_folder {
            assert!(!other.is_unjudged(), "never twice");
            let passed = now.since(other.intended);
            assert!(passed >= rules.cooldown, "{passed:?} after the last one");
        }
        let recent = before
            .iter()
            .filter(|other| now.since(other.intended) < rules.budget.per);
        let (mut actions, mut files) = (0, trigger.files.len() as u64);
        let mut forbidden = false;
        for other in recent {
            let is_forbidden = matches!(other.course, Course::Refused { status: 403, .. });
            actions += u64::from(!(is_forbidden && forbidden));
            forbidden = is_forbidden;
            files += other.charge();
        }
        assert!(
            actions < rules.budget.actions && files <= rules.budget.files,
            "the budget"
        );
    }
}

impl Policy for ThisProgram {
    fn name(&self) -> &'static str {
        "this program"
    }

    fn look(&mut self, week: &mut Week) {
        let now = time(week.now);
        self.killed = (30 * HOUR..32 * HOUR).contains(&week.now);
        let folders = 0..u32::try_from(week.folders.len()).unwrap_or(0);
        let open: Vec<u32> = self
            .ledger
            .track(ActiveMode::Enforce)
            .unjudged()
            .filter_map(|attempt| self.numbers.get(&attempt.folder).copied())
            .collect();
        for of in open {
            self.review(week, of);
        }
        let failures: Vec<(u32, Vec<FailedFile>)> = folders
            .map(|of| (of, Self::failures(week, of)))
            .filter(|(_, failed)| !failed.is_empty())
            .collect();
        let outlook = Outlook::of(
            failures.iter().map(|(of, files)| FolderFailures {
                folder: id(*of),
                rules: &self.reindex.rules,
                files,
            }),
            &self.ledger,
            now,
        );
        let mode = ActiveMode::Enforce;
        let breaker = BreakerState::of(&self.ledger, mode, &self.reindex.rules.breaker, now);
        self.breaker_open += u64::from(breaker.is_open());
        let mut triggers = Vec::new();
        for (of, failed) in &failures {
            let decision = self.decide(week, *of, failed, &outlook);
            *self.reasons.entry(decision.reason()).or_default() += 1;
            if let Choice::Trigger(trigger) = decision.choice {
                triggers.push(trigger);
            }
        }
        let failures: HashMap<u32, Vec<FailedFile>> = failures.into_iter().collect();
        for trigger in in_order(triggers, &self.ledger) {
            let of = self.numbers[&trigger.folder];
            if let Choice::Trigger(trigger) = self.decide(week, of, &failures[&of], &outlook).choice
            {
                self.attempt(week, of, trigger);
            }
        }
    }
}

/// The policy that this one replaced: it knew files and folders, not classes.
pub struct Before {
    attempts: Vec<Past>,
    tries: HashMap<u128, u32>,
}

struct Past {
    folder: u32,
    at: u32,
    files: Vec<u128>,
    refused: bool,
    verdict: Option<(u32, bool)>,
    inconclusive: bool,
}

impl Before {
    pub fn new() -> Self {
        Self {
            attempts: Vec::new(),
            tries: HashMap::new(),
        }
    }

    fn judge(&mut self, week: &Week) {
        let now = week.now;
        for past in &mut self.attempts {
            if past.verdict.is_some() || past.inconclusive || past.refused {
                continue;
            }
            let files = &week.folders[past.folder as usize].files;
            let states: Vec<_> = past
                .files
                .iter()
                .map(|id| files.get(id).map(|file| file.status))
                .collect();
            let waits = states
                .iter()
                .any(|state| matches!(state, Some(Status::Waiting { .. })));
            let done = states
                .iter()
                .filter(|state| **state == Some(Status::Done))
                .count();
            let there = states.iter().flatten().count();
            if there == 0 {
                past.inconclusive = true;
            } else if (!waits && now >= past.at + 7) || now >= past.at + 2 * HOUR {
                past.verdict = Some((now, done > 0));
            }
        }
        for past in &self.attempts {
            for id in &past.files {
                let file = week.folders[past.folder as usize].files.get(id);
                if file.is_none_or(|file| file.status == Status::Done) {
                    self.tries.remove(id);
                }
            }
        }
    }

    fn breaker_holds(&self, now: u32) -> bool {
        let mut told: Vec<_> = self
            .attempts
            .iter()
            .filter_map(|past| past.verdict)
            .collect();
        told.sort_unstable();
        let newest: Vec<_> = told.iter().rev().take(3).collect();
        if newest.len() < 3 || newest.iter().any(|(_, effect)| *effect) {
            return false;
        }
        let until = newest[0].0 + 6 * HOUR;
        let tried = self.attempts.iter().filter(|past| past.at >= until);
        let until = tried.map(|past| past.at + 6 * HOUR).fold(until, u32::max);
        now < until || self.unjudged() > 0
    }

    fn unjudged(&self) -> usize {
        let open = |past: &&Past| past.verdict.is_none() && !past.refused && !past.inconclusive;
        self.attempts.iter().filter(open).count()
    }

    fn allows(&self, week: &Week, of: u32) -> bool {
        let now = week.now;
        let folder = &week.folders[of as usize];
        let exhausted = |id: &u128| self.tries.get(id).is_some_and(|tries| *tries >= 3);
        let failed: Vec<_> = folder.failed().collect();
        let gone = failed.iter().filter(|(id, _)| exhausted(id)).count();
        let eligible = failed
            .iter()
            .filter(|(id, file)| !exhausted(id) && file.since + 10 <= now)
            .count();
        let all = folder.done + folder.open.len() as u64;
        let ratio = failed.len() >= 20 && failed.len() as u64 * 2 > all;
        if eligible == 0 || ratio || folder.waiting() > 100 || gone > 100 || self.unjudged() >= 3 {
            return false;
        }
        let mut row = 0;
        for past in self.attempts.iter().filter(|past| past.folder == of) {
            match past.verdict {
                Some((_, true)) => row = 0,
                Some((_, false)) => row += 1,
                None if past.refused || past.inconclusive => {}
                None => return false,
            }
        }
        let last = self.attempts.iter().rev().find(|past| past.folder == of);
        let pause = match last {
            Some(last) if last.refused || gone > 0 => DAY,
            _ => (HOUR << row.min(5)).min(DAY),
        };
        let recent = self.attempts.iter().filter(|past| past.at + DAY > now);
        let (actions, files) = recent.fold((0, 0), |(actions, files), past| {
            (actions + 1, files + past.files.len())
        });
        last.is_none_or(|last| last.at + pause <= now)
            && !self.breaker_holds(now)
            && actions < 10
            && files + failed.len() <= 5_000
    }
}

impl Policy for Before {
    fn name(&self) -> &'static str {
        "the policy before"
    }

    fn look(&mut self, week: &mut Week) {
        self.judge(week);
        if week.now < HOUR {
            return;
        }
        for of in 0..u32::try_from(week.folders.len()).unwrap_or(0) {
            if week.folders[of as usize].failed().next().is_none() || !self.allows(week, of) {
                continue;
            }
            let files: Vec<u128> = week.folders[of as usize]
                .failed()
                .map(|(id, _)| id)
                .collect();
            let answer = week.post(of);
            let refused = matches!(answer, Answer::Forbidden | Answer::Busy);
            if !refused {
                for id in &files {
                    *self.tries.entry(*id).or_default() += 1;
                }
            }
            self.attempts.push(Past {
                folder: of,
                at: week.now,
                files,
                refused,
                verdict: None,
                inconclusive: false,
            });
        }
    }
}
