//! Reading and writing the tables.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use rusqlite::{Connection, Row, Transaction, params};

use crate::history::{FileHistory, KnownFile};
use crate::model::{FileKey, FolderId, PortalName, Timestamp};
use crate::sqlite::{self, Json, Record, column, select, upsert};
use crate::state::saved::{
    FileChanges, FolderChange, Saved, SavedFolder, SavedPortal, SavedRefutation,
};
use crate::state::tables::{FileRow, FolderRow, PortalRow, RefutationRow, SlotRow};
use crate::state::{FILE_NAME, StateError, lock, schema};

/// The open file, locked for this process.
#[derive(Debug)]
pub(super) struct Database {
    connection: Connection,
    _lock: File,
}

impl Database {
    pub fn open(folder: &Path) -> Result<Self, StateError> {
        let lock = lock::lock(folder)?;
        let path = folder.join(FILE_NAME);
        let mut connection = Connection::open(&path)?;
        schema::prepare(&mut connection, &path)?;
        Ok(Self {
            connection,
            _lock: lock,
        })
    }

    /// Reads everything.
    pub fn load(&mut self) -> Result<Saved, StateError> {
        self.load_where(None)
    }

    /// Reads what is saved of one portal.
    pub fn load_portal(&mut self, portal: &PortalName) -> Result<SavedPortal, StateError> {
        Ok(self.load_where(Some(portal.as_str()))?.take(portal))
    }

    fn load_where(&self, portal: Option<&str>) -> Result<Saved, StateError> {
        let mut saved = Saved::default();
        let query = "SELECT * FROM portal WHERE name = coalesce(?1, name)";
        for row in select(&self.connection, query, [portal], PortalRow::read)? {
            saved.portal(row.name).last_success = Some(row.last_success);
        }
        let query = "SELECT * FROM refutation WHERE portal = coalesce(?1, portal)";
        for row in select(&self.connection, query, [portal], RefutationRow::read)? {
            let portal = saved.portal(row.portal.clone());
            portal.refutation = Some(row.refutation());
        }
        let query = "SELECT * FROM folder WHERE portal = coalesce(?1, portal)";
        let read = |row: &Row<'_>| self.folder(column(row, "number")?, FolderRow::read(row)?);
        for (portal, id, folder) in select(&self.connection, query, [portal], read)? {
            saved.portal(portal).folders.insert(id, folder);
        }
        Ok(saved)
    }

    fn folder(
        &self,
        number: i64,
        row: FolderRow,
    ) -> Result<(String, FolderId, SavedFolder), StateError> {
        let query = "SELECT * FROM file WHERE folder = ?1";
        let files: Vec<(FileKey, FileRow)> =
            select(&self.connection, query, [number], Record::read)?;
        let files = files.into_iter().map(|(key, row)| (key, row.file()));
        let query = "SELECT * FROM place WHERE folder = ?1";
        let slots = select(&self.connection, query, [number], SlotRow::read)?;
        let (portal, id) = (row.portal.clone(), row.id);
        let folder = SavedFolder {
            name: row.name.clone(),
            history: files.collect::<FileHistory>(),
            class_slots: slots.into_iter().map(SlotRow::slot).collect(),
            left: row.left()?,
            excluded: row.excluded_since,
            record: row.record()?,
        };
        Ok((portal, id, folder))
    }

    /// Writes folders, all in one transaction.
    pub fn write(&mut self, changes: &[FolderChange]) -> Result<(), StateError> {
        let transaction = self.connection.transaction()?;
        for change in changes {
            write_change(&transaction, change)?;
        }
        Ok(transaction.commit()?)
    }

    /// Forgets folders of a portal, all in one transaction.
    pub fn forget_folders(&mut self, portal: &str, ids: &[FolderId]) -> Result<(), StateError> {
        let transaction = self.connection.transaction()?;
        for id in ids {
            let query = "DELETE FROM folder WHERE portal = ?1 AND id = ?2";
            transaction.execute(query, params![portal, id])?;
        }
        Ok(transaction.commit()?)
    }

