//! The database for commands: they read it, and add what people forgive, while the service may write it. They make no tables and need no lock.

use std::collections::BTreeMap;

use crate::attempts::{AttemptId, Book, Forgiven};
use crate::clock::Moment;
use crate::config::State;
use crate::model::PortalAddress;
use crate::store::database::Database;
use crate::store::error::StoreError;
use crate::store::ledger::{self, FORGIVEN_CLOCK};
use crate::store::place::{Access, Place};
use crate::store::statement::{Connection, values};
use crate::store::worker::block_on;

/// What the ledger knows of each portal. Blocks.
pub fn books(state: &State) -> Result<BTreeMap<PortalAddress, Book>, StoreError> {
    let place = Place::of(state).ok_or(StoreError::Temporary)?;
    // One transaction, so that all are read as they are at one moment.
    let read = async |connection: &mut Connection| {
        let mut books = BTreeMap::new();
        let portals = connection.query("SELECT portal FROM lease", values![]);
        for row in portals.await? {
            let portal = PortalAddress::from(row.get::<&str>("portal")?);
            let book = ledger::book(connection, &portal).await?;
            books.insert(portal, book);
        }
        Ok(books)
    };
    block_on(async move || {
        let mut database = Database::new(place, Access::Read);
        let books = database.read(read).await;
        database.close().await;
        books
    })
}

/// Adds what is forgiven from now on; `None`: times in the future, which a clock that was ahead wrote. The process that reads the portal
/// learns of it before it decides the next time. Blocks.
pub fn forgive(
    state: &State,
    portal: &PortalAddress,
    what: Option<&Forgiven>,
) -> Result<(), StoreError> {
    let place = Place::of(state).ok_or(StoreError::Temporary)?;
    let forgive = async |connection: &mut Connection| match what {
        Some(what) => forgive_attempts(connection, portal, what).await,
        None => forgive_clock(connection, portal).await,
    };
    block_on(async move || {
        let mut database = Database::new(place, Access::Write);
        let forgiven = database.transaction(forgive).await;
        database.close().await;
        forgiven
    })
}

async fn forgive_attempts(
    connection: &mut Connection,
    portal: &PortalAddress,
    what: &Forgiven,
) -> Result<(), StoreError> {
    let newest = "SELECT max(id) AS id FROM attempt WHERE portal = $1";
    let newest = connection.query(newest, values![portal]).await?;
    let newest = newest.first().map(|row| row.get::<Option<i64>>("id"));
    let newest = newest.transpose()?.flatten().unwrap_or(0);
    note(connection, portal, &what.to_string(), newest).await?;
    ledger::forget_tried(connection, portal, &[(what.clone(), AttemptId::default())]).await?;
    if *what == Forgiven::Everything {
        let trust = "UPDATE lease SET doubted = 0 WHERE portal = $1";
        connection.query(trust, values![portal]).await?;
    }
    Ok(())
}

async fn forgive_clock(
    connection: &mut Connection,
    portal: &PortalAddress,
) -> Result<(), StoreError> {
    let now = Moment::now().wall.as_millis();
    note(connection, portal, FORGIVEN_CLOCK, now).await?;
    for (table, column) in [
        ("attempt", "intended"),
        ("attempt", "answered"),
        ("attempt", "judged"),
        ("lease", "doubted"),
    ] {
        let update =
            format!("UPDATE {table} SET {column} = $1 WHERE portal = $2 AND {column} > $1");
        connection.query(&update, values![now, portal]).await?;
    }
    Ok(())
}

async fn note(
    connection: &mut Connection,
    portal: &PortalAddress,
    what: &str,
    until: i64,
) -> Result<(), StoreError> {
    let ending = "ON CONFLICT (portal, what) DO UPDATE SET until = excluded.until";
    let row = [portal.into(), what.into(), until.into()];
    let into = "forgiven (portal, what, until)";
    connection.insert(into, vec![row], ending).await
}
