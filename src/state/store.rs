//! The open file: what it has, and what is written to it.

use std::fs::File;
use std::path::Path;

use rusqlite::{Connection, Row, Transaction, params};

use crate::history::{FileHistory, KnownFile};
use crate::model::{FileKey, FolderId, PortalName, Timestamp};
use crate::sqlite::{self, Json, Record, Worker, column, select, upsert};
use crate::state::saved::{
    FileChanges, FolderChange, Saved, SavedFolder, SavedPortal, SavedRefutation,
};
use crate::state::tables::{FolderNumber, FolderRow, PortalRow, RefutationRow, SlotRow};
use crate::state::{FILE_NAME, StateError, lock, schema};

/// A handle to the state. Cheap to clone; the file is closed when the last one is dropped.
#[derive(Debug, Clone)]
pub struct Store(Backend);

#[derive(Debug, Clone)]
enum Backend {
    File(Worker<Database>),
    Refused(StateError),
    Nowhere,
}

/// The open file, locked for this process.
#[derive(Debug)]
struct Database {
    connection: Connection,
    _lock: File,
}

impl Store {
    /// Opens the state in a folder and reads what was saved. Blocks.
    ///
    /// Where that fails, the store refuses every write with the error, which is returned as well.
    #[must_use]
    pub fn open(folder: &Path) -> (Self, Saved, Option<StateError>) {
        match open(folder) {
            Ok((database, saved)) => (Self(Backend::File(Worker::start(database))), saved, None),
            Err(error) => {
                let store = Self(Backend::Refused(error.clone()));
                (store, Saved::default(), Some(error))
            }
        }
    }

    /// A store that saves nothing: for a single collection.
    #[must_use]
    pub fn nowhere() -> Self {
        Self(Backend::Nowhere)
    }

    /// Whether anything is ever saved.
    #[must_use]
    pub const fn saves(&self) -> bool {
        !matches!(self.0, Backend::Nowhere)
    }

    /// Whether no other process writes to it, so that what it has of folders of other shards is outdated.
    #[must_use]
    pub const fn is_private(&self) -> bool {
        matches!(self.0, Backend::File(_))
    }

    /// Why the file could not be opened, if it could not.
    #[must_use]
    pub const fn open_error(&self) -> Option<&StateError> {
        match &self.0 {
            Backend::Refused(error) => Some(error),
            Backend::File(_) | Backend::Nowhere => None,
        }
    }

    /// Fails where the disk refuses writes.
    pub async fn check_write(&self) -> Result<(), StateError> {
        self.act(|connection| Ok(sqlite::check_write(connection)?))
            .await
    }

    /// Reads what is saved of one portal, after everything that was written before. Nothing where nothing is saved.
    pub async fn load(&self, portal: PortalName) -> Result<SavedPortal, StateError> {
        self.act(move |connection| Ok(load(connection, Some(portal.as_str()))?.take(&portal)))
            .await
    }

    /// Writes what is new about folders: all of it, in one transaction, or nothing. It is on disk when this returns.
    pub async fn write(&self, changes: Vec<FolderChange>) -> Result<(), StateError> {
        self.act(move |connection| {
            let transaction = connection.transaction()?;
            for change in &changes {
                write_change(&transaction, change)?;
            }
            Ok(transaction.commit()?)
        })
        .await
    }

    /// Forgets folders of a portal, in one transaction.
    pub async fn forget(&self, portal: PortalName, ids: Vec<FolderId>) -> Result<(), StateError> {
        self.act(move |connection| {
            let transaction = connection.transaction()?;
            for id in &ids {
                let query = "DELETE FROM folder WHERE portal = ?1 AND id = ?2";
                transaction.execute(query, params![portal.as_str(), id])?;
            }
            Ok(transaction.commit()?)
        })
        .await
    }

    /// Forgets the folders of all portals but these that were counted, or left, before a time.
    pub async fn forget_portals(
        &self,
        but: Vec<String>,
        before: Timestamp,
    ) -> Result<(), StateError> {
        self.act(move |connection| {
            connection.execute(
                "DELETE FROM folder WHERE portal NOT IN (SELECT value FROM json_each(?1))
                 AND coalesce(counted, left_since, 0) < ?2",
                params![Json(but), before],
            )?;
            Ok(())
        })
        .await
    }

    /// Writes when every folder of a portal that was due was last counted.
    pub async fn write_success(&self, portal: PortalName, at: Timestamp) -> Result<(), StateError> {
        let row = PortalRow {
            name: portal.as_str().to_owned(),
            last_success: at,
        };
        self.act(move |connection| Ok(upsert(connection, "portal", &["name"], [row])?))
            .await
    }

