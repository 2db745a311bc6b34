//! From the tables to views.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::SystemTime;

use rusqlite::{Connection, OptionalExtension, Row};

use crate::ledger::attempt::SentFile;
use crate::ledger::error::LedgerError;
use crate::ledger::forgive::Forgiveness;
use crate::ledger::rows;
use crate::ledger::schema;
use crate::ledger::view::{ClassTotals, FolderBook, LedgerView};
use crate::model::{FileMap, FolderId, FolderName, PortalAddress, Timestamp};

/// What the ledger knows of each portal.
pub(super) type Views = HashMap<PortalAddress, LedgerView>;

/// What holds for every portal of an open file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opened {
    pub created: Timestamp,
    pub clock_set: Option<Timestamp>,
}

impl Opened {
    /// What is known of a portal that is met now.
    pub fn meet(self) -> Arc<LedgerView> {
        // A clock that is behind the ledger's own time is noticed by it.
        let now = Timestamp::from(SystemTime::now()).max(self.created);
        let mut view = LedgerView::new(now);
        view.clock_set = self.clock_set;
        Arc::new(view)
    }
}

/// Everything that a file holds.
pub(super) struct Loaded {
    pub opened: Opened,
    /// By how many milliseconds all times were moved forward because the clock was set.
    pub moved: i64,
    pub views: Views,
}

/// Reads everything from tables of this version.
pub(super) fn load(connection: &Connection, version: i64) -> Result<Loaded, LedgerError> {
    let (opened, moved) = load_opened(connection)?;
    let mut tries = load_tries(connection)?;
    let mut states = load_states(connection)?;
    let mut views = load_portals(connection, version)?;
    let mut folder_keys = HashMap::new();
    let mut folders = connection.prepare("SELECT * FROM folder")?;
    let mut found = folders.query([])?;
    while let Some(row) = found.next()? {
        let number: i64 = row.get("number")?;
        let (portal, id) = folder_of(row)?;
        let view = views
            .get_mut(&portal)
            .ok_or(LedgerError::Content("a folder without its portal"))?;
        let book = load_book(row, tries.remove(&number).unwrap_or_default())?;
        view.folders.insert(id, Arc::new(book));
        folder_keys.insert(number, (portal, id));
    }
    let mut attempts = connection.prepare("SELECT * FROM attempt")?;
    let mut found = attempts.query([])?;
    while let Some(row) = found.next()? {
        let (portal, folder) = folder_keys
            .get(&row.get("folder")?)
            .ok_or(LedgerError::Content("an attempt without its folder"))?;
        let files = states.remove(&row.get("id")?).unwrap_or_default();
        let attempt = rows::attempt(row, portal, *folder, files)?;
        if let Some(view) = views.get_mut(portal) {
            view.track_mut(attempt.mode()).set(attempt);
        }
    }
    if version >= 3 {
        load_classes(connection, &mut views)?;
    }
    if version >= 4 {
        load_forgiven(connection, &mut views)?;
    }
    for view in views.values_mut() {
        view.clock_set = opened.clock_set;
    }
    Ok(Loaded {
        opened,
        moved,
        views,
    })
}

fn load_opened(connection: &Connection) -> Result<(Opened, i64), LedgerError> {
    let found = connection.query_row("SELECT * FROM ledger", [], |row| {
        let moved = rows::if_there(row, "moved")?.unwrap_or(0);
        let opened = Opened {
            created: Timestamp::from_millis(row.get("created")?),
            clock_set: rows::if_there(row, "clock_set")?.map(Timestamp::from_millis),
        };
        Ok((opened, moved))
    });
    found
        .optional()?
        .ok_or(LedgerError::Content("the time of its creation is missing"))
}

/// What people took back.
fn load_forgiven(connection: &Connection, views: &mut Views) -> Result<(), LedgerError> {
    let mut query = connection.prepare("SELECT * FROM forgiven WHERE taken IS NOT NULL")?;
    let mut found = query.query([])?;
    while let Some(row) = found.next()? {
        let forgiven = forgiveness(row)?;
        if let Some(view) = views.get_mut(&portal_address(row, "portal")?) {
            view.note_forgiven(&forgiven);
        }
    }
    Ok(())
}

