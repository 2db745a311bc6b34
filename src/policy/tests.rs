//! Stories of a folder with failed files, and of the portal around it.

mod breaker;
mod classes;
mod hopeless;
mod limits;
mod promises;
mod reasons;
mod verdicts;

use std::time::Duration;

use chrono_tz::Tz;

use super::*;
use crate::classify::Class;
use crate::config::{Mode, ReindexRules};
use crate::ledger::{
    ActiveMode, AttemptId, FileState, Intent, LedgerView, Outcome, Review, SentFile, Verdict,
};
use crate::model::{ByStatus, FileKey, FolderId, PortalName, Status, Timestamp};

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

/// A file that is about to be sent, with an error of the class that most stories have.
fn timeout(number: u128) -> (FileKey, SentFile) {
    (key(number), SentFile::new(Class::Text("timeout".into())))
}

fn ago(duration: Duration) -> Timestamp {
    NOON.before(duration)
}

/// A portal's ledger, written as a collector would.
#[derive(Debug, Clone)]
struct TestLedger {
    view: LedgerView,
    next: i64,
}

impl TestLedger {
    fn new() -> Self {
        Self {
            view: LedgerView::new(EPOCH),
            next: 1,
        }
    }

    fn intend(&mut self, mode: ActiveMode, of: u128, at: Timestamp, files: &[u128]) -> AttemptId {
        let files = files.iter().copied().map(timeout).collect();
        self.intend_files(mode, of, at, files)
    }

    fn intend_files(
        &mut self,
        mode: ActiveMode,
        of: u128,
        at: Timestamp,
        files: Vec<(FileKey, SentFile)>,
    ) -> AttemptId {
        let id = AttemptId::new(self.next);
        self.next += 1;
        let intent = Intent::new(
            PortalName::new("main").unwrap(),
            folder(of),
            mode,
            at,
            files,
        );
        self.view.intend(id, intent).unwrap();
        id
    }

    fn settle(&mut self, id: AttemptId, outcome: Outcome) {
        let at = self.view.attempt(id).unwrap().intended;
        self.view.settle(id, at, outcome).unwrap();
    }

    fn judge(&mut self, id: AttemptId, at: Timestamp, verdict: Verdict) {
        let watched = self.view.attempt(id).unwrap().watched.as_ref();
        let files = watched.into_iter().flat_map(|files| files.keys().copied());
        let state = |number: usize| match verdict {
            Verdict::Recovered => FileState::Done,
            Verdict::Partial if number == 0 => FileState::Done,
            Verdict::Partial | Verdict::None => FileState::Refailed,
            Verdict::Inconclusive => FileState::Sent,
        };
        let mut files: Vec<FileKey> = files.collect();
        files.sort_unstable_by_key(|key| key.link);
        let changed = files.into_iter().enumerate();
        let review = Review {
            changed: changed.map(|(number, key)| (key, state(number))).collect(),
            verdict: Some(verdict),
        };
        self.view.review(id, at, &review).unwrap();
    }

    /// Files of another class came back often, and then not in three folders in a row.
    fn other_class_in_vain(&mut self) {
        let class = Class::Text("reset".into());
        let file = |number| (key(number), SentFile::new(class.clone()));
        for (of, hours, verdict) in [
            (5, 9, Verdict::Recovered),
            (2, 5, Verdict::None),
            (3, 5, Verdict::None),
            (4, 5, Verdict::None),
        ] {
            let files: Vec<_> = (1..=9).map(file).collect();
            let files = if verdict == Verdict::None {
                files[..1].to_vec()
            } else {
                files
            };
            let id = self.intend_files(ActiveMode::Enforce, of, ago(HOUR * hours), files);
            self.settle(id, Outcome::Accepted { updated: 9 });
            self.judge(id, ago(HOUR * hours), verdict);
        }
    }

    /// An attempt in enforce that was accepted, and judged at once.
    fn judged(&mut self, of: u128, at: Timestamp, files: &[u128], verdict: Verdict) {
        let id = self.intend(ActiveMode::Enforce, of, at, files);
        let updated = files.len() as u64;
        self.settle(id, Outcome::Accepted { updated });
        self.judge(id, at, verdict);
    }
}

/// Everything that a decision is made from. As it is made, it triggers.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one thing that may be otherwise"
)]
#[derive(Debug, Clone)]
struct Setup {
    rules: ReindexRules,
    kill_switch: bool,
    clock_trusted: bool,
    portal_erring: bool,
    quality: CountQuality,
    counts: ByStatus<u64>,
    failed: Vec<FailedFile>,
    whole: bool,
    ledger: TestLedger,
    ledger_usable: bool,
    zone: Tz,
}

impl Setup {
    fn new(mode: Mode) -> Self {
        let mut setup = Self {
            rules: ReindexRules {
                mode,
                ..ReindexRules::default()
            },
            kill_switch: false,
            clock_trusted: true,
            portal_erring: false,
            quality: CountQuality::Usable,
            counts: ByStatus::default(),
            failed: Vec::new(),
            whole: true,
            ledger: TestLedger::new(),
            ledger_usable: true,
            zone: Tz::UTC,
        };
        setup.counts[Status::Done] = 100;
        setup.fail(3);
        setup
    }

    /// Lets this number of files be failed, for an hour.
    fn fail(&mut self, files: u128) {
        self.counts[Status::Failed] = u64::try_from(files).unwrap();
        let file = |number| FailedFile {
            key: key(number),
            since: ago(HOUR),
            class: Class::Text("timeout".into()),
        };
        self.failed = (1..=files).map(file).collect();
    }

    fn decide_at(&self, now: Timestamp) -> Decision {
        let failed = FailedFiles {
            files: &self.failed,
            are_all: self.whole,
        };
        let failures = FolderFailures {
            folder: folder(1),
            rules: &self.rules,
            files: &self.failed,
        };
        let outlook = Outlook::of([failures], &self.ledger.view, now);
        let candidate = Candidate {
            zone: self.zone,
            kill_switch: self.kill_switch,
            clock_trusted: self.clock_trusted,
            portal_erring: self.portal_erring,
            quality: self.quality,
            ..Candidate::new(folder(1), &self.rules, self.counts, failed, &outlook)
        };
        decide(
            &candidate,
            self.ledger_usable.then_some(&self.ledger.view),
            now,
        )
    }

    fn decide(&self) -> Decision {
        self.decide_at(NOON)
    }

    fn reason(&self) -> Reason {
        self.decide().reason()
    }
}