    /// Forgets the folders of all portals but these that were counted, or left, before a time.
    pub fn forget_portals(&mut self, but: &[String], before: Timestamp) -> Result<(), StateError> {
        self.connection.execute(
            "DELETE FROM folder WHERE portal NOT IN (SELECT value FROM json_each(?1))
             AND coalesce(counted, left_since, 0) < ?2",
            params![Json(but), before],
        )?;
        Ok(())
    }

    /// Writes what refutes that a portal sorts by status, or that nothing does.
    pub fn write_refutation(
        &mut self,
        portal: &PortalName,
        refutation: Option<SavedRefutation>,
    ) -> Result<(), StateError> {
        let portal = portal.as_str();
        if let Some(refutation) = refutation {
            let row = RefutationRow::new(portal, refutation);
            upsert(&self.connection, "refutation", &["portal"], [row])?;
        } else {
            let query = "DELETE FROM refutation WHERE portal = ?1";
            self.connection.execute(query, [portal])?;
        }
        Ok(())
    }

    /// Writes the time of a portal's last whole collection.
    pub fn write_success(&mut self, portal: &PortalName, at: Timestamp) -> Result<(), StateError> {
        let row = PortalRow {
            name: portal.as_str().to_owned(),
            last_success: at,
        };
        Ok(upsert(&self.connection, "portal", &["name"], [row])?)
    }
}

fn write_change(transaction: &Transaction<'_>, change: &FolderChange) -> Result<(), StateError> {
    let row = FolderRow::new(change);
    upsert(transaction, "folder", &["portal", "id"], [row])?;
    let query = "SELECT number FROM folder WHERE portal = ?1 AND id = ?2";
    let key = params![change.subject.portal.as_str(), change.subject.id];
    let number = transaction.query_row(query, key, |row| row.get(0))?;
    transaction.execute("DELETE FROM place WHERE folder = ?1", [number])?;
    let slots = change.class_slots.iter();
    let slots = slots.map(|slot| SlotRow::new(number, slot));
    upsert(transaction, "place", &["folder", "class"], slots)?;
    match &change.files {
        FileChanges::Some { changed, forgotten } => {
            let query = "DELETE FROM file WHERE folder = ?1 AND link = ?2 AND id = ?3";
            let mut delete = transaction.prepare(query)?;
            for key in forgotten {
                let (link, id) = (key.link.to_be_bytes(), key.id.to_be_bytes());
                delete.execute(params![number, link, id])?;
            }
            write_files(transaction, number, changed)
        }
        FileChanges::All(files) => {
            transaction.execute("DELETE FROM file WHERE folder = ?1", [number])?;
            write_files(transaction, number, files)
        }
    }
}

fn write_files(
    transaction: &Transaction<'_>,
    folder: i64,
    files: &[(FileKey, KnownFile)],
) -> Result<(), StateError> {
    let rows = files.iter();
    let rows = rows.map(|(key, file)| (*key, FileRow::new(folder, file)));
    Ok(upsert(
        transaction,
        "file",
        &["folder", "link", "id"],
        rows,
    )?)
}

/// The classes of error that have a slot in any folder; none where nothing was saved yet. Reads alone and needs no lock; blocks.
pub fn known_classes(folder: &Path) -> Result<BTreeSet<String>, StateError> {
    let path = folder.join(FILE_NAME);
    if !path.exists() {
        return Ok(BTreeSet::new());
    }
    let connection = sqlite::open_existing(&path, false)?;
    if !schema::has_classes(&connection, &path)? {
        return Ok(BTreeSet::new());
    }
    let query = "SELECT DISTINCT class FROM place";
    let classes = select(&connection, query, [], |row| column(row, "class"))?;
    Ok(classes.into_iter().collect())
}
