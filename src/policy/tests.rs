//! Stories of folders with failed files, and of the portal around them.

mod classes;
mod days;
mod holds;
mod limits;
mod promises;
mod verdicts;
mod world;

use std::time::Duration;

use chrono_tz::Tz;

use super::*;
use crate::attempts::{AttemptId, Book, FileState, Intent, Review, SentFile, Verdict};
use crate::classify::Class;
use crate::config::{Mode, ReindexRules};
use crate::model::{ByStatus, FileKey, FolderId, Lost, Outcome, PortalName, Status, Timestamp};

const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

/// The time of most stories: noon in March, so long after [`EPOCH`] that nothing of it matters.
const NOON: Timestamp = Timestamp::from_millis(1_772_366_400_000);

const EPOCH: Timestamp = Timestamp::from_millis(1_700_000_000_000);

fn folder(number: u128) -> FolderId {
    uuid::Uuid::from_u128(number).into()
}

fn key(number: u128) -> FileKey {
    FileKey {
        link: number,
        id: number,
    }
}

fn class(name: &str) -> Class {
    Class::from_label(name)
}

fn ago(duration: Duration) -> Timestamp {
    NOON.before(duration)
}

/// The portal refused, and perhaps said for how many seconds.
fn refused(status: u16, retry_after: Option<u64>) -> Outcome {
    Outcome::Refused {
        status,
        retry_after: retry_after.map(Duration::from_secs),
    }
}

/// The portal answered 503, and perhaps said for how many seconds.
fn unavailable(retry_after: Option<u64>) -> Outcome {
    let why = Lost::Status {
        status: 503,
        retry_after: retry_after.map(Duration::from_secs),
    };
    Outcome::Unknown { why }
}

/// A portal's ledger, written as a reindexer would.
#[derive(Debug, Clone)]
struct TestLedger {
    view: Book,
}

impl TestLedger {
    fn new() -> Self {
        Self {
            view: Book::new(EPOCH),
        }
    }

    /// Writes an intent to send files of a class.
    fn intend(&mut self, of: u128, at: Timestamp, name: &str, files: &[u128]) -> AttemptId {
        let files = files.iter();
        let files = files.map(|number| (key(*number), SentFile::new(class(name))));
        self.intend_files(of, at, files.collect(), true)
    }

    fn intend_files(
        &mut self,
        of: u128,
        at: Timestamp,
        files: Vec<(FileKey, SentFile)>,
        is_trial: bool,
    ) -> AttemptId {
        let portal = PortalName::new("main").unwrap();
        let intent = Intent {
            is_trial,
            ..Intent::new(portal, folder(of), at, files)
        };
        self.view.intend(intent).unwrap()
    }

    fn settle(&mut self, id: AttemptId, outcome: Outcome) {
        let at = self.view.attempt(id).unwrap().intended;
        self.view.settle(id, at, outcome).unwrap();
    }

    /// An attempt that was accepted, and judged at once: the first files of it came back, the others failed again.
    fn tried(&mut self, of: u128, at: Timestamp, name: &str, files: u128, back: u128) {
        let numbers: Vec<u128> = (1..=files).collect();
        let id = self.intend(of, at, name, &numbers);
        let updated = u64::try_from(files).unwrap();
        self.settle(id, Outcome::Accepted { updated });
        let state = |number: u128| {
            if number <= back {
                FileState::Done
            } else {
                FileState::Refailed
            }
        };
        let review = Review {
            changed: numbers.iter().map(|of| (key(*of), state(*of))).collect(),
            verdict: Some(match back {
                0 => Verdict::None,
                back if back == files => Verdict::Recovered,
                _ => Verdict::Partial,
            }),
        };
        self.view.review(id, at, &review).unwrap();
    }
}

/// One folder with all that a decision about it is made from.
#[derive(Debug, Clone)]
struct TestFolder {
    number: u128,
    rules: ReindexRules,
    usable: bool,
    counts: ByStatus<u64>,
    failed: Vec<FailedFile>,
}

impl TestFolder {
    /// A folder in which this number of files failed with a timeout, an hour ago.
    fn failing(number: u128, files: u128) -> Self {
        let mut folder = Self {
            number,
            rules: ReindexRules {
                mode: Mode::Enforce,
                ..ReindexRules::default()
            },
            usable: true,
            counts: ByStatus::default(),
            failed: Vec::new(),
        };
        folder.counts[Status::Done] = 100;
        folder.fail(files, "timeout", ago(HOUR));
        folder
    }

    /// Lets the files be failed for so long.
    fn age(&mut self, age: Duration) {
        for file in &mut self.failed {
            file.since = ago(age);
        }
    }

    /// Lets more files fail.
    fn fail(&mut self, files: u128, name: &str, since: Timestamp) {
        let first = self.failed.len() as u128 + 1;
        let failed = (first..first + files).map(|number| FailedFile {
            key: key(number),
            since,
            class: class(name),
        });
        self.failed.extend(failed);
        self.counts[Status::Failed] = self.failed.len() as u64;
    }
}

/// A portal with all that decisions are made from. As it is made, its one folder is sent.
#[derive(Debug, Clone)]
struct Setup {
    now: Timestamp,
    /// People's time, where it is another.
    wall: Option<Timestamp>,
    zone: Tz,
    kill_switch: bool,
    is_unusable: bool,
    folders: Vec<TestFolder>,
    ledger: TestLedger,
    ledger_usable: bool,
}

impl Setup {
    fn new(mode: Mode) -> Self {
        let mut folder = TestFolder::failing(1, 3);
        folder.rules.mode = mode;
        Self::with(vec![folder])
    }

    fn with(folders: Vec<TestFolder>) -> Self {
        Self {
            now: NOON,
            wall: None,
            zone: Tz::UTC,
            kill_switch: false,
            is_unusable: false,
            folders,
            ledger: TestLedger::new(),
            ledger_usable: true,
        }
    }

    fn folder(&mut self) -> &mut TestFolder {
        &mut self.folders[0]
    }

    fn decide(&self) -> Decisions {
        let folders = self.folders.iter().map(|of| FolderFacts {
            id: folder(of.number),
            rules: &of.rules,
            usable: of.usable,
            counts: of.counts,
            failed: &of.failed,
        });
        let portal = PortalFacts {
            now: self.now,
            wall: self.wall.unwrap_or(self.now),
            zone: self.zone,
            kill_switch: self.kill_switch,
            is_unusable: self.is_unusable,
            folders: folders.collect(),
        };
        decide(&portal, self.ledger_usable.then_some(&self.ledger.view))
    }

    /// The decision about the first folder.
    fn decision(&self) -> Decision {
        let id = folder(self.folders[0].number);
        self.decide().folders[&id].clone()
    }

    /// What holds the first folder, if anything does.
    fn hold(&self) -> Option<Hold> {
        match self.decision().choice {
            Choice::Hold(hold) => Some(hold),
            Choice::Send { .. } => None,
        }
    }

    fn reason(&self) -> Reason {
        self.decision().reason()
    }

    /// The numbers of the folders that are sent, in order.
    fn sent(&self) -> Vec<u128> {
        let order = self.decide().order;
        let number = |id: &FolderId| {
            let mut folders = self.folders.iter();
            folders.find(|of| folder(of.number) == *id).unwrap().number
        };
        order.iter().map(number).collect()
    }
}
