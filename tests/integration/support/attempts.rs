//! The attempts in the ledger, of either database.

use std::time::Duration;

use kb_exporter::model::Outcome;
use uuid::Uuid;

/// Every attempt, oldest first.
pub(crate) const ATTEMPTS: &str =
    "SELECT id, folder, intended, files, coalesce(outcome, '') FROM attempt ORDER BY id";

/// How many portals the ledger knows.
pub(crate) const PORTALS: &str = "SELECT count(*) FROM lease";

/// An attempt that was written down.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) id: i64,
    pub(crate) folder: Uuid,
    /// In milliseconds since 1970.
    pub(crate) intended: i64,
    pub(crate) files: u64,
    /// Such as `accepted`; empty where nothing is known yet.
    pub(crate) outcome: String,
}

/// What the rows of [`ATTEMPTS`] say.
pub(crate) fn attempts(rows: &[Vec<String>]) -> Vec<Attempt> {
    let attempt = |row: &Vec<String>| {
        let [id, folder, intended, files, outcome] = &row[..] else {
            panic!("{row:?}");
        };
        let outcome: Option<Outcome> = match outcome.as_str() {
            "" => None,
            outcome => Some(serde_json::from_str(outcome).unwrap()),
        };
        Attempt {
            id: id.parse().unwrap(),
            folder: folder.parse().unwrap(),
            intended: intended.parse().unwrap(),
            files: files.parse().unwrap(),
            outcome: outcome.map_or("", Outcome::as_str).to_owned(),
        }
    };
    rows.iter().map(attempt).collect()
}

/// Statements that let everything in a ledger have happened so much earlier, as if that time had passed. No process may use it.
pub(crate) fn age(by: Duration) -> String {
    let by = by.as_millis();
    format!(
        "UPDATE attempt SET intended = intended - {by}, answered = answered - {by}, judged = judged - {by};
         UPDATE lease SET doubted = doubted - {by}"
    )
}
