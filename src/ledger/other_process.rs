//! The ledger for processes that do not hold it: they read it, and ask to forgive, while another process may write it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, params};

use crate::ledger::attempt::Attempt;
use crate::ledger::database::FILE_NAME;
use crate::ledger::error::LedgerError;
use crate::ledger::forgive::Forgiveness;
use crate::ledger::load;
use crate::ledger::schema;
use crate::ledger::track::Track;
use crate::ledger::view::LedgerView;
use crate::model::{FolderName, PortalAddress};
use crate::sqlite;

/// How long another process may write before this one gives up.
const PATIENCE: Duration = Duration::from_secs(10);

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
    let (mut connection, version) = open(folder, false)?;
    if version == 0 {
        return Err(LedgerError::Missing(folder.join(FILE_NAME)));
    }
    // One transaction, so that all tables are read as they are at one moment.
    let moment = connection.transaction()?;
    let views = load::load(&moment, version)?;
    let views = views.portals.into_iter();
    Ok(views
        .map(|(portal, view)| (portal, Arc::unwrap_or_clone(view)))
        .collect())
}

/// Every attempt in the ledger of a state folder, newest first. Reads alone and needs no lock; blocks.
pub fn history(folder: &Path) -> Result<Vec<Entry>, LedgerError> {
    let mut entries: Vec<Entry> = Vec::new();
    for view in views(folder)?.into_values() {
        let attempts = view.tracks.iter().flat_map(Track::iter);
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

/// Writes a request for the program that holds the ledger of a state folder. Needs no lock, blocks.
///
/// Fails where there is no ledger, or one of another version.
pub fn ask_to_forgive(
    folder: &Path,
    portal: &PortalAddress,
    forgiveness: &Forgiveness,
) -> Result<(), LedgerError> {
    let (connection, version) = open(folder, true)?;
    if version != schema::VERSION {
        return Err(LedgerError::Older(folder.join(FILE_NAME)));
    }
    sqlite::configure(&connection)?;
    let (kind, target) = forgiveness.what.words();
    connection.execute(
        "INSERT INTO forgiven (portal, at, kind, target) VALUES (?1, ?2, ?3, ?4)",
        params![portal, forgiveness.at, kind, target],
    )?;
    Ok(())
}

/// Opens the file where there is one, and reads its version.
fn open(folder: &Path, write: bool) -> Result<(Connection, i64), LedgerError> {
    let path = folder.join(FILE_NAME);
    if !path.exists() {
        return Err(LedgerError::Missing(path));
    }
    let connection = sqlite::open_existing(&path, write)?;
    connection.busy_timeout(PATIENCE)?;
    let version = schema::known_version(&connection, &path)?;
    Ok((connection, version))
}
