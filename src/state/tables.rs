//! The rows of the tables, and what they stand for.

use std::sync::Arc;

use crate::classify::{ClassSlot, KnownClass};
use crate::history::{
    Coverage, Departure, DepartureReason, FolderCounters, FolderRecord, FullRead, IndexingTimes,
    KnownFile,
};
use crate::model::{ByStatus, FolderId, FolderName, PortalAddress, PortalName, Status, Timestamp};
use crate::sql::{Json, columns, record, text_column};
use crate::state::StateError;
use crate::state::saved::{FolderChange, SavedRefutation};

text_column!(
    DepartureReason,
    |reason| left_word(*reason).to_owned(),
    |word| {
        let mut reasons = [DepartureReason::Gone, DepartureReason::Unlisted].into_iter();
        reasons.find(|reason| left_word(*reason) == word)
    }
);

const fn left_word(reason: DepartureReason) -> &'static str {
    match reason {
        DepartureReason::Gone => "gone",
        DepartureReason::Unlisted => "unlisted",
    }
}

record! {
    pub(super) struct PortalRow {
        name: String,
        last_success: Timestamp,
    }
}

record! {
    pub(super) struct RefutationRow {
        portal: String,
        address: PortalAddress,
        folder: FolderId,
        pages: Json<Vec<u64>>,
    }
}

impl RefutationRow {
    pub fn new(portal: &PortalName, refutation: SavedRefutation) -> Self {
        Self {
            portal: portal.as_str().to_owned(),
            address: refutation.address,
            folder: refutation.folder,
            pages: Json(refutation.pages),
        }
    }

    pub fn refutation(self) -> SavedRefutation {
        SavedRefutation {
            address: self.address,
            folder: self.folder,
            pages: self.pages.0,
        }
    }
}

record! {
    pub(super) struct FolderRow {
        portal: String,
        id: FolderId,
        name: FolderName,
        began: Option<Timestamp>,
        counted: Option<Timestamp>,
        full_read: Option<Timestamp>,
        counts: Option<Json<ByStatus<u64>>>,
        /// Which statuses a whole read listed.
        whole: Option<Json<ByStatus<bool>>>,
        entries: Option<Json<ByStatus<u64>>>,
        indexing: Option<Json<[u64; 8]>>,
        left_reason: Option<DepartureReason>,
        left_since: Option<Timestamp>,
        first_counted: Option<Timestamp>,
        sizes: Option<Json<ByStatus<u64>>>,
        base: Option<Json<ByStatus<u64>>>,
        /// How many torn reads listed each of the other statuses. For one that was whole: 1 where that was the first.
        torn: Option<Json<ByStatus<u8>>>,
        excluded_since: Option<Timestamp>,
    }
}

impl FolderRow {
    pub fn new(change: &FolderChange) -> Self {
        let folder = &change.folder;
        let record = folder.record.as_ref();
        let full_read = record.and_then(|record| record.full_read);
        let coverage = record.map(|record| record.coverage);
        Self {
            portal: change.portal.as_str().to_owned(),
            id: change.id,
            name: folder.name.clone(),
            began: record.map(|record| record.began),
            counted: record.map(|record| record.counted),
            full_read: full_read.map(|full| full.at),
            counts: record.map(|record| Json(record.counts)),
            whole: coverage.map(|coverage| {
                let whole = |status| !matches!(coverage[status], Coverage::Torn(_));
                Json(ByStatus::from_fn(whole))
            }),
            entries: record.map(|record| Json(record.counters.entries)),
            indexing: record.map(|record| Json(indexing_columns(&record.counters.indexing))),
            left_reason: folder.left.map(|left| left.reason),
            left_since: folder.left.map(|left| left.since),
            first_counted: record.map(|record| record.first_counted),
            sizes: full_read.map(|full| Json(full.sizes)),
            base: record.and_then(|record| record.base).map(Json),
            torn: coverage.map(|coverage| {
                Json(ByStatus::from_fn(|status| match coverage[status] {
                    Coverage::Whole => 0,
                    Coverage::Once => 1,
                    Coverage::Torn(reads) => reads,
                }))
            }),
            excluded_since: folder.excluded,
        }
    }

