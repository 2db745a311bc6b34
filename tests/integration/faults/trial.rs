//! One fault at a portal of its own, and what is expected of it.

use std::net::SocketAddr;

use kb_simulator::faults::{Fault, Target};
use uuid::Uuid;

use super::oracle::Oracle;
use super::table::{At, Expected, Kind, Row};
use crate::support::portal::Portal;
use kb_exposition::Exposition;

/// A portal that a fault strikes, one of many that a process watches.
pub(super) struct Trial {
    /// The portal's name in the configuration.
    pub(super) portal: String,
    row: Row,
    sick: Portal,
    /// The folder that is struck, where one is, and two that are not.
    folders: [Uuid; 3],
    oracle: Oracle,
}

impl Trial {
    /// The portals have the same folder ids, and each has a number of files of its own.
    pub(super) async fn start(row: Row, key: &str, number: usize) -> Self {
        let sick = Portal::keyed(key).await;
        let folders = [("Struck", 201), ("Beside", 12), ("Small", 5 + number)]
            .map(|(name, files)| sick.mixed_folder(name, files));
        Self {
            portal: format!("portal-{number}"),
            oracle: Oracle::new(&sick.simulator()),
            row,
            sick,
            folders,
        }
    }

    pub(super) fn name(&self) -> String {
        self.row.name()
    }

    pub(super) fn base_url(&self) -> String {
        self.sick.base_url()
    }

    /// What a person is told, where that is expected.
    pub(super) fn note(&self) -> Option<&'static str> {
        match self.row.expected {
            Expected::Noted(note) => Some(note),
            _ => None,
        }
    }

    /// The fault strikes, and files move on, so that old counts differ from new ones.
    pub(super) fn strike(&self, decoy: SocketAddr) {
        let target = match self.row.at {
            At::Portal => Target::All,
            At::List => Target::List,
            At::Folder => Target::Folder(self.folders[0]),
            At::SecondPage => Target::Page(self.folders[0], 2),
        };
        let fault = match &self.row.fault {
            Kind::Of(fault) => fault.clone(),
            Kind::Redirect(status) => Fault::Redirect(*status, format!("http://{decoy}")),
        };
        self.sick.strike(target, fault);
        for folder in self.folders {
            self.sick.fail_one(folder);
        }
    }

    pub(super) fn heal(&self) {
        self.sick.faults.clear();
    }

    /// Holds what is published against the journal.
    pub(super) fn judge(&mut self, metrics: &Exposition) {
        if let Err(contradiction) = self.oracle.judge(metrics) {
            panic!("{}: {contradiction}", self.name());
        }
    }

    pub(super) fn is_all_right(&self, metrics: &Exposition) -> bool {
        is_up(metrics) && self.folders_are_right(metrics)
    }

    /// Each folder is counted as it is now.
    fn folders_are_right(&self, metrics: &Exposition) -> bool {
        self.folders.iter().all(|folder| {
            let own = metrics.folder(folder);
            own.value("kb_folder_up", &[]) == Some(1.0)
                && own.value("kb_folder_consistent", &[]) == Some(1.0)
                && own.by_status("kb_folder_files") == self.sick.counts(*folder)
        })
    }

    pub(super) fn is_as_expected(&self, metrics: &Exposition) -> bool {
        let struck = metrics.folder(self.folders[0]);
        let portal_is = |reason| {
            let holds = [("reason", reason)];
            metrics.value("kb_portal_unavailable", &holds) == Some(1.0)
        };
        let folder_is = |reason: &str| {
            let up = struck.value("kb_folder_up", &[]);
            let holds = [("reason", reason)];
            struck.value("kb_folder_unavailable", &holds) == Some(1.0) && up == Some(0.0)
        };
        let has_counts = !struck.by_status("kb_folder_files").is_empty();
        let portal_up = is_up(metrics);
        match self.row.expected {
            Expected::Portal(reason) => {
                portal_is(reason) && !portal_up && folder_is("error") && has_counts
            }
            Expected::Folder(reason) => folder_is(reason) && portal_up && has_counts,
            Expected::Left(reason) => folder_is(reason) && portal_up && !has_counts,
            Expected::Marked => portal_up && struck.value("kb_folder_consistent", &[]) == Some(0.0),
            Expected::Nothing | Expected::Noted(_) => self.is_all_right(metrics),
        }
    }

    fn strikes_whole_portal(&self) -> bool {
        matches!(self.row.expected, Expected::Portal(_))
    }

    /// Whether all folders that are not struck were counted since an earlier exposition.
    pub(super) fn others_were_counted(&self, metrics: &Exposition, before: &Exposition) -> bool {
        let others = &self.folders[1..];
        let again = |other: &Uuid| counted(metrics, *other) > counted(before, *other);
        self.strikes_whole_portal() || others.iter().all(again)
    }
}

/// Collections of a portal that read all that was due.
pub(super) fn successes(metrics: &Exposition) -> u64 {
    let runs = metrics.count("kb_collection_runs_total", &[("result", "success")]);
    runs.unwrap_or_default()
}

pub(super) fn is_up(metrics: &Exposition) -> bool {
    metrics.value("kb_portal_up", &[]) == Some(1.0)
}

/// When a folder was last counted.
fn counted(metrics: &Exposition, folder: Uuid) -> Option<f64> {
    let own = metrics.folder(folder);
    own.value("kb_folder_last_success_timestamp_seconds", &[])
}
