//! The state as a file.

use std::path::PathBuf;
use std::time::Duration;

use rusqlite::{Connection, params};
use uuid::Uuid;

use crate::support::workspace::Workspace;

/// Every column of the state that holds a time.
const TIMES: [(&str, &str); 12] = [
    ("portal", "last_success"),
    ("folder", "began"),
    ("folder", "counted"),
    ("folder", "first_counted"),
    ("folder", "full_read"),
    ("folder", "left_since"),
    ("folder", "excluded_since"),
    ("slot", "first_seen"),
    ("slot", "last_seen"),
    ("file", "since"),
    ("file", "timed_from"),
    ("file", "missed_since"),
];

fn open(workspace: &Workspace) -> Connection {
    let path: PathBuf = workspace.path("state").join("state.db");
    Connection::open(path).unwrap()
}

/// Lets everything in the state have happened so much earlier, as if that time had passed. No process may have it open.
pub(super) fn age(workspace: &Workspace, by: Duration) {
    workspace.age("state.db", &TIMES, by);
}

/// Why a folder left, or `there`; none where nothing is known of it.
pub(super) fn departure_reason(workspace: &Workspace, folder: Uuid) -> Option<String> {
    let select = "SELECT coalesce(left_reason, 'there') FROM folder WHERE id = ?1";
    let row = open(workspace).query_row(select, [folder.to_string()], |row| row.get(0));
    row.map(Some).or_else(none_if_missing).unwrap()
}

/// How many folders are known to have left.
pub(super) fn departed(workspace: &Workspace) -> i64 {
    let select = "SELECT count(*) FROM folder WHERE left_reason IS NOT NULL";
    open(workspace)
        .query_row(select, [], |row| row.get(0))
        .unwrap()
}

/// Lets the disk refuse that this folder left, until [`accept`].
pub(super) fn refuse(workspace: &Workspace, folder: Uuid) {
    let trigger = format!(
        "CREATE TRIGGER refuse BEFORE UPDATE ON folder WHEN new.id = '{folder}' AND new.left_reason IS NOT NULL
         BEGIN SELECT RAISE(ABORT, 'refused'); END"
    );
    open(workspace).execute_batch(&trigger).unwrap();
}

/// Lets the disk take everything again.
pub(super) fn accept(workspace: &Workspace) {
    open(workspace)
        .execute("DROP TRIGGER refuse", params![])
        .unwrap();
}

fn none_if_missing<T>(error: rusqlite::Error) -> rusqlite::Result<Option<T>> {
    match error {
        rusqlite::Error::QueryReturnedNoRows => Ok(None),
        other => Err(other),
    }
}
