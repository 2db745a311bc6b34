//! How the processes that share a ledger divide the rate of a portal.
//!
//! Each writes what it needs and what it has taken, from time to time, and reads what the others wrote. They do so one after the other.

use std::time::Duration;

use rusqlite::types::Value;

use crate::ledger::error::LedgerError;
use crate::model::PortalAddress;
use crate::portal::{Demand, Share, Sharer};
use crate::sql::{Database, Row, SERVER_NOW, SqlError, Transaction, record, to_value, upsert};

pub const INTERVAL: Duration = Duration::from_secs(10);

/// A process that has not written for this time has ended.
const ENDED: Duration = Duration::from_mins(1);

record! {
    /// What a process needs of the rate of a portal, in thousandths of a request per second.
    struct SharerRow {
        portal: PortalAddress,
        process: String,
        used: i64,
        waits: bool,
        taken: i64,
        seen: i64,
    }
}

/// Takes a share of the rate (requests per second) of a portal.
pub(super) fn take(
    sql: &mut Database,
    process: &str,
    portal: &PortalAddress,
    rate: f64,
    own: Demand,
) -> Result<Share, LedgerError> {
    sql.transaction(|transaction| {
        let now = lock(transaction, portal)?;
        let ended = now - i64::try_from(ENDED.as_millis()).unwrap_or(i64::MAX);
        let key = [to_value(portal)?, Value::Integer(ended)];
        transaction.execute("DELETE FROM sharer WHERE portal = $1 AND seen < $2", &key)?;
        let key = [to_value(portal)?, Value::Text(process.to_owned())];
        let query = "SELECT * FROM sharer WHERE portal = $1 AND process <> $2";
        let others = transaction.query(query, &key)?;
        let others: Result<Vec<Sharer>, SqlError> = others.iter().map(sharer).collect();
        let share = Share::take(rate, own, &others?);
        let row = SharerRow {
            portal: portal.clone(),
            process: process.to_owned(),
            used: thousandths(own.used),
            waits: own.waits,
            taken: thousandths(share.rate),
            seen: now,
        };
        upsert(transaction, "sharer", &["portal", "process"], [row])?;
        Ok(share)
    })
}

pub(super) fn leave(
    sql: &mut Database,
    process: &str,
    portal: &PortalAddress,
) -> Result<(), LedgerError> {
    let key = [to_value(portal)?, Value::Text(process.to_owned())];
    let left: Result<u64, SqlError> = sql.transaction(|transaction| {
        transaction.execute(
            "DELETE FROM sharer WHERE portal = $1 AND process = $2",
            &key,
        )
    });
    Ok(left.map(drop)?)
}

/// Waits until no other process takes a share of the portal's rate; returns the time of the server.
fn lock(transaction: &mut dyn Transaction, portal: &PortalAddress) -> Result<i64, LedgerError> {
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::TEXT AS locked";
    transaction.query(lock, &[to_value(portal)?])?;
    let rows = transaction.query(&format!("SELECT {SERVER_NOW} AS now"), &[])?;
    let missing = || LedgerError::content("the time of the server");
    Ok(rows.first().ok_or_else(missing)?.get("now")?)
}

fn sharer(row: &Row) -> Result<Sharer, SqlError> {
    use crate::sql::Record as _;
    let row = SharerRow::read(row)?;
    Ok(Sharer {
        demand: Demand {
            used: from_thousandths(row.used),
            waits: row.waits,
        },
        taken: from_thousandths(row.taken),
    })
}

#[expect(clippy::cast_possible_truncation, reason = "rates are small numbers")]
fn thousandths(rate: f64) -> i64 {
    (rate * 1000.0).round() as i64
}

#[expect(clippy::cast_precision_loss, reason = "rates are small numbers")]
fn from_thousandths(rate: i64) -> f64 {
    rate as f64 / 1000.0
}
