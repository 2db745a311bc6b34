//! Computes the health from a snapshot; pure (docs/operations.md, HTTP paths: `/health`).

mod reindex;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use crate::clock::Moment;
use crate::config::Mode;
use crate::model::Timestamp;
use crate::snapshot::{
    Counts, ErrorClass, FolderState, FolderView, ListState, PortalView, ReindexView, Snapshot,
    SortingState, Unreadable, Way,
};

use crate::store::Standing;

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

#[derive(Debug, Clone)]
pub struct Health {
    pub status: Status,
    pub portals: Vec<PortalHealth>,
}

#[derive(Debug, Clone)]
pub struct PortalHealth {
    pub view: Arc<PortalView>,
    /// Whether its list of folders can be read.
    pub status: Status,
    pub notes: Vec<String>,
    /// `None` if the mode of all folders is off.
    pub reindex: Option<PortalReindex>,
    /// Its error classes, the largest first.
    pub errors: Vec<ErrorClass>,
    pub folders: Vec<FolderHealth>,
}

#[derive(Debug, Clone)]
pub struct FolderHealth {
    pub view: Arc<FolderView>,
    /// Whether it can be counted.
    pub status: Status,
    pub reading: Reading,
    /// Its counts, unless they are too old.
    pub counts: Option<Arc<Counts>>,
    pub message: Option<String>,
    /// How old its counts are, in seconds.
    pub age_seconds: Option<u64>,
    /// Whether its counts are withdrawn, because they are too old.
    pub stale: bool,
    /// The decision about reindexing it; `None` if the mode is off.
    pub reindex: Option<FolderReindex>,
}

/// Whether a folder can be read, whatever its files are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    Counted,
    /// Since when it was not counted, if it ever was.
    NotCounted(Option<Timestamp>),
    /// It was not read yet.
    Unknown,
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
    portal: &Arc<PortalView>,
    view: Option<&ReindexView>,
    kill_switch: bool,
    known_classes: Option<&BTreeSet<&str>>,
    now: Moment,
) -> PortalHealth {
    if let Some((status, note)) = not_read(portal) {
        return PortalHealth {
            view: Arc::clone(portal),
            status,
            notes: vec![note],
            reindex: None,
            errors: Vec::new(),
            folders: Vec::new(),
        };
    }
    let folders = portal.folders.values();
    let folders: Vec<_> = folders
        .map(|folder| judge_folder(portal, view, folder, now))
        .collect();
    let reindexed = portal.reindex.strongest_mode() != Mode::Off;
    let mut notes = portal.faults();
    notes.extend(portal.missing());
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
        view: Arc::clone(portal),
        status,
        notes,
        reindex: view.map(|view| PortalReindex::of(portal, view, now)),
        errors: portal.error_classes(now),
        folders,
    }
}

/// Why this process does not read a portal, if so.
fn not_read(portal: &PortalView) -> Option<(Status, String)> {
    match &portal.standing {
        Standing::Starting | Standing::Active => None,
        Standing::Standby(holder) => Some((
            Status::Pass,
            format!("{holder} reads the portal; this process waits"),
        )),
        Standing::Unavailable(why) => Some((
            Status::Fail,
            format!("nothing is counted, because the state cannot be used: {why}"),
        )),
    }
}

fn judge_folder(
    portal: &PortalView,
    view: Option<&ReindexView>,
    folder: &Arc<FolderView>,
    now: Moment,
) -> FolderHealth {
    let age = folder.counts.as_ref();
    let age = age.map(|counts| now.since(counts.counted));
    let is_fresh = portal.fresh_counts(folder, now).is_some();
    let stale = age.is_some() && !is_fresh;
    let contradiction = contradiction(portal, folder);
    let is_unseen = folder.state == FolderState::Unseen && folder.counts.is_none();
    let status = if folder.state.is_fault() || stale || contradiction.is_some() || is_unseen {
        Status::Warn
    } else {
        Status::Pass
    };
    FolderHealth {
        view: Arc::clone(folder),
        status,
        reading: match folder.state.unavailable() {
            None if is_fresh => Reading::Counted,
            None if !stale => Reading::Unknown,
            _ => Reading::NotCounted(folder.last_success),
        },
        counts: folder.counts.clone().filter(|_| is_fresh),
        message: message(folder, contradiction),
        age_seconds: age.map(|age| age.as_secs()),
        stale,
        reindex: FolderReindex::of(portal, view, folder),
    }
}

/// What the portal says about the number of files and contradicts.
fn contradiction(portal: &PortalView, folder: &FolderView) -> Option<String> {
    let counts = folder.counts.as_ref();
    let missing = folder.missing_files;
    if missing > 0 {
        let listed = counts.map_or(0, |counts| counts.files.total());
        return Some(format!(
            "the list of folders reports {} files, and the folder's file list has {listed}: {missing} are not counted",
            listed + missing
        ));
    }
    let is_marked =
        counts.is_some_and(|counts| counts.look.way == Way::Sorted && !counts.look.consistent);
    if is_marked && portal.sorting == SortingState::Assumed {
        return Some(
            "no full scan has shown yet that the portal sorts by status: until one has, the counts may be wrong".to_owned(),
        );
    }
    let full_read = folder.full_read.as_ref()?;
    let (missing, repeated) = (full_read.missing_rows, full_read.repeated_rows);
    (missing + repeated > 0).then(|| {
        format!("{missing} files of the total are on no page of the folder's file list, and {repeated} rows come twice: the counts are not exact")
    })
}

fn message(folder: &FolderView, contradiction: Option<String>) -> Option<String> {
    let scan = |pages| format!("a full scan of {pages} pages is under way");
    match &folder.state {
        FolderState::Unavailable(Unreadable { message, .. }) => Some(message.clone()),
        FolderState::Departed(departure) => Some(format!("left at {}", departure.since)),
        FolderState::Counted => contradiction.or_else(|| folder.large_scan_pages.map(scan)),
        FolderState::Unseen => {
            let scan = folder.large_scan_pages.map(scan);
            Some(scan.unwrap_or_else(|| "not read yet".to_owned()))
        }
    }
}

#[cfg(test)]
mod tests;
