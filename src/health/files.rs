//! What the files of the last hour say.

use crate::classify::ErrorRow;
use crate::clock::Moment;
use crate::model::{Series, Status, Timestamp};
use crate::snapshot::{Counts, FolderView, PortalView};

use super::finding::{Finding, Kind};

/// Steps of half an hour.
const HALF_HOUR: u32 = Series::HOUR / 2;

/// Fewer files that fail do not show that most of them do.
const LEAST_FAILED: u64 = 5;

/// Whether more than half of what finished in a portal within half an hour failed.
pub(super) fn most_fail(portal: &PortalView, now: Moment) -> Option<Finding> {
    let days = || portal.folders.values().map(|folder| &folder.day);
    let failed: u64 = days()
        .map(|day| entered(&day.failed_entries, HALF_HOUR, now.wall))
        .sum();
    let finished: u64 = days()
        .map(|day| entered(&day.finished_entries, HALF_HOUR, now.wall))
        .sum();
    let sentence = format!("{failed} of {finished} files that finished in half an hour failed");
    (failed >= LEAST_FAILED && 2 * failed > finished).then_some(Finding {
        kind: Kind::MostFail,
        sentence,
        files: failed,
    })
}

/// The files of a folder that failed or were flagged within an hour, with the class that grew most.
pub(super) fn new(folder: &FolderView, counts: &Counts, now: Moment) -> Vec<Finding> {
    let of = |kind, status, verb, series| {
        let files = entered(series, Series::HOUR, now.wall);
        let word = if files == 1 { "file" } else { "files" };
        let class = of_class(counts, status, files).unwrap_or_default();
        let sentence = format!("{files} {word} {verb} in the last hour{class}");
        (files > 0).then_some(Finding {
            kind,
            sentence,
            files,
        })
    };
    let day = &folder.day;
    let failed = of(Kind::Failed, Status::Failed, "failed", &day.failed_entries);
    let flagged = of(
        Kind::Flagged,
        Status::Flagged,
        "flagged",
        &day.flagged_entries,
    );
    failed.into_iter().chain(flagged).collect()
}

fn of_class(counts: &Counts, status: Status, entered: u64) -> Option<String> {
    let grown = |row: &&ErrorRow| row.growth.map_or(0, |growth| growth.hour);
    let rows = counts.errors.iter().filter(|row| row.status == status);
    let row = rows.max_by_key(grown)?;
    let files = u64::try_from(grown(&row)).ok().filter(|files| *files > 0)?;
    Some(if files >= entered {
        format!(", with {}", row.class)
    } else {
        format!(", {files} of them with {}", row.class)
    })
}

/// By how much a counter grew in the last steps.
fn entered(series: &Series, steps: u32, now: Timestamp) -> u64 {
    let before = Series::step(now).saturating_sub(steps);
    series.grown_since(before).try_into().unwrap_or(0)
}
