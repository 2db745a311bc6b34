//! Decides what is wrong, from a snapshot; pure (docs/operations.md, HTTP paths: `/health`).

mod files;
mod finding;
mod folder;
mod portal;
mod reindex;

use std::sync::Arc;

use serde::Serialize;

use crate::clock::Moment;
use crate::config::Mode;
use crate::snapshot::{Counts, ErrorClass, FolderView, PortalView, ReindexView, Snapshot};
use crate::store::Standing;

pub use finding::{Finding, Kind, Severity};
pub use reindex::{FolderReindex, PortalReindex};

/// The order is from good to bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Pass,
    /// Some portal or folder cannot be collected, or its counts are stale or marked.
    Warn,
    Fail,
}

#[derive(Debug, Clone)]
pub struct Health {
    pub status: Status,
    /// What is wrong with the process itself.
    pub findings: Vec<Finding>,
    pub portals: Vec<PortalHealth>,
}

#[derive(Debug, Clone)]
pub struct PortalHealth {
    pub view: Arc<PortalView>,
    /// What is wrong with it as a whole, the most urgent first.
    pub findings: Vec<Finding>,
    /// `None` if the mode of all folders is off.
    pub reindex: Option<PortalReindex>,
    /// Its error classes, the largest first.
    pub errors: Vec<ErrorClass>,
    pub folders: Vec<FolderHealth>,
}

#[derive(Debug, Clone)]
pub struct FolderHealth {
    pub view: Arc<FolderView>,
    /// What is wrong with it, the most urgent first.
    pub findings: Vec<Finding>,
    /// Its counts, unless they are too old.
    pub counts: Option<Arc<Counts>>,
    /// How old its counts are, in seconds.
    pub age_seconds: Option<u64>,
    /// Whether its counts are withdrawn, because they are too old.
    pub stale: bool,
    /// The decision about reindexing it; `None` if the mode is off.
    pub reindex: Option<FolderReindex>,
}

/// What is known beside the snapshot.
#[derive(Debug, Clone, Copy, Default)]
pub struct Conditions {
    /// Whether a kill switch stops reindexing.
    pub kill_switch: bool,
    /// Whether the configuration that is written could not be used.
    pub reload_failed: bool,
}

/// Decides what is wrong, once for `/health`, the pages and the commands.
pub fn judge(snapshot: &Snapshot, conditions: Conditions, now: Moment) -> Health {
    let portals = snapshot.portals.iter().map(|portal| {
        let view = snapshot.reindex.get(&portal.name);
        let view = view.map(Arc::as_ref);
        judge_portal(portal, view, conditions, now)
    });
    let portals: Vec<_> = portals.collect();
    let has_failed = |portal: &PortalHealth| portal.status() == Status::Fail;
    let status = match portals.iter().map(PortalHealth::worst).max() {
        None | Some(Status::Pass) => Status::Pass,
        Some(_) if portals.iter().all(has_failed) => Status::Fail,
        Some(_) => Status::Warn,
    };
    let not_reloaded = "the changed configuration could not be used: the previous one is in use, and the log has the reason";
    let not_reloaded = || Finding::new(Kind::ExporterProblem, not_reloaded);
    Health {
        status,
        findings: conditions
            .reload_failed
            .then(not_reloaded)
            .into_iter()
            .collect(),
        portals,
    }
}

impl Health {
    /// Whether everything is counted that should be.
    pub fn is_complete(&self) -> bool {
        self.portals.iter().all(PortalHealth::is_complete)
    }
}

impl PortalHealth {
    /// Whether its list of folders can be read, and everything in it is watched.
    pub fn status(&self) -> Status {
        status(&self.findings)
    }

    /// Whether everything is counted that should be.
    pub fn is_complete(&self) -> bool {
        let folders = self.folders.iter().flat_map(|folder| &folder.findings);
        let mut all = self.findings.iter().chain(folders);
        !all.any(|finding| finding.kind.is_incomplete())
    }

    fn worst(&self) -> Status {
        let folders = self.folders.iter().map(FolderHealth::status);
        folders.fold(self.status(), Status::max)
    }
}

impl FolderHealth {
    /// Whether it is counted, and its counts can be believed.
    pub fn status(&self) -> Status {
        status(&self.findings)
    }

    /// Whether its last read counted it.
    pub fn is_counted(&self) -> bool {
        self.counts.is_some() && !self.findings.iter().any(|one| one.kind.is_uncounted())
    }
}

fn status(findings: &[Finding]) -> Status {
    let all = findings.iter().map(|finding| finding.kind.status());
    all.fold(Status::Pass, Status::max)
}

fn judge_portal(
    portal: &Arc<PortalView>,
    view: Option<&ReindexView>,
    conditions: Conditions,
    now: Moment,
) -> PortalHealth {
    if let Some(finding) = not_read(portal) {
        return PortalHealth {
            view: Arc::clone(portal),
            findings: vec![finding],
            reindex: None,
            errors: Vec::new(),
            folders: Vec::new(),
        };
    }
    let view = view.filter(|_| portal.reindex.strongest_mode() != Mode::Off);
    let mut findings = portal::findings(portal);
    findings.extend(files::most_fail(portal, now));
    if let Some(view) = view {
        findings.extend(reindex::findings(view, conditions));
    }
    findings.sort_by_key(|finding| finding.kind);
    let folders = portal.folders.values();
    let folders = folders.map(|folder| folder::judge(portal, view, folder, now));
    PortalHealth {
        view: Arc::clone(portal),
        findings,
        reindex: view.map(|view| PortalReindex::of(portal, view, now)),
        errors: portal.error_classes(now),
        folders: folders.collect(),
    }
}

/// Why this process does not read a portal, if so.
fn not_read(portal: &PortalView) -> Option<Finding> {
    match &portal.standing {
        Standing::Starting | Standing::Active => None,
        Standing::Standby(holder) => Some(Finding::new(
            Kind::Standby,
            format!("{holder} reads the portal; this process waits"),
        )),
        Standing::Unavailable(why) => Some(Finding::new(
            Kind::StateUnusable,
            format!("nothing is counted, because the state cannot be used: {why}"),
        )),
    }
}

#[cfg(test)]
mod tests;
