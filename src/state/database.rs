//! What is read from the database and written to it.
//!
//! Each folder has a version, which each write increases. A write names the version that it was made from. If another process
//! wrote since, nothing is written, and the version of the database is returned instead. So the counters of a folder never decrease,
//! whichever process writes.

use rusqlite::types::Value;

use crate::config::HiddenPath;
use crate::model::{FolderId, PortalName, Shard, Timestamp};
use crate::sql::{
    Database, SqlError, SqliteFile, StateFolder, Transaction, one_of, to_value, upsert,
};
use crate::state::load::{Versions, load_folder, load_portal};
use crate::state::saved::{FolderChange, SavedFolder, SavedPortal, SavedRefutation};
use crate::state::tables::{PortalRow, RefutationRow};
use crate::state::write::write_change;
use crate::state::{FILE_NAME, SCHEMA};

#[derive(Debug)]
pub(super) struct StateDatabase {
    sql: LazyDatabase,
    /// The versions of the folders as this process knows them.
    versions: Versions,
}

/// A database that is opened with its first use, and with the next one if that failed.
#[derive(Debug)]
struct LazyDatabase {
    // Closed before another process may have the folder.
    open: Option<Database>,
    folder: Option<StateFolder>,
}

impl LazyDatabase {
    fn transaction<T>(
        &mut self,
        work: impl FnOnce(&mut dyn Transaction) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        self.get()?.transaction(work)
    }

    fn get(&mut self) -> Result<&mut Database, SqlError> {
        if let (None, Some(folder)) = (&self.open, &self.folder) {
            let path = folder.hold()?.join(FILE_NAME);
            self.open = Some(Database::Sqlite(SqliteFile::open(&path, &SCHEMA)?));
        }
        self.open.as_mut().ok_or(SqlError::Closed)
    }
}

/// The version of a folder that another process wrote.
pub type Newer = (FolderId, SavedFolder);

impl StateDatabase {
    pub fn in_folder(folder: StateFolder) -> Self {
        Self::new(None, Some(folder))
    }

    pub fn on_server(url_file: &HiddenPath) -> Self {
        Self::new(Some(Database::on_server(url_file, &SCHEMA)), None)
    }

    fn new(open: Option<Database>, folder: Option<StateFolder>) -> Self {
        Self {
            sql: LazyDatabase { open, folder },
            versions: Versions::default(),
        }
    }

    pub fn check_write(&mut self) -> Result<(), SqlError> {
        self.sql.get()?.check_write()
    }

    /// Reads the saved data of one portal, except the folders of other shards.
    pub fn load_portal(
        &mut self,
        portal: &PortalName,
        shard: Shard,
    ) -> Result<SavedPortal, SqlError> {
        let (mut saved, versions) = self
            .sql
            .transaction(|transaction| load_portal(transaction, portal, shard))?;
        self.versions.extend(versions);
        Ok(saved.remove(portal.as_str()).unwrap_or_default())
    }

    /// Writes changes of folders of a portal, all in one transaction, except folders that another process wrote meanwhile: returns
    /// their versions.
    pub fn write(&mut self, mut changes: Vec<FolderChange>) -> Result<Vec<Newer>, SqlError> {
        // All processes lock the rows of folders in one order, so that none waits for another one that waits for it.
        changes.sort_by_key(|change| change.id);
        let known = &self.versions;
        let written = self.sql.transaction(|transaction| {
            let mut newer = Vec::new();
            for change in &changes {
                let versions = known.get(change.portal.as_str());
                let version = versions.and_then(|versions| versions.get(&change.id));
                if !write_change(transaction, change, version.copied().unwrap_or(0))? {
                    let found = load_folder(transaction, &change.portal, change.id)?;
                    newer.extend(found);
                }
            }
            Ok(newer)
        })?;
        for change in &changes {
            let versions = self.versions.entry(change.portal.as_str().to_owned());
            let version = versions.or_default().entry(change.id).or_default();
            let other = written.iter().find(|(id, ..)| *id == change.id);
            *version = other.map_or(*version + 1, |(_, newer, _)| *newer);
        }
        let newer = written.into_iter().map(|(id, _, folder)| (id, folder));
        Ok(newer.collect())
    }

    pub fn forget(&mut self, portal: &PortalName, ids: &[FolderId]) -> Result<(), SqlError> {
        self.sql.transaction(|transaction| {
            for id in ids {
                let query = "DELETE FROM folder WHERE portal = $1 AND id = $2";
                transaction.execute(query, &[to_value(&portal.as_str())?, to_value(id)?])?;
            }
            Ok(())
        })
    }

    pub fn forget_portals(&mut self, but: &[String], before: Timestamp) -> Result<(), SqlError> {
        let mut values: Vec<Value> = vec![to_value(&before)?];
        values.extend(but.iter().map(|name| Value::Text(name.clone())));
        let others = if but.is_empty() {
            String::new()
        } else {
            format!("NOT {} AND ", one_of("portal", 2, but.len()))
        };
        let query =
            format!("DELETE FROM folder WHERE {others}coalesce(counted, left_since, 0) < $1");
        self.sql.transaction(|transaction| {
            transaction.execute(&query, &values)?;
            Ok(())
        })
    }

    pub fn write_success(&mut self, portal: &PortalName, at: Timestamp) -> Result<(), SqlError> {
        let row = PortalRow {
            name: portal.as_str().to_owned(),
            last_success: at,
        };
        self.sql
            .transaction(|transaction| upsert(transaction, "portal", &["name"], [row]))
    }

    pub fn write_refutation(
        &mut self,
        portal: &PortalName,
        refutation: Option<SavedRefutation>,
    ) -> Result<(), SqlError> {
        self.sql.transaction(|transaction| {
            if let Some(refutation) = refutation {
                let row = RefutationRow::new(portal, refutation);
                return upsert(transaction, "refutation", &["portal"], [row]);
            }
            let query = "DELETE FROM refutation WHERE portal = $1";
            transaction.execute(query, &[to_value(&portal.as_str())?])?;
            Ok(())
        })
    }
}
