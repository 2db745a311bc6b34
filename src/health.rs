//! Computes the health from a snapshot; pure (docs/operations.md, HTTP paths: `/health`).

mod reindex;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use crate::clock::Moment;
use crate::config::Mode;
use crate::model::Timestamp;
use crate::portal::Trouble;
use crate::snapshot::{
    ErrorClass, FolderState, FolderView, ListState, PortalView, ReindexView, Snapshot,
    SortingState, Unavailable,
};

pub use reindex::{FolderReindex, PortalReindex};

/// The order is from good to bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Pass,
    /// Some portal or folder cannot be collected, or its counts are stale.
    Warn,
    Fail,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Health {
    pub status: Status,
    pub portals: Vec<PortalHealth>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PortalHealth {
    pub name: String,
    /// Whether its list of folders can be read.
    pub status: Status,
    pub trouble: Option<Trouble>,
    pub sorting: SortingState,
    pub notes: Vec<String>,
    pub last_run: Option<Timestamp>,
    /// When the next collection is due.
    pub next_run: Option<Timestamp>,
    /// `None` if the mode of all folders is off.
    pub reindex: Option<PortalReindex>,
    /// Its error classes, the largest first.
    pub errors: Vec<ErrorClass>,
    pub folders: Vec<FolderHealth>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FolderHealth {
    pub id: String,
    pub name: String,
    /// Whether it can be counted.
    pub status: Status,
    pub reason: Option<Unavailable>,
    pub message: Option<String>,
    pub counted: Option<Timestamp>,
    /// How old its counts are, in seconds.
    pub age_seconds: Option<u64>,
    /// Whether its counts are withdrawn, because they are too old.
    pub stale: bool,
    /// The decision about reindexing it; `None` if the mode is off.
    pub reindex: Option<FolderReindex>,
}

/// `kill_switch`: whether it stops reindexing now.
pub fn judge(snapshot: &Snapshot, kill_switch: bool, now: Moment) -> Health {
    let known_classes = reindex::known_classes(snapshot);
    let portals = snapshot.portals.iter().map(|portal| {
        let view = snapshot.reindex.get(&portal.name);
        let view = view.map(Arc::as_ref);
        judge_portal(portal, view, kill_switch, known_classes.as_ref(), now)
    });
    let portals: Vec<_> = portals.collect();
    let has_failed = |portal: &PortalHealth| portal.status == Status::Fail;
    let status = match portals.iter().map(PortalHealth::worst).max() {
        None | Some(Status::Pass) => Status::Pass,
        Some(_) if portals.iter().all(has_failed) => Status::Fail,
        Some(_) => Status::Warn,
    };
    Health { status, portals }
}

impl PortalHealth {
    fn worst(&self) -> Status {
        let folders = self.folders.iter().map(|folder| folder.status);
        folders.fold(self.status, Status::max)
    }
}

fn judge_portal(
    portal: &PortalView,
    view: Option<&ReindexView>,
    kill_switch: bool,
    known_classes: Option<&BTreeSet<&str>>,
    now: Moment,
) -> PortalHealth {
    let folders = portal.folders.values();
    let folders: Vec<_> = folders
        .map(|folder| judge_folder(portal, view, folder, now))
        .collect();
    let reindexed = portal.reindex.strongest_mode() != Mode::Off;
    let mut notes = portal.faults();
    notes.extend(view.and_then(reindex::differences));
    let view = view.filter(|_| reindexed);
    notes.extend(view.and_then(reindex::warning));
    let status = match portal.list {
        ListState::Failed { .. } => Status::Fail,
        _ if notes.is_empty() => Status::Pass,
        _ => Status::Warn,
    };
    notes.extend(portal.remarks());
    if view.is_some() {
        notes.extend(reindex::remark(kill_switch));
    }
    if let (true, Some(known)) = (reindexed, known_classes) {
        notes.extend(reindex::unknown_classes(portal, known));
    }
    PortalHealth {
        name: portal.name.to_string(),
        status,
        trouble: portal.list.trouble(),
        sorting: portal.sorting,
        notes,
        last_run: portal.collections.last_run.map(|run| run.ended),
        next_run: portal.collections.next,
        reindex: view.map(|view| PortalReindex::of(portal, view, now)),
        errors: portal.error_classes(now),
        folders,
    }
}

fn judge_folder(
    portal: &PortalView,
    view: Option<&ReindexView>,
    folder: &FolderView,
    now: Moment,
) -> FolderHealth {
    let age = folder.counts.as_ref();
    let age = age.map(|counts| now.since(counts.counted));
    let stale = age.is_some() && portal.fresh_counts(folder, now).is_none();
    let is_contradicted = folder.missing_files > 0 || files_beyond_total(folder) > 0;
    let is_unseen = folder.state == FolderState::Unseen && folder.counts.is_none();
    let status = if folder.state.is_fault() || stale || is_contradicted || is_unseen {
        Status::Warn
    } else {
        Status::Pass
    };
    FolderHealth {
        id: folder.id.to_string(),
        name: folder.name.to_string(),
        status,
        reason: folder.state.unavailable(),
        message: message(folder),
        counted: folder.last_success,
        age_seconds: age.map(|age| age.as_secs()),
        stale,
        reindex: FolderReindex::of(portal, view, folder),
    }
}

/// Files that the folder's file list has behind its total.
fn files_beyond_total(folder: &FolderView) -> u64 {
    let counts = folder.counts.as_ref();
    counts
        .and_then(|counts| counts.look.rows_beyond)
        .unwrap_or(0)
}

fn message(folder: &FolderView) -> Option<String> {
    let scan = |pages| format!("a full scan of {pages} pages is under way");
    match &folder.state {
        FolderState::Unavailable { message, .. } => Some(message.clone()),
        FolderState::Departed(departure) => Some(format!("left at {}", departure.since)),
        FolderState::Counted if folder.missing_files > 0 => Some(format!(
            "the list of folders reports {} files more than the folder's file list has: they are not counted",
            folder.missing_files
        )),
        FolderState::Counted if files_beyond_total(folder) > 0 => Some(format!(
            "the total of the folder's file list is wrong: it has {} files more, which are counted",
            files_beyond_total(folder)
        )),
        FolderState::Counted => folder.large_scan_pages.map(scan),
        FolderState::Unseen => {
            let scan = folder.large_scan_pages.map(scan);
            Some(scan.unwrap_or_else(|| "not read yet".to_owned()))
        }
    }
}

#[cfg(test)]
mod tests;
