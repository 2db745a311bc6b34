//! The ledger that processes share, as rows of the database.

use std::time::Duration;

use uuid::Uuid;

use crate::reindex::ledger::TIMES;
use crate::reindex::limits::{Event, Time, millis};
use crate::support::postgres::database::Database;

/// The statement of transactions that change an attempt: first the intent, then what came of it.
pub(super) const WRITES_ATTEMPT: &str = "INSERT INTO attempt ";

/// An attempt that was written down.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) folder: Uuid,
    /// In milliseconds since 1970.
    pub(super) intended: Time,
    pub(super) files: u64,
    /// Such as `accepted`; empty where nothing is known yet.
    pub(super) outcome: String,
}

impl Attempt {
    /// When it was written down, in which folder.
    pub(super) fn event(&self) -> Event {
        (self.intended, self.folder)
    }
}

/// Every attempt, oldest first.
pub(super) fn attempts(database: &Database) -> Vec<Attempt> {
    let rows = database.sql(
        "SELECT folder.id, intended, files, coalesce(outcome, '') FROM kb_ledger.attempt
         JOIN kb_ledger.folder ON folder.number = attempt.folder ORDER BY attempt.id",
    );
    let attempt = |row: &Vec<String>| Attempt {
        folder: row[0].parse().unwrap(),
        intended: row[1].parse().unwrap(),
        files: row[2].parse().unwrap(),
        outcome: row[3].clone(),
    };
    rows.iter().map(attempt).collect()
}

/// What came of every attempt.
pub(super) fn outcomes(database: &Database) -> Vec<String> {
    let attempts = attempts(database).into_iter();
    attempts.map(|attempt| attempt.outcome).collect()
}

/// Whether a portal was met.
pub(super) fn has_met(database: &Database) -> bool {
    exists(database, "kb_ledger.portal") && count(database, "kb_ledger.portal") > 0
}

/// How often the lease of the one portal and shard got another holder.
pub(super) fn fence(database: &Database) -> u64 {
    if !exists(database, "kb_ledger.lease") {
        return 0;
    }
    let fence = "SELECT coalesce(max(fence), 0) FROM kb_ledger.lease";
    database.value(fence).parse().unwrap()
}

/// Lets everything in the ledger have happened so much earlier, as if that time had passed. No process may use it.
pub(super) fn age(database: &Database, by: Duration) {
    let by = millis(by);
    let updates = TIMES
        .map(|(table, column)| format!("UPDATE kb_ledger.{table} SET {column} = {column} - {by};"));
    database.sql(&updates.concat());
}

fn exists(database: &Database, table: &str) -> bool {
    database.value(&format!("SELECT to_regclass('{table}') IS NOT NULL")) == "t"
}

/// How many rows a table has.
pub(super) fn count(database: &Database, table: &str) -> usize {
    let count = format!("SELECT count(*) FROM {table}");
    database.value(&count).parse().unwrap()
}
