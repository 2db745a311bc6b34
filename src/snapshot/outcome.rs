//! How collections ended.

use crate::snapshot::{PortalView, RunResult};

impl PortalView {
    /// Whether most of the folders of the last day are not listed any more.
    pub fn lost(&self) -> Option<String> {
        let listed = self.list.facts()?.folders;
        let folders = self.folders.values();
        let lost = folders.filter(|folder| folder.state.has_left()).count();
        (lost > listed).then(|| {
            format!("most folders left within a day: {lost}; the key may use {listed} by now")
        })
    }

    /// Whether a collection has ended, with any result.
    pub fn was_collected(&self) -> bool {
        self.collections.last_run.is_some()
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
