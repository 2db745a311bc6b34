//! Families of a folder: its files, and how it was counted.

use std::time::Duration;

use super::view::FolderFacts;
use crate::metrics::family::{FOLDER, FOLDER_REASON, FOLDER_STATUS, families};
use crate::metrics::samples::{Samples, flag, float};
use crate::model::{Status, Timestamp};
use crate::snapshot::FolderState;

families! {
    FILES: Gauge "kb_folder_files" FOLDER_STATUS, FolderSamples(files),
        "Number of files in the folder by status.";
    FILE_ERRORS: Gauge "kb_folder_file_errors" &["portal", "folder_id", "folder", "status", "error"], FolderSamples(errors),
        "Number of failed and flagged files by error class.";
    SIZE_BYTES: Gauge "kb_folder_size_bytes" FOLDER_STATUS, FolderSamples(sizes),
        "Size of the files in the folder by status, as of the last full scan.";
    REPORTED_FILES: Gauge "kb_folder_reported_files" FOLDER,
        Folder(|folder| folder.view.reported_files.map(float)),
        "Number of files in the folder as reported by the folder list.";
    OLDEST_FILE: Gauge "kb_folder_oldest_file_timestamp_seconds" FOLDER_STATUS, FolderSamples(oldest),
        "Time at which the oldest file in this status entered it.";
    STATUS_ENTRIES: Counter "kb_folder_status_entries_total" FOLDER_STATUS, FolderSamples(entries),
        "Total number of files that entered this status.";
    INDEXING_SECONDS: Histogram "kb_folder_indexing_seconds" FOLDER, FolderSamples(indexing),
        "Time from the upload of a file to the first count in which it was done.";
    UP: Gauge "kb_folder_up" FOLDER, Folder(up),
        "Whether the last read of the folder succeeded.";
    COUNT_INTERVAL: Gauge "kb_folder_count_interval_seconds" FOLDER,
        Folder(|folder| folder.counts?.interval.as_ref().map(Duration::as_secs_f64)),
        "Time between the last two counts of the folder.";
    LAST_FULL_READ: Gauge "kb_folder_last_full_read_timestamp_seconds" FOLDER,
        Folder(|folder| folder.view.full_read.map(|full| full.at.as_seconds())),
        "Time of the last full scan of the folder.";
    UNAVAILABLE: Gauge "kb_folder_unavailable" FOLDER_REASON, FolderSamples(unavailable),
        "Reason why the folder cannot be counted, constant 1. Exported for 24 hours after the folder was removed.";
    LAST_SUCCESS: Gauge "kb_folder_last_success_timestamp_seconds" FOLDER,
        Folder(|folder| folder.view.last_success().map(Timestamp::as_seconds)),
        "Time of the last successful count of the folder.";
    COLLECTION_DURATION: Gauge "kb_folder_collection_duration_seconds" FOLDER,
        Folder(|folder| Some(folder.counts?.look.duration.as_secs_f64())),
        "Duration of the last count of the folder.";
    COLLECTION_REQUESTS: Gauge "kb_folder_collection_requests" &["portal", "folder_id", "folder", "strategy"], FolderSamples(requests),
        "Number of requests used by the last count of the folder.";
    CONSISTENT: Gauge "kb_folder_consistent" FOLDER, Folder(|folder| Some(flag(folder.counts?.look.consistent))),
        "Whether the last count of the folder was consistent.";
}

fn files(folder: &FolderFacts<'_>, samples: &mut Samples<'_>) {
    for (status, files) in folder.counts.iter().flat_map(|counts| counts.files.shown()) {
        samples.add(&[status.as_str()], float(files));
    }
}

fn errors(folder: &FolderFacts<'_>, samples: &mut Samples<'_>) {
    for row in folder.counts.iter().flat_map(|counts| &counts.errors) {
        samples.add(&[row.status.as_str(), row.class.as_str()], float(row.files));
    }
}

/// Not subject to `stale_after` (docs/metrics.md, Stale counts).
fn sizes(folder: &FolderFacts<'_>, samples: &mut Samples<'_>) {
    let sizes = folder.view.full_read.iter();
    for (status, size) in sizes.flat_map(|full| full.sizes.iter()) {
        if shows(folder, status) || *size > 0 {
            samples.add(&[status.as_str()], float(*size));
        }
    }
}

/// Whether a status is shown when its value is 0: `unknown` only while there are such files.
fn shows(folder: &FolderFacts<'_>, status: Status) -> bool {
    let counts = folder.view.counts.as_ref();
    status != Status::Unknown || counts.is_some_and(|counts| counts.files[status] > 0)
}

fn oldest(folder: &FolderFacts<'_>, samples: &mut Samples<'_>) {
    for (status, since) in folder.counts.iter().flat_map(|counts| counts.oldest.iter()) {
        if let Some(since) = since {
            samples.add(&[status.as_str()], since.as_seconds());
        }
    }
}

fn entries(folder: &FolderFacts<'_>, samples: &mut Samples<'_>) {
    let counters = folder.view.counters.iter();
    for (status, entries) in counters.flat_map(|counters| counters.entries.shown()) {
        samples.add(&[status.as_str()], float(entries));
    }
}

fn indexing(folder: &FolderFacts<'_>, samples: &mut Samples<'_>) {
    let counters = folder.view.counters.as_deref();
    if let Some(counters) = counters.filter(|counters| counters.indexing.count > 0) {
        samples.add_histogram(&counters.indexing);
    }
}

fn up(folder: &FolderFacts<'_>) -> Option<f64> {
    let state = &folder.view.state;
    (*state != FolderState::Unseen).then(|| flag(*state == FolderState::Counted))
}

fn unavailable(folder: &FolderFacts<'_>, samples: &mut Samples<'_>) {
    if let Some(reason) = folder.view.state.unavailable() {
        samples.add(&[reason.as_str()], 1.0);
    }
}

fn requests(folder: &FolderFacts<'_>, samples: &mut Samples<'_>) {
    if let Some(counts) = folder.counts {
        samples.add(&[counts.look.way.as_str()], float(counts.look.requests));
    }
}
