//! This program, under its default rules. It is killed at random; then only what is on disk survives.

use std::collections::{BTreeMap, HashMap};

use chrono_tz::Tz;
use kb_exporter::attempts::{Book, Intent, SentFile};
use kb_exporter::classify::Class;
use kb_exporter::config::{Mode, Reindex};
use kb_exporter::model::{
    ByStatus, FileKey, FolderId, Lost, Outcome, PortalName, Status as Of, Timestamp,
};
use kb_exporter::policy::judge::{self, LaterRead, Observation};
use kb_exporter::policy::{Choice, Decisions, FailedFile, FolderFacts, PortalFacts, decide};

use uuid::Uuid;

use super::Policy;
use crate::portal::{Answer, Portal, Status};

/// Where the program was killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Killed {
    BeforeIntent,
    BeforeRequest,
    BeforeOutcome,
    BetweenReads,
}

/// It is killed at each of the points of one attempt in so many.
const KILLED_IN_ATTEMPT: u32 = 40;

/// It is killed after one read in so many.
const KILLED_AFTER_READ: u32 = 700;

/// The failed files of the folders that have some.
type Failures = BTreeMap<u32, Vec<FailedFile>>;

/// This program, under its default rules.
pub struct ThisProgram {
    reindex: Reindex,
    /// What is on disk.
    ledger: Book,
    rng: fastrand::Rng,
    pub kills: BTreeMap<Killed, u64>,
}

impl ThisProgram {
    pub fn new(seed: u64) -> Self {
        let mut reindex = Reindex::default();
        reindex.rules.mode = Mode::Enforce;
        Self {
            reindex,
            ledger: Book::new(time(0)),
            rng: fastrand::Rng::with_seed(seed),
            kills: BTreeMap::new(),
        }
    }

    /// Kills the program once in so many times. It starts again at once, and reads a minute later.
    fn maybe_killed(&mut self, at: Killed, one_in: u32, now: u32) -> Result<(), Killed> {
        if self.rng.u32(0..one_in) != 0 {
            return Ok(());
        }
        let unanswered: Vec<_> = self.ledger.unanswered().map(|attempt| attempt.id).collect();
        let why = Lost::Interrupted;
        for id in unanswered {
            let ended = self.ledger.settle(id, time(now), Outcome::Unknown { why });
            ended.expect("it fits");
        }
        *self.kills.entry(at).or_default() += 1;
        Err(at)
    }

    /// Judges what was sent to a folder.
    fn review(&mut self, portal: &Portal, of: u32) {
        let (now, folder) = (time(portal.now), &portal.folders[of as usize]);
        let seen = |FileKey { link, .. }| match folder.files.get(&link).map(|file| file.status) {
            Some(Status::Done) => Observation::Status(Of::Done),
            Some(Status::Failed) => Observation::Status(Of::Failed),
            Some(Status::Waiting { .. }) => Observation::Status(Of::Pending),
            None => Observation::Absent,
        };
        let read = LaterRead {
            began: now,
            seen: &seen,
        };
        let track = self.ledger.track();
        let reviews: Vec<_> = track
            .unjudged_in(id(of))
            .map(|attempt| (attempt.id, judge::review(attempt, Some(read), now)))
            .filter(|(_, review)| !review.is_empty())
            .collect();
        for (id, review) in reviews {
            self.ledger.review(id, now, &review).expect("it fits");
        }
        let known = self.ledger.folder(id(of)).into_iter();
        let sent = known.flat_map(|folder| folder.file_attempts.keys().copied());
        let files = judge::renewed(sent, seen);
        self.ledger.renew(id(of), &files);
    }

    /// The failed files of a folder. Since when they failed is stored beside the counts.
    fn failures(portal: &Portal, of: u32) -> Vec<FailedFile> {
        let failed = portal.folders[of as usize].failed();
        failed
            .map(|(number, file)| FailedFile {
                key: key(number),
                since: time(file.since),
                class: Class::Text(file.class.clone()),
            })
            .collect()
    }

