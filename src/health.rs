//! Decides what is wrong, from a snapshot; pure (docs/operations.md, HTTP paths: `/health`).

mod files;
mod finding;
mod folder;
mod portal;

use std::sync::Arc;

use serde::Serialize;

use crate::clock::Moment;
use crate::snapshot::{Counts, ErrorClass, FolderView, PortalView, Snapshot};

pub use finding::{Finding, Kind, Severity};

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
}

/// What is known beside the snapshot.
#[derive(Debug, Clone, Copy, Default)]
pub struct Conditions {
    /// Whether a kill switch stops reindexing.
    pub kill_switch: bool,
    /// Whether the configuration file or that of the web is not in use as it is now.
    pub reload_failed: bool,
}

/// Decides what is wrong, once for `/health`, the pages and the commands.
pub fn judge(snapshot: &Snapshot, conditions: Conditions, now: Moment) -> Health {
    let portals = snapshot.portals.iter().map(|portal| {
        let reindex = snapshot.reindex.get(&portal.name).map(Arc::as_ref);
        let folders = portal.folders.values();
        PortalHealth {
            view: Arc::clone(portal),
            findings: portal::findings(portal, reindex, conditions, now),
            errors: portal.error_classes(now),
            folders: folders
                .map(|folder| folder::judge(portal, folder, now))
                .collect(),
        }
    });
    let portals: Vec<_> = portals.collect();
    let has_failed = |portal: &PortalHealth| portal.status() == Status::Fail;
    let status = match portals.iter().map(PortalHealth::worst).max() {
        None | Some(Status::Pass) => Status::Pass,
        Some(_) if portals.iter().all(has_failed) => Status::Fail,
        Some(_) => Status::Warn,
    };
    let not_reloaded = "a changed configuration file could not be used: what it said before is in use, and the log has the reason";
    let not_reloaded = Finding::new(Kind::ExporterProblem, not_reloaded);
    let findings = conditions.reload_failed.then_some(not_reloaded);
    Health {
        status,
        findings: findings.into_iter().collect(),
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

    /// Whether its counts are withdrawn, because they are too old.
    pub fn is_stale(&self) -> bool {
        self.age_seconds.is_some() && self.counts.is_none()
    }
}

fn status(findings: &[Finding]) -> Status {
    let all = findings.iter().map(|finding| finding.kind.status());
    all.fold(Status::Pass, Status::max)
}

#[cfg(test)]
mod tests;
