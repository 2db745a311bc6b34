//! Whether portals and folders could be collected: decided here alone, for logs, metrics, health, pages and exit codes.

use crate::snapshot::{FolderState, FolderView, ListState, PortalView, RunResult, Snapshot};

impl Snapshot {
    pub fn is_complete(&self) -> bool {
        self.portals.iter().all(|portal| portal.is_complete())
    }
}

impl PortalView {
    /// Whether everything was collected that should be.
    pub fn is_complete(&self) -> bool {
        let is_settled =
            |folder: &FolderView| folder.state != FolderState::Unseen && !folder.state.is_fault();
        self.faults().is_empty() && self.folders.values().all(|folder| is_settled(folder))
    }

    /// Why folders of the portal cannot be counted, or counts cannot be stored; for people.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        match &self.list {
            ListState::Unasked => {
                faults.push("the list of folders has not been read yet".to_owned());
            }
            ListState::Failed { message, .. } => faults.push(message.clone()),
            ListState::Read(_) => {}
        }
        if let Some(list) = self.list.facts() {
            faults.extend(list.unwatched.faults());
        }
        if self.panics > 0 {
            let panics = self.panics;
            faults.push(format!(
                "{panics} internal errors since the start; the log has the details"
            ));
        }
        let refusal = self.state_writes.refusal();
        faults.extend(refusal.map(|error| format!("counters of entries do not change: {error}")));
        faults
    }

    /// Remarks for people that are not faults: the counts are right, and their age is shown.
    pub fn remarks(&self) -> impl Iterator<Item = String> {
        let waiting = self.waiting.map(|waiting| waiting.to_string());
        waiting.into_iter().chain(self.unsorted.clone())
    }

    /// What is watched no more, or never was, although the configuration names it; for people.
    pub fn missing(&self) -> impl Iterator<Item = String> {
        let list = self.list.facts();
        let unmatched = list.and_then(|list| list.unwatched.unmatched());
        unmatched.into_iter().chain(self.lost())
    }

    /// Whether most of the folders of the last day are not listed any more.
    fn lost(&self) -> Option<String> {
        let listed = self.list.facts()?.folders;
        let folders = self.folders.values();
        let lost = folders.filter(|folder| folder.state.has_left()).count();
        (lost > listed).then(|| {
            format!("most folders left within a day: {lost}; the key may use {listed} by now")
        })
    }

    /// All of these, for people.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        let faults = self.faults().into_iter();
        faults.chain(self.missing()).chain(self.remarks())
    }

    /// Whether a collection has ended, with any result.
    pub fn was_collected(&self) -> bool {
        self.collections.last_run.is_some()
    }
}

impl FolderState {
    /// Whether the folder exists and cannot be counted.
    pub const fn is_fault(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}

impl RunResult {
    /// The result of a collection in which this many folders were counted or refused, and this many failed; a list that cannot be read is
    /// one that failed.
    pub const fn of(counted: usize, failed: usize) -> Self {
        match (counted, failed) {
            (_, 0) => Self::Success,
            (0, _) => Self::Failure,
            _ => Self::Partial,
        }
    }
}
