//! Health as others should judge it: pure, from a snapshot (docs/operations.md, HTTP paths: `/health`).

mod reindex;

use std::collections::BTreeSet;

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
    /// What else is to be known, for people.
    pub notes: Vec<String>,
    /// When the last collection ended.
    pub last_run: Option<Timestamp>,
    /// When the next one is due.
    pub next_run: Option<Timestamp>,
    /// What it may still be asked for; none, where nothing is reindexed or that is not known.
    pub reindex: Option<PortalLimits>,
    /// What fails in it, the largest class of error first.
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
    /// What is decided about reindexing it; none, where the mode is off.
    pub reindex: Option<FolderDecision>,
}

/// Judges a snapshot.
#[must_use]
pub fn judge(snapshot: &Snapshot, now: Moment) -> Health {
    let classes = reindex::known_classes(snapshot);
    let portals: Vec<_> = snapshot
        .portals
        .iter()
        .map(|portal| {
            let reindex = snapshot.reindex.get(&portal.name);
            judge_portal(portal, reindex.map(|view| &**view), classes.as_ref(), now)
        })
        .collect();
    let none_well = !portals.is_empty() && portals.iter().all(|portal| portal.trouble.is_some());
    let worst = portals.iter().map(PortalHealth::worst).max();
    let status = match worst {
        _ if none_well => Status::Fail,
        Some(Status::Warn | Status::Fail) => Status::Warn,
        Some(Status::Pass) | None => Status::Pass,
    };
    Health { status, portals }
}

impl PortalHealth {
    fn worst(&self) -> Status {
        let folders = self.folders.iter().map(|folder| folder.status);
        folders.max().unwrap_or(Status::Pass).max(self.status)
    }
}

fn judge_portal(
    portal: &PortalView,
    view: Option<&ReindexView>,
    classes: Option<&BTreeSet<&str>>,
    now: Moment,
) -> PortalHealth {
    let folders = portal.folders.values();
    let folders: Vec<_> = folders
        .map(|folder| judge_folder(portal, view, folder, now))
        .collect();
    let reindexed = folders.iter().any(|folder| folder.reindex.is_some());
    let view = view.filter(|_| reindexed);
    let limits = view.and_then(|view| reindex::limits(portal, view, now));
    let mut notes = notes(portal);
    notes.extend(view.and_then(reindex::warning));
    let status = match portal.list {
        ListState::Failed { .. } => Status::Fail,
        _ if notes.is_empty() => Status::Pass,
        _ => Status::Warn,
    };
    // No warning: counts that wait for their turn are right and say how old they are; those that get too old are a warning.
    let turns = portal.collections.cycle;
    let turns = turns.filter(|round| round.takes_turns());
    notes.extend(turns.map(|round| round.to_string()));
    // Counts from every page are right, too; they only cost more.
    notes.extend(portal.unsorted.clone());
    notes.extend(
        view.into_iter()
            .flat_map(|view| reindex::remarks(view, limits)),
    );
    let classes = classes.filter(|_| reindexed);
    notes.extend(
        classes
            .into_iter()
            .flat_map(|known| reindex::unknown_classes(portal, known)),
    );
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

fn notes(portal: &PortalView) -> Vec<String> {
    let mut notes = Vec::new();
    match &portal.list {
        ListState::Unasked => notes.push("the list of folders was not answered yet".to_owned()),
        ListState::Failed { message, .. } => notes.push(message.clone()),
        ListState::Read(_) => {}
    }
    if let Some(list) = portal.list.facts() {
        if list.invalid_rows > 0 {
            notes.push(format!(
                "{} rows of the list name no valid folder and are not collected",
                list.invalid_rows
            ));
        }
        if list.beyond_limit > 0 {
            notes.push(format!(
                "{} folders are beyond collect.max_folders and are not collected",
                list.beyond_limit
            ));
        }
        if !list.whole {
            notes.push("the list of folders is not whole: its total is not its length".to_owned());
        }
    }
    if portal.panics > 0 {
        notes.push(format!(
            "{} internal errors since the start; the log has the details",
            portal.panics
        ));
    }
    if let Some(error) = &portal.state_error {
        notes.push(format!("counters of entries stand still: {error}"));
    }
    notes
}

fn judge_folder(
    portal: &PortalView,
    view: Option<&ReindexView>,
    folder: &FolderView,
    now: Moment,
) -> FolderHealth {
    let age = folder
        .counts
        .as_ref()
        .map(|counts| now.since(counts.counted));
    let stale = folder.counts.is_some() && portal.fresh_counts(folder, now).is_none();
    let reason = folder.state.unavailable();
    let ill = matches!(reason, Some(Unavailable::Forbidden | Unavailable::Error));
    FolderHealth {
        id: folder.id.to_string(),
        name: folder.name.to_string(),
        status: if ill || stale {
            Status::Warn
        } else {
            Status::Pass
        },
        reason,
        message: message(folder),
        counted: folder.last_success,
        age_seconds: age.map(|age| age.as_secs()),
        stale,
        reindex: FolderDecision::of(portal, view, folder),
    }
}

fn message(folder: &FolderView) -> Option<String> {
    match &folder.state {
        FolderState::Unavailable { message, .. } => Some(message.clone()),
        FolderState::Departed(left) => Some(format!("left at {}", left.since)),
        FolderState::Unseen | FolderState::Counted if folder.large_scan_pages.is_some() => folder
            .large_scan_pages
            .map(|pages| format!("a full scan of {pages} pages is under way")),
        FolderState::Unseen => Some("not read yet".to_owned()),
        FolderState::Counted => None,
    }
}

#[cfg(test)]
mod tests;
