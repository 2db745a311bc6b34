//! What the files of the last hour say.

use crate::classify::ErrorRow;
use crate::clock::Moment;
use crate::model::{Series, Status, Timestamp};
use crate::snapshot::{Counts, FolderView, PortalView};

use super::finding::{Finding, Kind};

/// Fewer files that fail do not show that most of them do.
const LEAST_FAILED: u64 = 5;

/// Whether more than half of what finished in a portal within half an hour failed.
pub(super) fn most_fail(portal: &PortalView, now: Moment) -> Option<Finding> {
    let (mut failed, mut finished) = (0, 0);
    for day in portal.folders.values().map(|folder| &folder.day) {
        failed += entered(&day.failed_entries, Series::HOUR / 2, now.wall);
        finished += entered(&day.finished_entries, Series::HOUR / 2, now.wall);
    }
    let sentence = format!("{failed} of {finished} files that finished in half an hour failed");
    (failed >= LEAST_FAILED && 2 * failed > finished).then_some(Finding {
        kind: Kind::MostFail,
        sentence,
        files: failed,
    })
}

/// The files of a folder that failed or were flagged within an hour, with the class that grew most.
pub(super) fn new<'a>(
    folder: &'a FolderView,
    counts: &'a Counts,
    now: Moment,
) -> impl Iterator<Item = Finding> {
    let [failed, flagged] = [&folder.day.failed_entries, &folder.day.flagged_entries];
    let statuses = [
        (Kind::Failed, Status::Failed, failed),
        (Kind::Flagged, Status::Flagged, flagged),
    ];
    let new = statuses.into_iter().map(move |(kind, status, entries)| {
        let files = entered(entries, Series::HOUR, now.wall);
        let (word, status_word) = (if files == 1 { "file" } else { "files" }, status.as_str());
        let class = largest(counts, status, files).unwrap_or_default();
        let sentence = format!("{files} {word} {status_word} in the last hour{class}");
        Finding {
            kind,
            sentence,
            files,
        }
    });
    new.filter(|finding| finding.files > 0)
}

/// The files whose status is none of the five.
pub(super) fn unknown(counts: &Counts) -> Option<Finding> {
    let files = counts.files[Status::Unknown];
    let sentence =
        format!("files with a status that this version of the exporter does not know: {files}");
    (files > 0).then_some(Finding {
        kind: Kind::UnknownStatus,
        sentence,
        files,
    })
}

/// The class that grew most, and by how much unless it has all files.
fn largest(counts: &Counts, status: Status, entered: u64) -> Option<String> {
    let grown = |row: &&ErrorRow| row.growth.map_or(0, |growth| growth.hour);
    let rows = counts.errors.iter().filter(|row| row.status == status);
    let row = rows.max_by_key(grown)?;
    match u64::try_from(grown(&row)).unwrap_or(0) {
        0 => None,
        files if files >= entered => Some(format!(", with {}", row.class)),
        files => Some(format!(", {files} of them with {}", row.class)),
    }
}

/// By how much a counter grew in the last steps.
fn entered(series: &Series, steps: u32, now: Timestamp) -> u64 {
    let before = Series::step(now).saturating_sub(steps);
    series.grown_since(before).try_into().unwrap_or(0)
}
