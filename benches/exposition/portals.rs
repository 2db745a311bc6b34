//! Portals as they are after many collections, made up.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use kb_exporter::classify::{Classifier, ErrorRow};
use kb_exporter::clock::Moment;
use kb_exporter::history::{FolderCounters, FullRead, IndexingTimes, Look};
use kb_exporter::model::{ByStatus, FolderId, FolderName, PortalName, Status};
use kb_exporter::snapshot::{
    Collections, Counts, FolderState, FolderView, LastRun, ListFacts, ListState, PortalView,
    RunResult, Unwatched, Way,
};
use kb_exporter::store::Standing;
use uuid::Uuid;

/// Folders have names as people give them.
const NAMES: [&str; 5] = [
    "Contracts",
    "Minutes of the board",
    "Договоры",
    "Handbook, release",
    "Inbox",
];

/// Reasons as document pipelines give them; a folder has some of their classes.
const REASONS: [&str; 6] = [
    "no text layer",
    "PDF is password-protected: cannot decrypt without a password",
    "OCR timed out after 30s on page 5 of /var/lib/portal/tmp/7f3c.pdf",
    "embedding service timed out after 1200 ms: connection to 10.0.0.7:8080 lost",
    "looks like an instruction to a language model",
    "zipfile.BadZipFile: Bad CRC-32 for file 'word/document.xml'",
];

/// Makes up a portal with so many folders, all of them counted.
pub fn portal(name: PortalName, folders: usize) -> PortalView {
    let now = Moment::now();
    let folders: BTreeMap<_, _> = (0..folders)
        .map(|number| folder(&name, number, now))
        .map(|folder| (folder.id, Arc::new(folder)))
        .collect();
    view(name, folders, now)
}

fn view(name: PortalName, folders: BTreeMap<FolderId, Arc<FolderView>>, now: Moment) -> PortalView {
    let run = LastRun {
        ended: now.wall,
        duration: Duration::from_millis(48_213),
        result: RunResult::Success,
        requests: 100,
    };
    PortalView {
        name,
        address: "https://portal.example".into(),
        standing: Standing::Active,
        list: ListState::Read(ListFacts {
            folders: folders.len(),
            unwatched: Unwatched::default(),
        }),
        folders,
        classes: Arc::default(),
        errors: Arc::default(),
        reindex: Arc::default(),
        collections: Collections {
            last_success: Some(now.wall),
            last_run: Some(run),
            gap: Some(Duration::from_mins(1)),
            next: None,
        },
        waiting: None,
        stale_after: Duration::from_mins(15),
        state_writes: kb_exporter::snapshot::Writes::Succeed,
        sorting: kb_exporter::snapshot::SortingState::Shown,
        unsorted: None,
        web_url: None,
        panics: 0,
    }
}

fn folder(portal: &PortalName, number: usize, now: Moment) -> FolderView {
    let text = format!("{portal} {number}");
    let id = Uuid::new_v5(&Uuid::NAMESPACE_OID, text.as_bytes());
    let name = format!("{} {number}", NAMES[number % NAMES.len()]);
    let amount = id.as_u64_pair().0;
    FolderView {
        id: id.into(),
        name: FolderName::new(&name),
        reported_files: Some(amount % 5_000),
        state: FolderState::Counted,
        counts: Some(Arc::new(counts(number, amount, now))),
        failed_files: None,
        last_success: Some(now.wall),
        full_read: Some(FullRead {
            at: now.wall,
            sizes: ByStatus::from_fn(|status| by_status(amount, status, 3) * 48_611),
            missing_rows: 0,
            repeated_rows: 0,
            scanned: None,
        }),
        missing_files: 0,
        large_scan_pages: None,
        counters: Some(Arc::new(FolderCounters {
            entries: ByStatus::from_fn(|status| by_status(amount, status, 7)),
            indexing: indexing(amount),
        })),
        day: Arc::default(),
        newest: None,
    }
}

fn counts(number: usize, amount: u64, now: Moment) -> Counts {
    let failed_since = now.wall.before(Duration::from_secs(amount % 100_000));
    Counts {
        files: ByStatus::from_fn(|status| by_status(amount, status, 11)),
        errors: errors(number, amount),
        oldest: ByStatus::from_fn(|status| match status {
            Status::Failed | Status::Flagged => Some(failed_since),
            Status::Pending if number.is_multiple_of(3) => Some(now.wall),
            _ => None,
        }),
        look: Look {
            way: Way::Sorted,
            consistent: true,
            requests: 1 + amount % 50,
            duration: Duration::from_micros(200_000 + amount % 1_000_000),
            missing_files: 0,
        },
        counted: now,
        interval: Some(Duration::from_millis(60_000 + amount % 500)),
    }
}

/// None to four classes, three in the middle.
fn errors(number: usize, amount: u64) -> Vec<ErrorRow> {
    let classifier = Classifier::default();
    let classes = [3, 1, 4, 3, 0, 2][number % 6];
    let mut rows: Vec<_> = (0..classes)
        .map(|place| ErrorRow {
            status: Status::WITH_REASON[place / 3],
            class: classifier
                .explain(REASONS[(number + place) % REASONS.len()])
                .class,
            files: amount % 97 + place as u64,
            example: None,
            growth: None,
        })
        .collect();
    rows.sort_by(|a, b| (a.status, a.class.as_str()).cmp(&(b.status, b.class.as_str())));
    rows
}

fn by_status(amount: u64, status: Status, factor: u64) -> u64 {
    match status {
        Status::Done => amount % 4_999 * factor,
        Status::Unknown => 0,
        other => amount % (29 + other as u64),
    }
}

fn indexing(amount: u64) -> IndexingTimes {
    let mut times = IndexingTimes::default();
    for place in 0..amount % 40 {
        times.observe(Duration::from_secs(17 * place * place));
    }
    times
}
