//! The ledger as a file, while no process writes it.

use std::path::PathBuf;
use std::time::Duration;

use kb_exporter::attempts::LedgerView;

use crate::support::attempts::{self, Attempt, EVENTS, PORTALS};
use crate::support::sqlite;
use crate::support::workspace::Workspace;

/// Where the ledger of a workspace is.
pub(super) fn path(workspace: &Workspace) -> PathBuf {
    workspace.path("state").join("ledger.db")
}

/// Whether it is written when every portal was met, of which there are so many.
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
    attempts::attempts(&sqlite::sql(&path(workspace), EVENTS))
}

/// How many attempts all files have behind them.
pub(super) fn tries(workspace: &Workspace) -> u64 {
    let views = attempts::views(&sqlite::sql(&path(workspace), EVENTS));
    let folders = views.iter().flat_map(LedgerView::folders);
    let tries = folders.flat_map(|(_, folder)| folder.file_attempts.values());
    tries.map(|tries| u64::from(*tries)).sum()
}
