//! The ledger for commands: they read it, and add what people forgive, while other processes may write it. They make no tables and need no lock.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::attempts::{Attempt, Event, Forgiven, Forgiveness, LedgerView};
use crate::config::State;
use crate::model::{FolderName, PortalAddress};
use crate::store::database::Database;
use crate::store::error::{LedgerError, StoreError};
use crate::store::ledger::log;
use crate::store::place::{Access, Part, Place};
use crate::store::statement::Revision;
use crate::store::worker::block_on;

/// How often something is added again where other processes write at the same time.
const TRIES: u32 = 20;

/// One attempt, and the name of its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The folder's name at its last attempt.
    pub name: FolderName,
    pub attempt: Arc<Attempt>,
}

/// What the ledger knows of each portal. Blocks.
pub fn views(state: &State) -> Result<BTreeMap<PortalAddress, LedgerView>, LedgerError> {
    with(state, Access::Read, async |database| {
        // One transaction, so that all logs are read as they are at one moment.
        let read = async |connection: &mut _| {
            let mut views = BTreeMap::new();
            for portal in log::portals(connection).await? {
                let events = log::read(connection, &portal, None).await?.into_events();
                views.insert(portal, log::fold(&events)?.0);
            }
            Ok(views)
        };
        database.transaction(read).await
    })
}

/// Every attempt in the ledger, newest first. Blocks.
pub fn history(state: &State) -> Result<Vec<Entry>, LedgerError> {
    let mut entries: Vec<Entry> = Vec::new();
    for view in views(state)?.into_values() {
        let attempts = view.track().iter();
        entries.extend(attempts.map(|attempt| {
            let folder = view.folder(attempt.folder);
            Entry {
                name: folder.map_or_else(|| FolderName::new(""), |folder| folder.name.clone()),
                attempt: Arc::clone(attempt),
            }
        }));
    }
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.attempt.id));
    Ok(entries)
}

/// Adds what is forgiven from now on. The process that may act reads it before it decides the next time. Blocks.
pub fn forgive(state: &State, portal: &PortalAddress, what: &Forgiven) -> Result<(), LedgerError> {
    with(state, Access::Write, async |database| {
        let mut tries = 1;
        loop {
            match add(database, portal, what).await {
                Err(StoreError::Stale) if tries < TRIES => tries += 1,
                done => return done,
            }
        }
    })
}

async fn add(
    database: &mut Database,
    portal: &PortalAddress,
    what: &Forgiven,
) -> Result<(), StoreError> {
    let clock = database.clock();
    let add = async |connection: &mut _| {
        let events = log::read(connection, portal, None).await?.into_events();
        let known = events.last().map(|(revision, _)| *revision);
        let event = Event::Forgiven(Forgiveness {
            at: clock.now().wall,
            what: what.clone(),
        });
        log::append(
            connection,
            portal,
            known,
            &[(Revision::after(known), event)],
        )
        .await
    };
    database.transaction(add).await
}

/// Does something with a ledger that there is.
fn with<T: Send>(
    state: &State,
    access: Access,
    work: impl AsyncFnOnce(&mut Database) -> Result<T, StoreError> + Send,
) -> Result<T, LedgerError> {
    let place = Place::of(state).ok_or(LedgerError::Temporary)?;
    let done = block_on(async move || {
        let mut database = Database::new(place, Part::Ledger, access);
        let done = work(&mut database).await;
        database.close().await;
        done
    });
    Ok(done?)
}
