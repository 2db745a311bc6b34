//! The ledger that processes share, as rows of the database.

use std::time::Duration;

use crate::support::attempts::{self, ATTEMPTS, PORTALS};
use crate::support::postgres::database::Database;

pub(super) use crate::support::attempts::Attempt;

/// The statement of transactions that write the intent of an attempt.
pub(super) const WRITES_ATTEMPT: &str = "INSERT INTO attempt ";

/// The statement of transactions that write what came of it.
pub(super) const WRITES_OUTCOME: &str = "UPDATE attempt SET results";

/// Every attempt, oldest first.
pub(super) fn attempts(database: &Database) -> Vec<Attempt> {
    attempts::attempts(&database.store(ATTEMPTS))
}

/// What came of every attempt.
pub(super) fn outcomes(database: &Database) -> Vec<String> {
    let attempts = attempts(database).into_iter();
    attempts.map(|attempt| attempt.outcome).collect()
}

/// Whether a portal was met.
pub(super) fn has_met(database: &Database) -> bool {
    exists(database, "lease") && database.store(PORTALS) != [["0"]]
}

/// The process that has, or had last, the lease of the one portal; none: an empty text.
pub(super) fn holder(database: &Database) -> String {
    if !exists(database, "lease") {
        return String::new();
    }
    let holder = database.store("SELECT holder FROM lease");
    let holder = holder.first().and_then(|row| row.first());
    holder.cloned().unwrap_or_default()
}

/// Lets everything in the ledger have happened so much earlier, as if that time had passed. No process may use it.
pub(super) fn age(database: &Database, by: Duration) {
    database.store(&attempts::age(by));
}

fn exists(database: &Database, table: &str) -> bool {
    database.value(&format!(
        "SELECT to_regclass('kb_exporter.{table}') IS NOT NULL"
    )) == "t"
}

/// How many rows a table has.
pub(super) fn count(database: &Database, table: &str) -> usize {
    let count = database.store(&format!("SELECT count(*) FROM {table}"));
    count[0][0].parse().unwrap()
}
