//! What the decisions of one collection cost in a large portal with much in its ledger.

use std::time::{Duration, Instant};

use kb_exporter::classify::Class;
use kb_exporter::config::{Mode, ReindexRules};
use kb_exporter::ledger::{
    ActiveMode, AttemptId, FileState, Intent, LedgerView, Outcome, Review, SentFile, Verdict,
};
use kb_exporter::model::{ByStatus, FileKey, FolderId, PortalName, Status, Timestamp};
use kb_exporter::policy::{Candidate, FailedFile, FailedFiles, FolderFailures, Outlook, decide};
use uuid::Uuid;

const FOLDERS: u32 = 5_000;
const ATTEMPTS: u32 = 20_000;
const CLASSES: u32 = 10;
const START: i64 = 1_772_366_400_000;

fn time(minute: u32) -> Timestamp {
    Timestamp::from_millis(START + i64::from(minute) * 60_000)
}

fn folder(of: u32) -> FolderId {
    Uuid::from_u128(u128::from(of) + 1).into()
}

fn file(of: u32, number: u32) -> FailedFile {
    let link = u128::from(of) * 100 + u128::from(number);
    FailedFile {
        key: FileKey { link, id: link },
        since: time(ATTEMPTS - 30 + number),
        class: Class::Text(format!("class {}", (of + number) % CLASSES).as_str().into()),
    }
}

/// A ledger of attempts that had no effect.
fn ledger() -> LedgerView {
    let mut ledger = LedgerView::new(time(0));
    for number in 0..ATTEMPTS {
        let (of, at) = (number % FOLDERS, time(number));
        let id = AttemptId::new(i64::from(number) + 1);
        let files: Vec<FailedFile> = (90..93).map(|number| file(of, number)).collect();
        let intended = files.iter();
        let intent = Intent::new(
            PortalName::new("main").expect("a name"),
            folder(of),
            ActiveMode::Enforce,
            at,
            intended
                .map(|file| (file.key, SentFile::new(file.class.clone())))
                .collect(),
        );
        let review = Review {
            changed: files
                .iter()
                .map(|file| (file.key, FileState::Refailed))
                .collect(),
            verdict: Some(Verdict::None),
        };
        let outcome = Outcome::Accepted { updated: 3 };
        ledger.intend(id, intent).expect("it fits");
        ledger.settle(id, at, outcome).expect("it fits");
        ledger.review(id, at, &review).expect("it fits");
    }
    ledger
}

/// How long it takes to decide about every folder once.
pub fn round() -> Duration {
    let ledger = ledger();
    let rules = ReindexRules {
        mode: Mode::Enforce,
        ..ReindexRules::default()
    };
    let failed: Vec<(FolderId, Vec<FailedFile>)> = (0..FOLDERS)
        .map(|of| (folder(of), (0..10).map(|number| file(of, number)).collect()))
        .collect();
    let now = time(ATTEMPTS);
    let began = Instant::now();
    let failures = failed.iter().map(|(folder, files)| FolderFailures {
        folder: *folder,
        rules: &rules,
        files,
    });
    let outlook = Outlook::of(failures, &ledger, now);
    for (folder, files) in &failed {
        let mut counts = ByStatus::<u64>::default();
        counts[Status::Failed] = files.len() as u64;
        let (files, are_all) = (files.as_slice(), true);
        let failed = FailedFiles { files, are_all };
        let candidate = Candidate::new(*folder, &rules, counts, failed, &outlook);
        std::hint::black_box(decide(&candidate, Some(&ledger), now));
    }
    began.elapsed()
}