    /// Writes what refutes that a portal sorts by status, or that nothing does.
    pub async fn write_refutation(
        &self,
        portal: PortalName,
        refutation: Option<SavedRefutation>,
    ) -> Result<(), StateError> {
        let row = refutation.map(|refutation| RefutationRow {
            portal: portal.as_str().to_owned(),
            address: refutation.address,
            folder: refutation.folder,
            pages: Json(refutation.pages),
        });
        self.act(move |connection| {
            if let Some(row) = row {
                return Ok(upsert(connection, "refutation", &["portal"], [row])?);
            }
            let query = "DELETE FROM refutation WHERE portal = ?1";
            connection.execute(query, [portal.as_str()])?;
            Ok(())
        })
        .await
    }

    async fn act<T: Default + Send + 'static>(
        &self,
        job: impl FnOnce(&mut Connection) -> Result<T, StateError> + Send + 'static,
    ) -> Result<T, StateError> {
        match &self.0 {
            Backend::File(worker) => {
                let done = worker.run(|database| job(&mut database.connection));
                done.await.unwrap_or(Err(StateError::Closed))
            }
            Backend::Refused(error) => Err(error.clone()),
            Backend::Nowhere => Ok(T::default()),
        }
    }
}

fn open(folder: &Path) -> Result<(Database, Saved), StateError> {
    let lock = lock::lock(folder)?;
    let path = folder.join(FILE_NAME);
    let mut connection = Connection::open(&path)?;
    schema::prepare(&mut connection, &path)?;
    let saved = load(&connection, None)?;
    let database = Database {
        connection,
        _lock: lock,
    };
    Ok((database, saved))
}

/// Reads what is saved of one portal, or of all.
fn load(connection: &Connection, portal: Option<&str>) -> Result<Saved, StateError> {
    let mut saved = Saved::default();
    let query = "SELECT * FROM portal WHERE name = coalesce(?1, name)";
    for row in select(connection, query, [portal], PortalRow::read)? {
        saved.portal(row.name).last_success = Some(row.last_success);
    }
    let query = "SELECT * FROM refutation WHERE portal = coalesce(?1, portal)";
    for row in select(connection, query, [portal], RefutationRow::read)? {
        saved.portal(row.portal).refutation = Some(SavedRefutation {
            address: row.address,
            folder: row.folder,
            pages: row.pages.0,
        });
    }
    let query = "SELECT * FROM folder WHERE portal = coalesce(?1, portal)";
    let read = |row: &Row<'_>| load_folder(connection, column(row, "number")?, Record::read(row)?);
    for (portal, id, folder) in select(connection, query, [portal], read)? {
        saved.portal(portal).folders.insert(id, folder);
    }
    Ok(saved)
}

fn load_folder(
    connection: &Connection,
    number: i64,
    row: FolderRow,
) -> Result<(String, FolderId, SavedFolder), StateError> {
    let query = "SELECT * FROM file WHERE folder = ?1";
    let files: Vec<(FileKey, KnownFile)> = select(connection, query, [number], Record::read)?;
    let files = files.into_iter().map(|(key, mut file)| {
        file.settled = file.settled.filter(|status| status.has_reason());
        (key, file)
    });
    let query = "SELECT * FROM place WHERE folder = ?1";
    let slots = select(connection, query, [number], SlotRow::read)?;
    let (portal, id) = (row.portal.clone(), row.id);
    let folder = SavedFolder {
        name: row.name.clone(),
        files: files.collect::<FileHistory>(),
        class_slots: slots.into_iter().map(SlotRow::slot).collect(),
        left: row.left()?,
        excluded: row.excluded_since,
        record: row.record()?,
    };
    Ok((portal, id, folder))
}

fn write_change(transaction: &Transaction<'_>, change: &FolderChange) -> Result<(), StateError> {
    let row = FolderRow::new(change);
    upsert(transaction, "folder", &["portal", "id"], [row])?;
    let query = "SELECT number FROM folder WHERE portal = ?1 AND id = ?2";
    let key = params![change.portal.as_str(), change.id];
    let folder = transaction.query_row(query, key, |row| row.get(0))?;
    transaction.execute("DELETE FROM place WHERE folder = ?1", [folder])?;
    let slots = change.folder.class_slots.iter();
    let slots = slots.map(|slot| (FolderNumber { folder }, SlotRow::new(slot)));
    upsert(transaction, "place", &["folder", "class"], slots)?;
    let files = match &change.folder.files {
        FileChanges::Some { changed, forgotten } => {
            let query = "DELETE FROM file WHERE folder = ?1 AND link = ?2 AND id = ?3";
            let mut delete = transaction.prepare(query)?;
            for key in forgotten {
                let (link, id) = (key.link.to_be_bytes(), key.id.to_be_bytes());
                delete.execute(params![folder, link, id])?;
            }
            changed
        }
        FileChanges::All(files) => {
            transaction.execute("DELETE FROM file WHERE folder = ?1", [folder])?;
            files
        }
    };
    let files = files.iter().map(|file| (FolderNumber { folder }, *file));
    upsert(transaction, "file", &["folder", "link", "id"], files)?;
    Ok(())
}
