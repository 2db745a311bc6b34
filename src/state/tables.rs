//! The rows of the tables, and their meaning.

use std::sync::Arc;

use crate::classify::{ClassSlot, KnownClass};
use crate::history::{
    Departure, DepartureReason, FolderCounters, FolderRecord, FullRead, IndexingTimes, KnownFile,
    Look, Unidentified,
};
use crate::model::{ByStatus, FolderId, FolderName, PortalAddress, PortalName, Status, Timestamp};
use crate::sql::{Json, columns, record, text_column};
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
    /// A folder without the columns that are null if there is nothing to tell.
    pub(super) struct FolderRow {
        portal: String,
        id: FolderId,
        name: FolderName,
        excluded_since: Option<Timestamp>,
    }
}

record! {
    pub(super) struct LeftRow {
        left_since: Timestamp,
        left_reason: DepartureReason,
    }
}

record! {
    /// The last count of a folder.
    pub(super) struct CountRow {
        counted: Timestamp,
        began: Timestamp,
        first_counted: Timestamp,
        counts: Json<ByStatus<u64>>,
        look: Json<Look>,
        unidentified: Json<ByStatus<Unidentified>>,
        entries: Json<ByStatus<u64>>,
        indexing: Json<IndexingTimes>,
    }
}

record! {
    pub(super) struct FullReadRow {
        full_read: Timestamp,
        sizes: Json<ByStatus<u64>>,
        missing_rows: u64,
        shows_sorting: bool,
    }
}

/// All columns of a folder but its number and its version.
pub(super) type FolderRows = (
    FolderRow,
    (Option<LeftRow>, (Option<CountRow>, Option<FullReadRow>)),
);

pub(super) fn folder_rows(change: &FolderChange) -> FolderRows {
    let folder = &change.folder;
    let record = folder.record.as_ref();
    let row = FolderRow {
        portal: change.portal.as_str().to_owned(),
        id: change.id,
        name: folder.name.clone(),
        excluded_since: folder.excluded,
    };
    let left = folder.left.map(|left| LeftRow {
        left_since: left.since,
        left_reason: left.reason,
    });
    let count = record.map(|record| CountRow {
        counted: record.counted,
        began: record.began,
        first_counted: record.first_counted,
        counts: Json(record.counts),
        look: Json(record.look),
        unidentified: Json(record.unidentified),
        entries: Json(record.counters.entries),
        indexing: Json(record.counters.indexing),
    });
    let full_read = record.and_then(|record| record.full_read);
    let full_read = full_read.map(|full| FullReadRow {
        full_read: full.at,
        sizes: Json(full.sizes),
        missing_rows: full.missing_rows,
        shows_sorting: full.shows_sorting,
    });
    (row, (left, (count, full_read)))
}

impl From<LeftRow> for Departure {
    fn from(row: LeftRow) -> Self {
        Self {
            reason: row.left_reason,
            since: row.left_since,
        }
    }
}

impl CountRow {
    pub fn record(self, full_read: Option<FullReadRow>) -> FolderRecord {
        FolderRecord {
            first_counted: self.first_counted,
            began: self.began,
            counted: self.counted,
            full_read: full_read.map(|row| FullRead {
                at: row.full_read,
                sizes: row.sizes.0,
                missing_rows: row.missing_rows,
                shows_sorting: row.shows_sorting,
            }),
            counts: self.counts.0,
            look: self.look.0,
            unidentified: self.unidentified.0,
            counters: Arc::new(FolderCounters {
                entries: self.entries.0,
                indexing: self.indexing.0,
            }),
        }
    }
}

columns!(KnownFile {
    status,
    settled,
    since,
    timed_from,
    missed_since,
    is_done,
    class
});

record! {
    /// The part of a row that says to which folder it belongs.
    pub(super) struct FolderNumber {
        folder: i64,
    }
}

record! {
    /// An error class that has a slot in a folder, without that folder.
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
