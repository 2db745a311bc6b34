//! The exposition of a portal whose names and reasons are whatever they are.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use kb_exporter::classify::{
    ClassCounts, ClassLimits, ClassSlots, Classifier, Reasons, count_classes,
};
use kb_exporter::clock::Moment;
use kb_exporter::history::{
    Departure, DepartureReason, FolderCounters, FullRead, IndexingTimes, Look,
};
use kb_exporter::metrics::{ConfigFacts, Events, render};
use kb_exporter::model::{ByStatus, FolderId, FolderName, PortalName, Status, Timestamp};
use kb_exporter::snapshot::{
    Collections, Counts, FolderState, FolderView, ListFacts, ListState, PortalView, RunResult,
    Snapshot, Unavailable, Unreadable, Unwatched, Way,
};
use kb_exporter::store::Standing;
use kb_exporter::text;
use kb_exposition::{Exposition, Sample};

/// Begins a folder.
const FOLDER: char = '|';

/// Begins a reason.
const REASON: char = '>';

/// Folders that are taken, at most.
const MAX_FOLDERS: usize = 5;

/// A portal as `portal|folder>reason>reason|folder…`: its exposition is read by a strict reader, in which every series is there
/// once, with the names and reasons as they were cleaned and the numbers as they were counted.
///
/// # Panics
/// When that does not hold.
pub fn exposition(bytes: &[u8]) {
    let now = Moment::now();
    let portal = portal(&String::from_utf8_lossy(bytes), now);
    let events = Events::new().expect("the families have names of their own");
    events.of(&portal.name).ran(RunResult::Partial);
    let config = ConfigFacts {
        reload_successful: true,
        loaded: now.wall,
    };
    let snapshot = Snapshot {
        portals: vec![Arc::clone(&portal)],
        ..Snapshot::default()
    };
    let written = render(&events, config, &snapshot, now).expect("no family is empty");
    let written = String::from_utf8(written).expect("the exposition is text");
    let all = Exposition::parse(&written).unwrap_or_else(|fault| panic!("{fault}"));
    assert_harmless(&all.samples);
    for folder in portal.folders.values() {
        assert_folder(&all.samples, &portal, folder);
    }
}

fn assert_harmless(all: &[Sample]) {
    for value in all.iter().flat_map(|series| series.labels.values()) {
        let harmful = |character| text::is_unsafe(character) && !"\n\t".contains(character);
        assert!(!value.contains(harmful), "{value:?}");
        assert!(value.chars().count() <= 200, "{value:?}");
    }
}

fn assert_folder(all: &[Sample], portal: &PortalView, folder: &FolderView) {
    let id = folder.id.to_string();
    let own = |sample: &&Sample| sample.labels.get("folder_id") == Some(&id);
    let own: Vec<_> = all.iter().filter(own).collect();
    assert!(!own.is_empty(), "no series of a folder");
    for series in &own {
        assert_eq!(series.labels["portal"], portal.name.as_str());
        assert_eq!(series.labels["folder"], folder.name.label());
    }
    let Some(counts) = &folder.counts else { return };
    let files = counts.files.shown();
    let files = files.map(|(status, files)| (vec![status.as_str()], files));
    assert_values(&own, "kb_folder_files", &["status"], files);
    let classes = counts.errors.iter().map(|row| {
        let labels = vec![row.status.as_str(), row.class.as_str()];
        (labels, row.files)
    });
    assert_values(&own, "kb_folder_file_errors", &["status", "error"], classes);
}

