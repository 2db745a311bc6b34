//! The ledger for people, also while another process writes it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::ledger::attempt::Attempt;
use crate::ledger::database;
use crate::ledger::error::LedgerError;
use crate::ledger::load;
use crate::ledger::mode::ActiveMode;
use crate::ledger::schema;
use crate::ledger::view::LedgerView;
use crate::model::{FolderName, PortalAddress};

/// One attempt, and the name of its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The folder's name at its last attempt.
    pub name: FolderName,
    /// The attempt.
    pub attempt: Arc<Attempt>,
}

/// What the ledger of a state folder knows of each portal. Reads alone and needs no lock; blocks.
pub fn views(folder: &Path) -> Result<BTreeMap<PortalAddress, LedgerView>, LedgerError> {
    let path = database::path_in(folder);
    if !path.exists() {
        return Err(LedgerError::Missing { path });
    }
    let mut connection = schema::read_only(&path)?;
    let version = schema::known_version(&connection, &path)?;
    if version == 0 {
        return Err(LedgerError::Missing { path });
    }
    // One transaction, so that all tables are read as they are at one moment.
    let moment = connection.transaction()?;
    let loaded = load::load(&moment, version)?;
    Ok(loaded.views.into_iter().collect())
}

/// Every attempt in the ledger of a state folder, newest first. Reads alone and needs no lock; blocks.
pub fn history(folder: &Path) -> Result<Vec<Entry>, LedgerError> {
    let mut entries: Vec<Entry> = Vec::new();
    for view in views(folder)?.into_values() {
        for attempt in ActiveMode::ALL
            .iter()
            .flat_map(|mode| view.track(*mode).iter())
        {
            let book = view.folder(attempt.folder);
            entries.push(Entry {
                name: book.map_or_else(|| FolderName::new(""), |book| book.name.clone()),
                attempt: Arc::clone(attempt),
            });
        }
    }
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.attempt.id));
    Ok(entries)
}