    fn decide(&self, portal: &Portal, failures: &Failures) -> Decisions {
        let folders = failures.iter().map(|(of, failed)| {
            let folder = &portal.folders[*of as usize];
            let mut counts = ByStatus::<u64>::default();
            counts[Of::Done] = folder.done;
            counts[Of::Pending] = folder.waiting();
            counts[Of::Failed] = failed.len() as u64;
            FolderFacts {
                id: id(*of),
                rules: &self.reindex.rules,
                usable: true,
                counts,
                failed,
            }
        });
        let facts = PortalFacts {
            now: time(portal.now),
            wall: time(portal.now),
            zone: Tz::UTC,
            kill_switch: portal.is_stopped(),
            is_unusable: false,
            folders: folders.collect(),
        };
        decide(&facts, Some(&self.ledger))
    }

    /// Decides about every folder, and makes the attempts that are due.
    fn make_attempts(&mut self, portal: &mut Portal) -> Result<(), Killed> {
        let mut failures: Failures = portal
            .all_folders()
            .map(|of| (of, Self::failures(portal, of)))
            .filter(|(_, failed)| !failed.is_empty())
            .collect();
        let numbers: HashMap<FolderId, u32> = failures.keys().map(|of| (id(*of), *of)).collect();
        // Each attempt puts the decisions before it out of date.
        loop {
            let decisions = self.decide(portal, &failures);
            let Some(folder) = decisions.order.first() else {
                return Ok(());
            };
            let choice = &decisions.folders[folder].choice;
            let is_trial = matches!(choice, Choice::Send { is_trial: true });
            let of = numbers[folder];
            let failed = failures.remove(&of).expect("it was decided on");
            self.attempt(portal, of, is_trial, &failed)?;
        }
    }

    fn attempt(
        &mut self,
        portal: &mut Portal,
        of: u32,
        is_trial: bool,
        failed: &[FailedFile],
    ) -> Result<(), Killed> {
        let (now, at) = (portal.now, time(portal.now));
        self.maybe_killed(Killed::BeforeIntent, KILLED_IN_ATTEMPT, now)?;
        let name = PortalName::new("main").expect("a name");
        let files = failed
            .iter()
            .map(|file| (file.key, SentFile::new(file.class.clone())));
        let intent = Intent {
            is_trial,
            ..Intent::new(name, id(of), at, files.collect())
        };
        let number = self.ledger.intend(intent).expect("it fits");
        self.maybe_killed(Killed::BeforeRequest, KILLED_IN_ATTEMPT, now)?;
        let answer = portal.post(of);
        self.maybe_killed(Killed::BeforeOutcome, KILLED_IN_ATTEMPT, now)?;
        let outcome = outcome(answer);
        self.ledger.settle(number, at, outcome).expect("it fits");
        Ok(())
    }
}

impl Policy for ThisProgram {
    fn read(&mut self, portal: &mut Portal) {
        let track = self.ledger.track();
        let open: Vec<FolderId> = track.unjudged().map(|attempt| attempt.folder).collect();
        for of in portal.all_folders().filter(|of| open.contains(&id(*of))) {
            self.review(portal, of);
        }
        // Killed: the rest of this read is not done.
        let _ = self
            .make_attempts(portal)
            .and_then(|()| self.maybe_killed(Killed::BetweenReads, KILLED_AFTER_READ, portal.now));
    }
}

const START: i64 = 1_772_366_400_000;

fn time(minute: u32) -> Timestamp {
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

fn outcome(answer: Answer) -> Outcome {
    let refused = |status| Outcome::Refused {
        status,
        retry_after: None,
    };
    let unknown = |why| Outcome::Unknown { why };
    match answer {
        Answer::Accepted(updated) => Outcome::Accepted { updated },
        Answer::Forbidden => refused(403),
        Answer::Busy => refused(429),
        Answer::NotCarriedOut => unknown(Lost::Status {
            status: 503,
            retry_after: None,
        }),
        Answer::Lost => unknown(Lost::NoAnswer),
    }
}