    pub fn left(&self) -> Result<Option<Departure>, StateError> {
        match (self.left_reason, self.left_since) {
            (None, _) => Ok(None),
            (Some(reason), Some(since)) => Ok(Some(Departure { reason, since })),
            (Some(_), None) => Err(StateError::Content("when a folder left".to_owned())),
        }
    }

    /// The facts of the last count, if there was one.
    pub fn record(self) -> Result<Option<FolderRecord>, StateError> {
        let Some(counted) = self.counted else {
            return Ok(None);
        };
        let Json([buckets @ .., count, sum_millis]) = required(self.indexing, "indexing")?;
        let Json(whole) = required(self.whole, "whole")?;
        let torn = self.torn.map_or_else(ByStatus::default, |Json(torn)| torn);
        Ok(Some(FolderRecord {
            first_counted: self.first_counted.unwrap_or(counted),
            name: self.name,
            began: self.began.unwrap_or(counted),
            counted,
            // None where its sizes are not known, so that the folder is read in full again soon.
            full_read: self
                .full_read
                .zip(self.sizes)
                .map(|(at, Json(sizes))| FullRead { at, sizes }),
            counts: required(self.counts, "counts")?.0,
            base: self.base.map(|Json(base)| base),
            coverage: ByStatus::from_fn(|status| match (whole[status], torn[status]) {
                (true, 0) => Coverage::Whole,
                (true, _) => Coverage::Once,
                (false, reads) => Coverage::Torn(reads),
            }),
            counters: Arc::new(FolderCounters {
                entries: required(self.entries, "entries")?.0,
                indexing: IndexingTimes {
                    buckets,
                    count,
                    sum_millis,
                },
            }),
        }))
    }
}

fn indexing_columns(times: &IndexingTimes) -> [u64; 8] {
    let mut columns = [0; 8];
    columns[..6].copy_from_slice(&times.buckets);
    columns[6..].copy_from_slice(&[times.count, times.sum_millis]);
    columns
}

fn required<T>(value: Option<T>, column: &str) -> Result<T, StateError> {
    value.ok_or_else(|| StateError::Content(format!("the column {column}")))
}

columns!(KnownFile {
    status,
    settled,
    since,
    timed_from,
    missed
});

record! {
    /// The part of a row that says to which folder it belongs.
    pub(super) struct FolderNumber {
        folder: i64,
    }
}

record! {
    /// A class of error that has a slot in a folder, without that folder.
    pub(super) struct SlotRow {
        class: Arc<str>,
        example: Arc<str>,
        first_seen: Timestamp,
        last_seen: Timestamp,
        classifier: Option<String>,
        failed: u64,
        flagged: u64,
        empty_counts: u32,
        shown: bool,
    }
}

impl SlotRow {
    pub fn new(slot: &ClassSlot) -> Self {
        Self {
            class: Arc::clone(&slot.class),
            example: Arc::clone(&slot.known.example),
            first_seen: slot.known.first_seen,
            last_seen: slot.known.last_seen,
            classifier: slot.classifier.map(|version| version.to_string()),
            failed: slot.files[Status::Failed],
            flagged: slot.files[Status::Flagged],
            empty_counts: slot.empty_counts,
            shown: slot.shown,
        }
    }

    pub fn slot(self) -> ClassSlot {
        let mut files = ByStatus::default();
        files[Status::Failed] = self.failed;
        files[Status::Flagged] = self.flagged;
        ClassSlot {
            class: self.class,
            known: KnownClass {
                example: self.example,
                first_seen: self.first_seen,
                last_seen: self.last_seen,
            },
            classifier: self.classifier.and_then(|text| text.parse().ok()),
            files,
            empty_counts: self.empty_counts,
            shown: self.shown,
        }
    }
}
