//! The ledger as a file, while no process writes it.

use std::path::PathBuf;
use std::time::Duration;

use rusqlite::{Connection, params};
use uuid::Uuid;

use crate::support::workspace::Workspace;

/// Every column of the ledger that holds a time, with its table.
pub(crate) const TIMES: [(&str, &str); 6] = [
    ("ledger", "created"),
    ("portal", "met"),
    ("folder", "unseen_since"),
    ("attempt", "intended"),
    ("attempt", "answered"),
    ("attempt", "judged"),
];

/// An attempt that was written down.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) folder: Uuid,
    /// In milliseconds since 1970.
    pub(super) intended: i64,
    pub(super) outcome: Option<String>,
    pub(super) verdict: Option<String>,
    pub(super) files: u64,
}

/// Where the ledger of a workspace is.
pub(super) fn path(workspace: &Workspace) -> PathBuf {
    workspace.path("state").join("ledger.db")
}

/// Whether it is written when every portal was met, of which there are so many.
pub(super) fn has_met(workspace: &Workspace, portals: i64) -> bool {
    let connection = Connection::open(path(workspace)).unwrap();
    let count = "SELECT count(*) FROM portal";
    connection.query_row(count, [], |row| row.get(0)) == Ok(portals)
}

/// Lets everything in the ledger have happened so much earlier, as if that time had passed. No process may have it open.
pub(super) fn age(workspace: &Workspace, by: Duration) {
    workspace.age("ledger.db", &TIMES, by);
}

/// Every attempt, oldest first.
pub(super) fn attempts(workspace: &Workspace) -> Vec<Attempt> {
    let connection = Connection::open(path(workspace)).unwrap();
    let mut select = connection
        .prepare(
            "SELECT folder.id, intended, outcome, verdict, files FROM attempt
             JOIN folder ON folder.number = attempt.folder ORDER BY attempt.id",
        )
        .unwrap();
    let rows = select.query_map(params![], |row| {
        Ok(Attempt {
            folder: row.get::<_, String>(0)?.parse().unwrap(),
            intended: row.get(1)?,
            outcome: row.get(2)?,
            verdict: row.get(3)?,
            files: row.get(4)?,
        })
    });
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

/// How many attempts all files have behind them.
pub(super) fn tries(workspace: &Workspace) -> u64 {
    let connection = Connection::open(path(workspace)).unwrap();
    let sum = "SELECT coalesce(sum(attempts), 0) FROM tries";
    let tries: i64 = connection.query_row(sum, [], |row| row.get(0)).unwrap();
    tries.try_into().unwrap()
}