/// Asserts that a family has these values by these labels, and no others.
#[expect(clippy::cast_precision_loss, reason = "the exposition has only floats")]
fn assert_values<'a>(
    all: &[&'a Sample],
    name: &str,
    labels: &[&str],
    expected: impl Iterator<Item = (Vec<&'a str>, u64)>,
) {
    let read = all.iter().filter(|series| series.name == name);
    let read = read.map(|series| {
        let values = labels.iter().map(|label| series.labels[*label].as_str());
        (values.collect(), series.value)
    });
    let read: BTreeMap<Vec<&str>, f64> = read.collect();
    let expected = expected.map(|(labels, value)| (labels, value as f64));
    assert_eq!(read, expected.collect(), "{name}");
}

fn portal(text: &str, now: Moment) -> Arc<PortalView> {
    let mut parts = text.split(FOLDER);
    let name = PortalName::new(parts.next().unwrap_or_default());
    // Few, so that the classes do not all fit.
    let mut slots = ClassSlots::new(ClassLimits {
        portal: 6,
        folder: 4,
        ..ClassLimits::default()
    });
    let folders: Vec<_> = parts
        .take(MAX_FOLDERS)
        .zip(1..)
        .map(|(part, number)| folder(Uuid::from_u128(number).into(), part, now, &mut slots))
        .collect();
    Arc::new(PortalView {
        name: name
            .or_else(|| PortalName::new("main"))
            .expect("main is a name"),
        address: "https://portal.example".into(),
        standing: Standing::Active,
        list: ListState {
            facts: Some(ListFacts {
                folders: folders.len(),
                unwatched: Unwatched::default(),
            }),
            failure: None,
        },
        classes: Arc::new(slots.classes()),
        errors: Arc::default(),
        reindex: Arc::default(),
        folders: folders
            .into_iter()
            .map(|folder| (folder.id, Arc::new(folder)))
            .collect(),
        collections: Collections::default(),
        remarks: Vec::new(),
        stale_after: Duration::from_mins(15),
        state_writes: Some(Ok(())),
        sorting: kb_exporter::snapshot::SortingState::Assumed,
        web_url: None,
        panics: 0,
    })
}

/// A folder as `name>reason>reason`, with numbers that follow from its text.
fn folder(id: FolderId, text: &str, now: Moment, slots: &mut ClassSlots) -> FolderView {
    let mut parts = text.split(REASON);
    let name = parts.next().unwrap_or_default();
    let reasons: Vec<_> = parts.collect();
    let amounts = ByStatus::from_fn(|status| number(&(text, status)));
    FolderView {
        id,
        name: FolderName::new(name),
        reported_files: Some(number(&text)),
        state: state(name, now.wall),
        failed_files: None,
        counts: Some(Arc::new(Counts {
            errors: slots.count(id, &tally(&reasons), &Reasons::default(), now.wall, true),
            ..counts(&reasons, now)
        })),
        full_read: Some(FullRead {
            at: now.wall,
            sizes: amounts,
            missing_rows: 0,
            repeated_rows: 0,
            scanned: None,
        }),
        large_scan_pages: None,
        counters: Some(Arc::new(FolderCounters {
            entries: amounts,
            indexing: indexing(&reasons),
        })),
        day: Arc::default(),
        newest: None,
    }
}

fn state(name: &str, now: Timestamp) -> FolderState {
    let message = name.to_owned();
    match number(&name) % 4 {
        0 => FolderState::Unseen,
        1 => FolderState::Counted,
        2 => FolderState::Unavailable(Unreadable {
            reason: Unavailable::Error,
            message,
        }),
        _ => FolderState::Departed(Departure {
            reason: DepartureReason::Unlisted,
            since: now,
        }),
    }
}

/// Each reason with one of the statuses that have one, by turns.
fn with_status<'a>(reasons: &'a [&'a str]) -> impl Iterator<Item = (&'a str, Status)> {
    let statuses = Status::WITH_REASON.into_iter().cycle();
    reasons.iter().copied().zip(statuses)
}

fn tally(reasons: &[&str]) -> ClassCounts {
    let classifier = Classifier::default();
    let classes = with_status(reasons).map(|(text, status)| (status, classifier.classify(text)));
    let classes: Vec<_> = classes.collect();
    let mut counted = ByStatus::default();
    for (status, _) in &classes {
        counted[*status] += 1;
    }
    let files = classes.iter().map(|(status, class)| (*status, class));
    count_classes(files, &counted)
}

fn counts(reasons: &[&str], now: Moment) -> Counts {
    let mut files = ByStatus::default();
    for (_, status) in with_status(reasons) {
        files[status] += 1;
    }
    Counts {
        files,
        errors: Vec::new(),
        oldest: ByStatus::from_fn(|status| Timestamp::parse(reasons.get(status as usize)?)),
        look: Look {
            way: Way::Full,
            consistent: reasons.is_empty(),
            requests: 1,
            duration: Duration::from_millis(number(&reasons) % 100_000),
            missing_files: 0,
        },
        counted: now,
        interval: None,
    }
}

fn indexing(reasons: &[&str]) -> IndexingTimes {
    let mut times = IndexingTimes::default();
    for reason in reasons {
        times.observe(Duration::from_millis(number(reason)));
    }
    times
}

/// Any number at all, the same for the same text.
fn number(text: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
