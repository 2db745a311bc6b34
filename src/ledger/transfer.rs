//! The ledger as `crate::migrate` copies it.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::ledger::error::LedgerError;
use crate::ledger::forgive::Forgiveness;
use crate::ledger::load;
use crate::model::{PortalAddress, Timestamp};
use crate::sql::{SERVER_NOW, SqlError, Table, Transaction, select};

/// The tables that both engines have, each after those that it refers to.
pub(crate) const TABLES: [Table; 8] = [
    Table::new("ledger", &[]),
    Table::new("portal", &["address"]),
    Table::numbered("folder", &["number"]),
    Table::numbered("attempt", &["id"]),
    Table::new("sent", &["attempt", "link", "id"]),
    Table::new("tries", &["folder", "link", "id"]),
    Table::new("class", &["portal", "name"]),
    Table::numbered("forgiven", &["id"]),
];

/// The table that PostgreSQL alone has.
pub(crate) const LEASES: [Table; 1] = [Table::new("lease", &["portal", "shard", "shards"])];

/// A lease that a process has.
#[derive(Debug)]
pub(crate) struct HeldLease {
    pub portal: PortalAddress,
    pub shard: i64,
    /// When it ends, unless it is renewed.
    pub left: Duration,
}

/// The lease in PostgreSQL that lasts longest, if any lasts.
pub(crate) fn held_lease(
    transaction: &mut dyn Transaction,
) -> Result<Option<HeldLease>, LedgerError> {
    let now = SERVER_NOW;
    let query = format!(
        "SELECT portal, shard, until - {now} AS remaining FROM lease WHERE until >= {now}
         ORDER BY until DESC LIMIT 1"
    );
    let held = select(transaction, &query, &[], |row| {
        let millis: i64 = row.get("remaining")?;
        Ok::<_, SqlError>(HeldLease {
            portal: row.get("portal")?,
            shard: row.get("shard")?,
            left: Duration::from_millis(millis.try_into().unwrap_or(0)),
        })
    })?;
    Ok(held.into_iter().next())
}

pub(crate) fn server_time(transaction: &mut dyn Transaction) -> Result<Timestamp, LedgerError> {
    let rows = transaction.query(&format!("SELECT {SERVER_NOW} AS now"), &[])?;
    let missing = || LedgerError::content("the time of the server");
    Ok(rows.first().ok_or_else(missing)?.get("now")?)
}

/// What was asked to be forgiven, with its number, and when it was taken in.
type Asked = (i64, Forgiveness, Option<Timestamp>);

fn asked(transaction: &mut dyn Transaction) -> Result<Vec<Asked>, LedgerError> {
    select(
        transaction,
        "SELECT * FROM forgiven ORDER BY id",
        &[],
        |row| {
            let (id, forgiveness) = load::forgiveness(row)?;
            Ok((id, forgiveness, row.get("taken")?))
        },
    )
}

/// Reads both sides as the program does, and says what is not the same.
pub(crate) fn difference(
    one: &mut dyn Transaction,
    other: &mut dyn Transaction,
) -> Result<Option<String>, LedgerError> {
    if asked(one)? != asked(other)? {
        return Ok(Some("what people forgave".to_owned()));
    }
    let (one, other) = (load::load(one)?, load::load(other)?);
    if one.ledger != other.ledger {
        return Ok(Some("when it was made".to_owned()));
    }
    let portals = one.portals.keys().chain(other.portals.keys());
    let portals: BTreeSet<&str> = portals.map(PortalAddress::as_str).collect();
    let differs = |portal: &&str| {
        let portal = PortalAddress::from(*portal);
        one.portals.get(&portal) != other.portals.get(&portal)
    };
    let portal = portals.into_iter().find(differs);
    Ok(portal.map(|portal| format!("the portal {portal}")))
}
