//! What is known of a folder.

use std::time::Duration;

use super::{Folder, Of, Source};
use crate::metrics::catalogue as family;
use crate::metrics::writer::{Samples, flag, float, signed};
use crate::model::{ByStatus, Status, Timestamp};
use crate::snapshot::{Counts, FolderState};

pub(super) const FAMILIES: &[Source] = &[
    (&family::FOLDER_FILES, Of::Folder(files)),
    (&family::FOLDER_FILE_ERRORS, Of::Folder(errors)),
    (&family::FOLDER_SIZE_BYTES, Of::Folder(sizes)),
    (&family::FOLDER_REPORTED_FILES, Of::Folder(reported_files)),
    (&family::FOLDER_OLDEST_FILE, Of::Folder(oldest)),
    (&family::FOLDER_STATUS_ENTRIES, Of::Folder(entries)),
    (&family::FOLDER_INDEXING_SECONDS, Of::Folder(indexing)),
    (&family::FOLDER_UP, Of::Folder(up)),
    (&family::FOLDER_COUNT_INTERVAL, Of::Folder(interval)),
    (&family::FOLDER_LAST_FULL_READ, Of::Folder(last_full_read)),
    (
        &family::FOLDER_FULL_READ_DIFFERENCE,
        Of::Folder(full_read_difference),
    ),
    (&family::FOLDER_UNAVAILABLE, Of::Folder(unavailable)),
    (&family::FOLDER_LAST_SUCCESS, Of::Folder(last_success)),
    (&family::FOLDER_COLLECTION_DURATION, Of::Folder(duration)),
    (&family::FOLDER_COLLECTION_REQUESTS, Of::Folder(requests)),
    (&family::FOLDER_CONSISTENT, Of::Folder(consistent)),
];

fn files(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    if let Some(counts) = folder.counts {
        add_by_status(samples, folder, counts.files.shown());
    }
}

fn errors(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    let [portal, id, name] = folder.labels();
    for row in folder.counts.into_iter().flat_map(|counts| &counts.errors) {
        let labels = [portal, id, name, row.status.as_str(), row.class.as_str()];
        samples.add(&labels, float(row.files));
    }
}

/// Not subject to `stale_after` (docs/metrics.md, Stale counts).
fn sizes(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    let Some(full) = &folder.view.full_read else {
        return;
    };
    let sizes = full.sizes.iter().map(|(status, size)| (status, *size));
    let shown = sizes.filter(|(status, size)| shows(folder, *status) || *size > 0);
    add_by_status(samples, folder, shown);
}

fn full_read_difference(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    let differences = folder.view.full_read_difference.iter();
    for (status, difference) in differences.flat_map(ByStatus::iter) {
        if shows(folder, status) || *difference != 0 {
            samples.add(&folder.with(status.as_str()), signed(*difference));
        }
    }
}

/// Whether a status is shown though there may be nothing in it: `unknown` only while there are such files.
fn shows(folder: &Folder<'_>, status: Status) -> bool {
    let counts = folder.view.counts.as_ref();
    status != Status::Unknown || counts.is_some_and(|counts| counts.files[status] > 0)
}

fn reported_files(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    let files = folder.view.reported_files.map(float);
    samples.add_some(&folder.labels(), files);
}

fn oldest(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    for (status, since) in folder
        .counts
        .into_iter()
        .flat_map(|counts| counts.oldest.iter())
    {
        let seconds = since.map(Timestamp::as_seconds);
        samples.add_some(&folder.with(status.as_str()), seconds);
    }
}

fn entries(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    if let Some(entries) = &folder.view.entries {
        add_by_status(samples, folder, entries.shown());
    }
}

fn indexing(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    let times = &folder.view.indexing;
    if folder.view.entries.is_some() && times.count > 0 {
        samples.add_histogram(&folder.labels(), times);
    }
}

fn up(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    let state = &folder.view.state;
    if *state != FolderState::Unseen {
        samples.add(&folder.labels(), flag(*state == FolderState::Counted));
    }
}

fn unavailable(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    if let Some(reason) = folder.view.state.unavailable() {
        samples.add(&folder.with(reason.as_str()), 1.0);
    }
}

fn last_full_read(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    let full = folder.view.full_read;
    samples.add_some(&folder.labels(), full.map(|full| full.at.as_seconds()));
}

fn last_success(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    let at = folder.view.last_success;
    samples.add_some(&folder.labels(), at.map(Timestamp::as_seconds));
}

fn interval(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    let interval = folder.counts.and_then(|counts| counts.interval);
    let seconds = interval.as_ref().map(Duration::as_secs_f64);
    samples.add_some(&folder.labels(), seconds);
}

fn duration(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    add_of_counts(samples, folder, |counts| counts.duration.as_secs_f64());
}

fn consistent(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    add_of_counts(samples, folder, |counts| flag(counts.consistent));
}

fn requests(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    if let Some(counts) = folder.counts {
        samples.add(&folder.with(counts.way.as_str()), float(counts.requests));
    }
}

fn add_of_counts(
    samples: &mut Samples<'_>,
    folder: &Folder<'_>,
    value: impl FnOnce(&Counts) -> f64,
) {
    samples.add_some(&folder.labels(), folder.counts.map(value));
}

fn add_by_status(
    samples: &mut Samples<'_>,
    folder: &Folder<'_>,
    values: impl Iterator<Item = (Status, u64)>,
) {
    for (status, value) in values {
        samples.add(&folder.with(status.as_str()), float(value));
    }
}
