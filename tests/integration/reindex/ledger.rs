//! The ledger in a state folder, beside the process that may have it open.

use std::path::PathBuf;
use std::time::Duration;

use crate::support::attempts::{self, ATTEMPTS, Attempt, PORTALS};
use crate::support::sqlite;
use crate::support::workspace::Workspace;

/// Where the ledger of a workspace is.
pub(super) fn path(workspace: &Workspace) -> PathBuf {
    workspace.path("state").join("state.db")
}

/// Whether it knows every portal, of which there is this number.
pub(super) fn has_met(workspace: &Workspace, portals: usize) -> bool {
    let count = sqlite::try_sql(&path(workspace), PORTALS);
    count.is_ok_and(|rows| rows == [[portals.to_string()]])
}

/// Lets everything in the ledger have happened so much earlier, as if that time had passed. No process may have it open.
pub(super) fn age(workspace: &Workspace, by: Duration) {
    sqlite::sql(&path(workspace), &attempts::age(by));
}

/// Every attempt, oldest first.
pub(super) fn attempts(workspace: &Workspace) -> Vec<Attempt> {
    attempts::attempts(&sqlite::sql(&path(workspace), ATTEMPTS))
}