/// What people took back in a portal and was not taken in yet.
pub(super) fn asked_to_forgive(
    connection: &Connection,
    portal: &PortalAddress,
) -> Result<Vec<(i64, Forgiveness)>, LedgerError> {
    let mut query = connection
        .prepare("SELECT * FROM forgiven WHERE taken IS NULL AND portal = ?1 ORDER BY id")?;
    let mut found = query.query([portal.as_str()])?;
    let mut asked = Vec::new();
    while let Some(row) = found.next()? {
        asked.push((row.get("id")?, forgiveness(row)?));
    }
    Ok(asked)
}

fn forgiveness(row: &Row<'_>) -> Result<Forgiveness, LedgerError> {
    let (kind, target): (String, Option<String>) = (row.get("kind")?, row.get("target")?);
    Ok(Forgiveness {
        at: Timestamp::from_millis(row.get("at")?),
        what: rows::forgiven(&kind, target.as_deref())
            .ok_or(LedgerError::Content("what was taken back"))?,
    })
}

/// The counters of each class.
fn load_classes(connection: &Connection, views: &mut Views) -> Result<(), LedgerError> {
    let mut query = connection.prepare("SELECT * FROM class")?;
    let mut found = query.query([])?;
    while let Some(row) = found.next()? {
        let view = views
            .get_mut(&portal_address(row, "portal")?)
            .ok_or(LedgerError::Content("a class without its portal"))?;
        let totals = ClassTotals {
            recovered: rows::loaded(row, "recovered")?,
            refailed: rows::loaded(row, "refailed")?,
        };
        let name: String = row.get("name")?;
        view.classes.insert(rows::class(&name), totals);
    }
    Ok(())
}

/// A number that no attempt has, nor had.
pub(super) fn next_id(connection: &Connection) -> Result<i64, LedgerError> {
    Ok(connection.query_row(
        "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'attempt'",
        [],
        |row| row.get(0),
    )?)
}

/// A view of each portal that was met, in which nothing was attempted yet.
fn load_portals(connection: &Connection, version: i64) -> Result<Views, LedgerError> {
    let mut views = Views::new();
    let mut portals = connection.prepare(schema::portals(version))?;
    let mut found = portals.query([])?;
    while let Some(row) = found.next()? {
        let met = Timestamp::from_millis(row.get("met")?);
        views.insert(portal_address(row, "address")?, LedgerView::new(met));
    }
    Ok(views)
}

fn portal_address(row: &Row<'_>, column: &str) -> Result<PortalAddress, LedgerError> {
    let address: String = row.get(column)?;
    Ok(PortalAddress::from(address.as_str()))
}

fn folder_of(row: &Row<'_>) -> Result<(PortalAddress, FolderId), LedgerError> {
    let id: String = row.get("id")?;
    Ok((
        portal_address(row, "portal")?,
        FolderId::parse(&id).ok_or(LedgerError::Content("a folder's id"))?,
    ))
}

fn load_book(row: &Row<'_>, tries: FileMap<u32>) -> Result<FolderBook, LedgerError> {
    Ok(FolderBook {
        name: FolderName::new(&row.get::<_, String>("name")?),
        totals: rows::totals(row)?,
        tries,
        unseen_since: rows::time(row, "unseen_since")?,
    })
}

/// How often files were sent, by the number of their folder.
fn load_tries(connection: &Connection) -> Result<HashMap<i64, FileMap<u32>>, LedgerError> {
    let mut tries: HashMap<i64, FileMap<u32>> = HashMap::new();
    let mut query = connection.prepare("SELECT * FROM tries")?;
    let mut found = query.query([])?;
    while let Some(row) = found.next()? {
        let files = tries.entry(row.get("folder")?).or_default();
        files.insert(rows::key(row)?, row.get("attempts")?);
    }
    Ok(tries)
}

/// What became of files so far, by the id of their attempt.
fn load_states(connection: &Connection) -> Result<HashMap<i64, FileMap<SentFile>>, LedgerError> {
    let mut states: HashMap<i64, FileMap<SentFile>> = HashMap::new();
    let mut query = connection.prepare("SELECT * FROM sent")?;
    let mut found = query.query([])?;
    while let Some(row) = found.next()? {
        let files = states.entry(row.get("attempt")?).or_default();
        files.insert(rows::key(row)?, rows::sent_file(row)?);
    }
    Ok(states)
}
