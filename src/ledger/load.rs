//! From the tables to views.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::SystemTime;

use rusqlite::{Connection, Row};

use crate::ledger::attempt::SentFile;
use crate::ledger::error::LedgerError;
use crate::ledger::folder::{FolderLedger, Totals};
use crate::ledger::forgive::{Forgiven, Forgiveness};
use crate::ledger::schema;
use crate::ledger::tables::{AttemptRow, ClassRow, FolderRow, LedgerRow, PortalRow};
use crate::ledger::view::LedgerView;
use crate::model::{FileKey, FileMap, PortalAddress, Timestamp};
use crate::sqlite::{Record, column, select};

/// What the ledger knows of each portal.
#[derive(Debug)]
pub(super) struct Views {
    pub ledger: LedgerRow,
    pub portals: HashMap<PortalAddress, Arc<LedgerView>>,
}

impl Views {
    /// The view of a portal that the ledger meets now.
    pub fn meet(&self) -> LedgerView {
        // A clock that is behind the ledger's own time is noticed by it.
        let now = Timestamp::from(SystemTime::now()).max(self.ledger.created);
        LedgerView {
            clock_set: self.ledger.clock_set,
            ..LedgerView::new(now)
        }
    }
}

/// Reads everything from tables of this version.
pub(super) fn load(connection: &Connection, version: i64) -> Result<Views, LedgerError> {
    let mut ledger = select(connection, "SELECT * FROM ledger", [], LedgerRow::read)?;
    let missing = LedgerError::content("the time of its creation is missing");
    let ledger = ledger.pop().ok_or(missing)?;
    let portals = select(connection, schema::portals(version), [], PortalRow::read)?;
    let mut views: HashMap<_, _> = portals
        .into_iter()
        .map(|portal| (portal.address, LedgerView::new(portal.met)))
        .collect();
    load_attempts(connection, &mut views)?;
    if version >= 3 {
        let classes = select(connection, "SELECT * FROM class", [], Record::read)?;
        for (ClassRow { portal, name }, totals) in classes {
            let missing = LedgerError::content("a class without its portal");
            let view = views.get_mut(&portal).ok_or(missing)?;
            view.classes.insert(name, totals);
        }
    }
    if version >= 4 {
        let taken = "SELECT * FROM forgiven WHERE taken IS NOT NULL";
        for (portal, _, forgiveness) in select(connection, taken, [], forgiveness)? {
            if let Some(view) = views.get_mut(&portal) {
                view.note_forgiven(&forgiveness);
            }
        }
    }
    let views = views.into_iter().map(|(portal, mut view)| {
        view.clock_set = ledger.clock_set;
        (portal, Arc::new(view))
    });
    Ok(Views {
        ledger,
        portals: views.collect(),
    })
}

/// Reads the folders and their attempts.
fn load_attempts(
    connection: &Connection,
    views: &mut HashMap<PortalAddress, LedgerView>,
) -> Result<(), LedgerError> {
    let mut file_attempts = by_owner(connection, "tries", "folder", |row| column(row, "attempts"))?;
    let mut sent = by_owner(connection, "sent", "attempt", SentFile::read)?;
    let mut folders = HashMap::new();
    let read = |row: &Row<'_>| -> rusqlite::Result<(i64, (FolderRow, Totals))> {
        Ok((column(row, "number")?, Record::read(row)?))
    };
    for (number, (row, totals)) in select(connection, "SELECT * FROM folder", [], read)? {
        let FolderRow {
            portal,
            id,
            name,
            unseen_since,
        } = row;
        let folder = FolderLedger {
            name,
            totals,
            file_attempts: file_attempts.remove(&number).unwrap_or_default(),
            unseen_since,
        };
        let missing = LedgerError::content("a folder without its portal");
        let view = views.get_mut(&portal).ok_or(missing)?;
        view.folders.insert(id, Arc::new(folder));
        folders.insert(number, (portal, id));
    }
    for row in select(connection, "SELECT * FROM attempt", [], AttemptRow::read)? {
        let missing = LedgerError::content("an attempt without its folder");
        let (portal, folder) = folders.get(&row.folder).ok_or(missing)?;
        let files = sent.remove(&row.id).unwrap_or_default();
        let attempt = row.attempt(portal, *folder, files)?;
        if let Some(view) = views.get_mut(portal) {
            view.track_mut(attempt.mode).set(attempt);
        }
    }
    Ok(())
}

/// Reads something about files, by the number of the row to which they belong.
fn by_owner<T>(
    connection: &Connection,
    table: &str,
    owner: &str,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<HashMap<i64, FileMap<T>>, LedgerError> {
    let mut owners: HashMap<i64, FileMap<T>> = HashMap::new();
    let query = format!("SELECT * FROM {table}");
    select(connection, &query, [], |row| -> rusqlite::Result<()> {
        let files = owners.entry(column(row, owner)?).or_default();
        files.insert(FileKey::read(row)?, read(row)?);
        Ok(())
    })?;
    Ok(owners)
}

/// What people forgave in a portal and was not taken in yet, with the number of each request.
pub(super) fn asked_to_forgive(
    connection: &Connection,
    portal: &PortalAddress,
) -> Result<Vec<(i64, Forgiveness)>, LedgerError> {
    let open = "SELECT * FROM forgiven WHERE taken IS NULL AND portal = ?1 ORDER BY id";
    let asked = select(connection, open, [portal], forgiveness)?;
    Ok(asked.into_iter().map(|(_, id, what)| (id, what)).collect())
}

fn forgiveness(row: &Row<'_>) -> Result<(PortalAddress, i64, Forgiveness), LedgerError> {
    let (kind, target): (String, Option<String>) = (column(row, "kind")?, column(row, "target")?);
    let what = Forgiven::from_words(&kind, target.as_deref());
    let forgiveness = Forgiveness {
        at: column(row, "at")?,
        what: what.ok_or(LedgerError::content("what was forgiven"))?,
    };
    Ok((column(row, "portal")?, column(row, "id")?, forgiveness))
}

/// A number that no attempt has, nor had.
pub(super) fn next_id(connection: &Connection) -> Result<i64, LedgerError> {
    Ok(connection.query_row(
        "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'attempt'",
        [],
        |row| row.get(0),
    )?)
}
