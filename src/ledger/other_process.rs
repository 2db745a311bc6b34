//! The ledger for processes that do not write attempts to it: they read it, and ask to forgive, while other processes may write it.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::types::Value;

use crate::config::State;
use crate::ledger::attempt::Attempt;
use crate::ledger::error::LedgerError;
use crate::ledger::file::FILE_NAME;
use crate::ledger::forgive::Forgiveness;
use crate::ledger::load;
use crate::ledger::schema::SCHEMA;
use crate::ledger::view::LedgerView;
use crate::model::{FolderName, PortalAddress};
use crate::sql::{Database, to_value};

/// One attempt, and the name of its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The folder's name at its last attempt.
    pub name: FolderName,
    pub attempt: Arc<Attempt>,
}

/// What the ledger knows of each portal. Reads alone and needs no lock; blocks, outside of an asynchronous task.
pub fn views(state: &State) -> Result<BTreeMap<PortalAddress, LedgerView>, LedgerError> {
    // One transaction, so that all tables are read as they are at one moment.
    let views = open(state, false)?.transaction(load::load)?;
    let views = views.portals.into_iter();
    Ok(views
        .map(|(portal, view)| (portal, Arc::unwrap_or_clone(view)))
        .collect())
}

/// Every attempt in the ledger, newest first. Reads alone and needs no lock; blocks, outside of an asynchronous task.
pub fn history(state: &State) -> Result<Vec<Entry>, LedgerError> {
    let mut entries: Vec<Entry> = Vec::new();
    for view in views(state)?.into_values() {
        let attempts = view.track.iter();
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

/// Writes a request for the process that may act. Needs no lock; blocks, outside of an asynchronous task.
///
/// Fails where there is no ledger.
pub fn ask_to_forgive(
    state: &State,
    portal: &PortalAddress,
    forgiveness: &Forgiveness,
) -> Result<(), LedgerError> {
    let (kind, target) = forgiveness.what.words();
    let insert = "INSERT INTO forgiven (portal, at, kind, target) VALUES ($1, $2, $3, $4)";
    let mut database = open(state, true)?;
    let clock = database.clock();
    database.transaction(|transaction| {
        // A server's times are its own.
        let now = clock.and_then(|clock| clock.now());
        let values = [
            to_value(portal)?,
            to_value(&now.unwrap_or(forgiveness.at))?,
            Value::Text(kind.to_owned()),
            to_value(&target)?,
        ];
        transaction.execute(insert, &values)?;
        Ok(())
    })
}

/// Opens a ledger that there is.
fn open(state: &State, write: bool) -> Result<Database, LedgerError> {
    let found = Database::open_existing(state, FILE_NAME, write, &SCHEMA)?;
    found.ok_or_else(|| match state {
        State::Path(folder) => LedgerError::Missing(folder.join(FILE_NAME)),
        State::Postgres(_) | State::Temporary => LedgerError::Temporary,
    })
}
