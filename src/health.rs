//! Judges a snapshot, purely (docs/operations.md, HTTP paths: `/health`).

mod reindex;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use crate::model::{Moment, Timestamp};
use crate::portal::Trouble;
use crate::snapshot::{
    ErrorClass, FolderState, FolderView, ListState, PortalLimits, PortalView, ReindexView,
    Snapshot, SortingState, Unavailable,
};

pub use reindex::FolderDecision;

/// How well something is. The order is from good to bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// All is well.
    Pass,
    /// Some portal or folder cannot be collected, or its counts are stale.
    Warn,
    /// No portal can be collected.
    Fail,
}

/// The health of everything.
#[derive(Debug, Clone, PartialEq)]
pub struct Health {
    /// The whole.
    pub status: Status,
    /// Each portal and its folders.
    pub portals: Vec<PortalHealth>,
}

/// The health of one portal.
#[derive(Debug, Clone, PartialEq)]
pub struct PortalHealth {
    /// The portal.
    pub name: String,
    /// How well its list of folders can be read.
    pub status: Status,
    /// Why it cannot be read.
    pub trouble: Option<Trouble>,
    /// Whether it sorts by status.
    pub sorting: SortingState,
    /// Warnings and remarks, for people.
    pub notes: Vec<String>,
    /// When the last collection ended.
    pub last_run: Option<Timestamp>,
    /// When the next one is due.
    pub next_run: Option<Timestamp>,
    /// The remaining budget and the breaker; none where nothing is reindexed or the ledger cannot be used.
    pub reindex: Option<PortalLimits>,
    /// Its error classes, those with most files first.
    pub errors: Vec<ErrorClass>,
    /// Its folders.
    pub folders: Vec<FolderHealth>,
}

/// The health of one folder.
#[derive(Debug, Clone, PartialEq)]
pub struct FolderHealth {
    /// Its id.
    pub id: String,
    /// Its name, on one line.
    pub name: String,
    /// How well it can be counted.
    pub status: Status,
    /// Why it cannot be counted.
    pub reason: Option<Unavailable>,
    /// What happened, for people.
    pub message: Option<String>,
    /// When it was last counted.
    pub counted: Option<Timestamp>,
    /// How old its counts are, in seconds.
    pub age_seconds: Option<u64>,
    /// Whether its counts are withdrawn, because they are too old.
    pub stale: bool,
    /// What is decided about reindexing it; none where the mode is off.
    pub reindex: Option<FolderDecision>,
}

/// Judges a snapshot.
#[must_use]
pub fn judge(snapshot: &Snapshot, now: Moment) -> Health {
    let known_classes = reindex::known_classes(snapshot);
    let portals = snapshot.portals.iter().map(|portal| {
        let view = snapshot.reindex.get(&portal.name);
        judge_portal(portal, view.map(Arc::as_ref), known_classes.as_ref(), now)
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
    known_classes: Option<&BTreeSet<&str>>,
    now: Moment,
) -> PortalHealth {
    let folders = portal.folders.values();
    let folders: Vec<_> = folders
        .map(|folder| judge_folder(portal, view, folder, now))
        .collect();
    let reindexed = folders.iter().any(|folder| folder.reindex.is_some());
    let view = view.filter(|_| reindexed);
    let limits = view.and_then(|view| reindex::limits(portal, view, now));
    let mut notes = warnings(portal);
    notes.extend(view.and_then(reindex::warning));
    let status = match portal.list {
        ListState::Failed { .. } => Status::Fail,
        _ if notes.is_empty() => Status::Pass,
        _ => Status::Warn,
    };
    // None of the following is a warning: the counts are right and say how old they are; those that get too old are a warning.
    let cycle = portal.collections.cycle;
    let cycle = cycle.filter(|cycle| cycle.takes_turns());
    notes.extend(cycle.map(|cycle| cycle.to_string()));
    notes.extend(portal.unsorted.clone());
    notes.extend(view.iter().flat_map(|view| reindex::remarks(view, limits)));
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
        reindex: limits,
        errors: portal.error_classes(now),
        folders,
    }
}

/// What is wrong with a portal as a whole.
fn warnings(portal: &PortalView) -> Vec<String> {
    let mut warnings = Vec::new();
    match &portal.list {
        ListState::Unasked => warnings.push("the list of folders was not answered yet".to_owned()),
        ListState::Failed { message, .. } => warnings.push(message.clone()),
        ListState::Read(_) => {}
    }
    if let Some(list) = portal.list.facts() {
        let (invalid, beyond) = (list.invalid_rows, list.beyond_limit);
        if invalid > 0 {
            warnings.push(format!(
                "{invalid} rows of the list name no valid folder and are not collected"
            ));
        }
        if beyond > 0 {
            warnings.push(format!(
                "{beyond} folders are beyond collect.max_folders and are not collected"
            ));
        }
        if !list.whole {
            let note = "the list of folders is not whole: its total is not its length";
            warnings.push(note.to_owned());
        }
    }
    if portal.panics > 0 {
        let panics = portal.panics;
        warnings.push(format!(
            "{panics} internal errors since the start; the log has the details"
        ));
    }
    let refusal = portal.state_writes.refusal();
    warnings.extend(refusal.map(|error| format!("counters of entries stand still: {error}")));
    warnings
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
    let reason = folder.state.unavailable();
    let status = match reason {
        Some(Unavailable::Forbidden | Unavailable::Error) => Status::Warn,
        _ if stale => Status::Warn,
        _ => Status::Pass,
    };
    FolderHealth {
        id: folder.id.to_string(),
        name: folder.name.to_string(),
        status,
        reason,
        message: message(folder),
        counted: folder.last_success,
        age_seconds: age.map(|age| age.as_secs()),
        stale,
        reindex: FolderDecision::of(portal, view, folder),
    }
}

fn message(folder: &FolderView) -> Option<String> {
    let scan = |pages| format!("a full scan of {pages} pages is under way");
    match &folder.state {
        FolderState::Unavailable { message, .. } => Some(message.clone()),
        FolderState::Departed(departure) => Some(format!("left at {}", departure.since)),
        FolderState::Counted => folder.large_scan_pages.map(scan),
        FolderState::Unseen => {
            let scan = folder.large_scan_pages.map(scan);
            Some(scan.unwrap_or_else(|| "not read yet".to_owned()))
        }
    }
}

#[cfg(test)]
mod tests;
