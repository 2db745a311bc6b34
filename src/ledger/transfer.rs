//! The ledger as `crate::migrate` copies it.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use crate::ledger::error::LedgerError;
use crate::ledger::forgive::Forgiveness;
use crate::ledger::{Addresses, database, lease, load, schema};
use crate::model::{PortalAddress, Timestamp};
use crate::sql::{Numbers, Server, SqlError, SqliteFile, Table, Transaction, select};

/// The tables that both engines have, each after those that it refers to.
pub(crate) const TABLES: [Table; 8] = [
    table("ledger", &[], Numbers::None),
    table("portal", &["address"], Numbers::None),
    table("folder", &["number"], Numbers::Any),
    table("attempt", &["id"], Numbers::Unique),
    table("sent", &["attempt", "link", "id"], Numbers::None),
    table("tries", &["folder", "link", "id"], Numbers::None),
    table("class", &["portal", "name"], Numbers::None),
    table("forgiven", &["id"], Numbers::Unique),
];

/// The table that PostgreSQL alone has.
pub(crate) const LEASES: [Table; 1] = [table(
    "lease",
    &["portal", "shard", "shards"],
    Numbers::None,
)];

const fn table(name: &'static str, key: &'static [&'static str], numbers: Numbers) -> Table {
    Table { name, key, numbers }
}

/// The tables in PostgreSQL.
pub(crate) fn server(url_file: &Path) -> Server {
    database::server(url_file)
}

/// Opens a file that there is, to read it. Of an older version, a copy in memory is brought up to date.
pub(crate) fn open(path: &Path, addresses: &Addresses) -> Result<SqliteFile, LedgerError> {
    let file = SqliteFile::open_existing(path, false)?;
    schema::up_to_date(file, path, addresses)
}

/// Makes a file with empty tables.
pub(crate) fn create(path: &Path) -> Result<SqliteFile, LedgerError> {
    let mut file = SqliteFile::open(path)?;
    file.upgrade(0, &schema::STEPS, |_| Ok::<(), SqlError>(()))?;
    Ok(file)
}

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
    let now = lease::NOW;
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

/// The time of the server.
pub(crate) fn server_time(transaction: &mut dyn Transaction) -> Result<Timestamp, LedgerError> {
    let rows = transaction.query(&format!("SELECT {} AS now", lease::NOW), &[])?;
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
