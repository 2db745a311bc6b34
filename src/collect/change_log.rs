//! The log of changes of folders: a limited number of lines in each collection, so that a portal with thousands of folders that
//! fails at once leaves the log readable.

use tracing::{Level, debug, enabled, info, warn};

use crate::model::PortalName;
use crate::portal::ListedFolder;
use crate::snapshot::{FolderState, FolderView, Unreadable};

/// Lines in each collection, at most.
const MAX_LINES: usize = 20;

/// Counts the lines of a collection.
#[derive(Debug, Default)]
pub(super) struct ChangeLog {
    changes: usize,
}

impl ChangeLog {
    pub fn state(&mut self, portal: &PortalName, view: &FolderView) {
        let (id, folder) = (view.id, &view.name);
        match &view.state {
            FolderState::Unavailable(Unreadable { message, .. }) if self.admits() => {
                warn!(%portal, %folder, %id, error = message.as_str(), "folder cannot be counted");
            }
            FolderState::Departed(_) if self.admits() => {
                info!(%portal, %folder, %id, "folder is gone");
            }
            FolderState::Counted | FolderState::Unseen => {
                debug!(%portal, %folder, %id, "folder counted");
            }
            FolderState::Unavailable(_) | FolderState::Departed(_) => {}
        }
    }

    /// The list names a folder, perhaps by another name than before.
    pub fn found(&mut self, portal: &PortalName, before: &FolderView, listed: &ListedFolder) {
        if before.name != listed.name && self.admits() {
            info!(%portal, folder = %listed.name, before = %before.name, id = %listed.id, "folder is renamed");
        }
    }

    /// A folder is not collected from now on: `message` is why.
    pub fn left(&mut self, portal: &PortalName, view: &FolderView, message: &str) {
        if self.admits() {
            info!(%portal, folder = %view.name, id = %view.id, "{message}");
        }
    }

    /// A collection ended: the next one has lines of its own.
    pub fn collection_ended(&mut self, portal: &PortalName) {
        let omitted = self.omitted();
        if omitted > 0 {
            warn!(%portal, folders = omitted, "more folders changed; the level debug logs all of them, and /health has their state");
        }
        *self = Self::default();
    }

    /// Whether one more change has a line.
    fn admits(&mut self) -> bool {
        self.changes += 1;
        self.changes <= MAX_LINES || enabled!(Level::DEBUG)
    }

    fn omitted(&self) -> usize {
        if enabled!(Level::DEBUG) {
            return 0;
        }
        self.changes.saturating_sub(MAX_LINES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_collection_has_lines_of_its_own_and_the_rest_is_counted() {
        let portal = PortalName::new("main").unwrap();
        let mut log = ChangeLog::default();
        for _ in 0..2 {
            let admitted = (0..MAX_LINES + 5).filter(|_| log.admits()).count();
            assert_eq!((admitted, log.omitted()), (MAX_LINES, 5));
            log.collection_ended(&portal);
        }
    }
}
