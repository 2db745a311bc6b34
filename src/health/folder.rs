//! One folder: whether it is counted, whether the counts can be believed, and what is new.

use std::sync::Arc;

use crate::clock::Moment;
use crate::history::{DepartureReason, FullRead};
use crate::snapshot::{Counts, FolderState, FolderView, PortalView, SortingState, Unreadable, Way};

use super::finding::{Finding, Kind};
use super::{FolderHealth, files};

pub(super) fn judge(portal: &PortalView, folder: &Arc<FolderView>, now: Moment) -> FolderHealth {
    let age = folder.counts.as_ref();
    let age = age.map(|counts| now.since(counts.counted));
    let is_fresh = portal.fresh_counts(folder, now).is_some();
    let counts = folder.counts.clone().filter(|_| is_fresh);
    let stale = age.is_some() && !is_fresh;
    let mut findings: Vec<_> = not_counted(portal, folder, stale).into_iter().collect();
    if let Some(counts) = &counts {
        findings.extend(contradiction(portal, folder, counts));
        findings.extend(files::new(folder, counts, now));
        findings.extend(files::unknown(counts));
    }
    let scan = folder.large_scan_pages.map(|pages| {
        let sentence = format!("a full scan of {pages} pages is under way");
        Finding::new(Kind::Remark, sentence)
    });
    findings.extend(scan);
    findings.sort_by_key(|finding| finding.kind);
    FolderHealth {
        view: Arc::clone(folder),
        findings,
        counts,
        age_seconds: age.map(|age| age.as_secs()),
    }
}

/// Why it is not counted, and since when.
fn not_counted(portal: &PortalView, folder: &FolderView, stale: bool) -> Option<Finding> {
    let since = folder.last_success().map(|at| format!(" since {at}"));
    let since = since.unwrap_or_default();
    match &folder.state {
        FolderState::Unavailable(_) if portal.list.trouble().is_some() => {
            let sentence = "its portal cannot be read";
            Some(Finding::new(Kind::FolderUnreadable, sentence))
        }
        FolderState::Unavailable(Unreadable { message, .. }) => {
            let sentence = format!("not counted{since}: {message}");
            Some(Finding::new(Kind::FolderUnreadable, sentence))
        }
        FolderState::Departed(departure) => {
            let left = match departure.reason {
                DepartureReason::Gone => "deleted",
                DepartureReason::Unlisted => "not in the list of the key",
                DepartureReason::Excluded => "excluded by the configuration",
            };
            let sentence = format!("{left} since {}", departure.since);
            Some(Finding::new(Kind::Left, sentence))
        }
        FolderState::Counted | FolderState::Unseen if stale => {
            let sentence = format!("not counted{since}, and that count is too old");
            Some(Finding::new(Kind::Stale, sentence))
        }
        FolderState::Unseen if folder.counts.is_none() => {
            Some(Finding::new(Kind::Unread, "not counted yet"))
        }
        FolderState::Counted | FolderState::Unseen => None,
    }
}

/// Why its counts may be wrong.
fn contradiction(portal: &PortalView, folder: &FolderView, counts: &Counts) -> Option<Finding> {
    let missing = counts.look.missing_files;
    let is_marked = !counts.look.consistent;
    let is_assumed = counts.look.way == Way::Sorted && portal.sorting == SortingState::Assumed;
    let sentence = if missing > 0 {
        let listed = counts.files.total();
        let reported = listed + missing;
        format!(
            "the list of folders reports {reported} files, and the folder's file list has {listed}: {missing} are not counted"
        )
    } else if is_marked && is_assumed {
        "no full scan has shown yet that the portal sorts by status: until one has, the counts may be wrong".to_owned()
    } else if let Some(rows) = folder.full_read.as_ref().and_then(inexact) {
        format!("{rows}: the counts are not exact")
    } else if is_marked && counts.look.way == Way::Sorted {
        "files moved while the folder was read, or nothing had shown then that the portal sorts by status: the counts may be off".to_owned()
    } else if is_marked {
        "files moved while the folder was read: the counts may be off".to_owned()
    } else {
        return None;
    };
    Some(Finding::new(Kind::Marked, sentence))
}

/// What the total of a file list and its pages contradict each other in.
fn inexact(read: &FullRead) -> Option<String> {
    let missing = (read.missing_rows, "files of the total are on no page of");
    let repeated = (read.repeated_rows, "rows come twice in");
    let found = [missing, repeated]
        .into_iter()
        .filter(|(rows, _)| *rows > 0);
    let found = found.map(|(rows, what)| format!("{rows} {what} the folder's file list"));
    let found: Vec<_> = found.collect();
    (!found.is_empty()).then(|| found.join(", and "))
}
