//! What is read from the database and written to it.
//!
//! Each folder has a version, which each write increases. A write names the version that it was made from. Where another process
//! wrote since, nothing of the folder is written, and what the database has is returned instead: so whoever writes, the counters of a
//! folder are one sequence.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use rusqlite::types::Value;

use crate::history::{FileHistory, KnownFile};
use crate::model::{FileKey, FileMap, FolderId, PortalName, Shard, Timestamp};
use crate::sql::{
    Database as Sql, Postgres, Record, Row, Server, SqliteFile, Transaction, select, to_value,
    upsert, upsert_statement,
};
use crate::state::saved::{
    FileChanges, FolderChange, Saved, SavedFolder, SavedPortal, SavedRefutation,
};
use crate::state::tables::{FolderNumber, FolderRow, PortalRow, RefutationRow, SlotRow};
use crate::state::{FILE_NAME, POSTGRES_SCHEMA, StateError, lock, schema};

/// How many folders one query reads.
const FOLDERS_AT_ONCE: usize = 1_000;

/// The open database.
#[derive(Debug)]
pub(super) struct Database {
    sql: Sql,
    /// The versions of the folders as this process knows them.
    versions: Versions,
    _lock: Option<File>,
}

pub(super) type Versions = HashMap<String, HashMap<FolderId, i64>>;

/// What another process wrote of a folder.
pub type Newer = (FolderId, SavedFolder);

/// The tables in PostgreSQL.
pub(super) fn server(url_file: &Path) -> Server {
    Server {
        url_file: url_file.to_owned(),
        schema: POSTGRES_SCHEMA,
        steps: &schema::POSTGRES_STEPS,
    }
}

impl Database {
    /// Opens the file in a folder, and locks the folder for this process.
    pub fn open(folder: &Path) -> Result<Self, StateError> {
        let lock = lock::lock(folder)?;
        let path = folder.join(FILE_NAME);
        let mut file = SqliteFile::open(&path)?;
        schema::prepare(&mut file, &path)?;
        Ok(Self::new(Sql::Sqlite(file), Some(lock)))
    }

    /// The database in PostgreSQL. Connects later.
    pub fn on_server(url_file: &Path) -> Self {
        let postgres = Postgres::new(server(url_file));
        Self::new(Sql::Postgres(Box::new(postgres)), None)
    }

    fn new(sql: Sql, lock: Option<File>) -> Self {
        Self {
            sql,
            versions: Versions::default(),
            _lock: lock,
        }
    }

    pub fn check_write(&mut self) -> Result<(), StateError> {
        Ok(self.sql.check_write()?)
    }

    /// Reads what is saved of one portal, but for the folders of other shards.
    pub fn load_portal(
        &mut self,
        portal: &PortalName,
        shard: Shard,
    ) -> Result<SavedPortal, StateError> {
        let (mut saved, versions) = self.sql.transaction(|transaction| {
            let mut saved = load_portals(transaction, Some(portal.as_str()))?;
            let mut versions = Versions::default();
            let numbers = numbers(transaction, portal, shard)?;
            for numbers in numbers.chunks(FOLDERS_AT_ONCE) {
                let condition = one_of("number", 1, numbers.len());
                let loaded = load_folders(transaction, &condition, numbers)?;
                add(&mut saved, &mut versions, loaded);
            }
            Ok::<_, StateError>((saved, versions))
        })?;
        self.versions.extend(versions);
        Ok(saved.take(portal))
    }

    /// Reads what is saved of all portals.
    pub fn load(&mut self) -> Result<Saved, StateError> {
        let (saved, versions) = self.sql.transaction(load)?;
        self.versions.extend(versions);
        Ok(saved)
    }

    /// Writes what is new about folders of a portal, all in one transaction, but for those of which another process wrote meanwhile:
    /// returns what that wrote.
    pub fn write(&mut self, changes: &[FolderChange]) -> Result<Vec<Newer>, StateError> {
        let known = &self.versions;
        let written = self.sql.transaction(|transaction| {
            let mut newer = Vec::new();
            for change in changes {
                let versions = known.get(change.portal.as_str());
                let version = versions.and_then(|versions| versions.get(&change.id));
                if !write_change(transaction, change, version.copied().unwrap_or(0))? {
                    let found = load_folder(transaction, &change.portal, change.id)?;
                    newer.extend(found);
                }
            }
            Ok::<_, StateError>(newer)
        })?;
        for change in changes {
            let versions = self.versions.entry(change.portal.as_str().to_owned());
            let version = versions.or_default().entry(change.id).or_default();
            let other = written.iter().find(|(id, ..)| *id == change.id);
            *version = other.map_or(*version + 1, |(_, newer, _)| *newer);
        }
        let newer = written.into_iter().map(|(id, _, folder)| (id, folder));
        Ok(newer.collect())
    }

    pub fn forget(&mut self, portal: &PortalName, ids: &[FolderId]) -> Result<(), StateError> {
        self.sql.transaction(|transaction| {
            for id in ids {
                let query = "DELETE FROM folder WHERE portal = $1 AND id = $2";
                transaction.execute(query, &[text(portal.as_str()), to_value(id)?])?;
            }
            Ok(())
        })
    }

    pub fn forget_portals(&mut self, but: &[String], before: Timestamp) -> Result<(), StateError> {
        let mut values: Vec<Value> = vec![to_value(&before)?];
        values.extend(but.iter().map(|name| text(name)));
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

    pub fn write_success(&mut self, portal: &PortalName, at: Timestamp) -> Result<(), StateError> {
        let row = PortalRow {
            name: portal.as_str().to_owned(),
            last_success: at,
        };
        self.sql
            .transaction(|transaction| Ok(upsert(transaction, "portal", &["name"], [row])?))
    }

    pub fn write_refutation(
        &mut self,
        portal: &PortalName,
        refutation: Option<SavedRefutation>,
    ) -> Result<(), StateError> {
        self.sql.transaction(|transaction| {
            if let Some(refutation) = refutation {
                let row = RefutationRow::new(portal, refutation);
                return Ok(upsert(transaction, "refutation", &["portal"], [row])?);
            }
            let query = "DELETE FROM refutation WHERE portal = $1";
            transaction.execute(query, &[text(portal.as_str())])?;
            Ok(())
        })
    }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// A folder, and its version.
type Loaded = (FolderId, i64, SavedFolder);

/// Reads what is saved of all portals.
pub(super) fn load(transaction: &mut dyn Transaction) -> Result<(Saved, Versions), StateError> {
    let mut saved = load_portals(transaction, None)?;
    let mut versions = Versions::default();
    let loaded = load_folders(transaction, "true", &[])?;
    add(&mut saved, &mut versions, loaded);
    Ok((saved, versions))
}

/// Reads what is saved of one portal, or of all, without folders.
fn load_portals(
    transaction: &mut dyn Transaction,
    portal: Option<&str>,
) -> Result<Saved, StateError> {
    let mut saved = Saved::default();
    let portal = [to_value(&portal)?];
    let query = "SELECT * FROM portal WHERE name = coalesce($1, name)";
    for row in select(transaction, query, &portal, PortalRow::read)? {
        saved.portal(row.name).last_success = Some(row.last_success);
    }
    let query = "SELECT * FROM refutation WHERE portal = coalesce($1, portal)";
    for row in select(transaction, query, &portal, RefutationRow::read)? {
        let name = row.portal.clone();
        saved.portal(name).refutation = Some(row.refutation());
    }
    Ok(saved)
}

/// The numbers of the folders of a shard.
fn numbers(
    transaction: &mut dyn Transaction,
    portal: &PortalName,
    shard: Shard,
) -> Result<Vec<Value>, StateError> {
    let query = "SELECT number, id FROM folder WHERE portal = $1";
    let folders = transaction.query(query, &[text(portal.as_str())])?;
    let mut numbers = Vec::new();
    for folder in folders {
        if shard.owns(portal, folder.get("id")?) {
            numbers.push(Value::Integer(folder.get("number")?));
        }
    }
    Ok(numbers)
}

/// A condition: the column is one of so many values, from the parameter `first` on.
fn one_of(column: &str, first: usize, values: usize) -> String {
    let numbers: Vec<String> = (first..first + values)
        .map(|number| format!("${number}"))
        .collect();
    format!("{column} IN ({})", numbers.join(", "))
}

fn add(saved: &mut Saved, versions: &mut Versions, loaded: Vec<(String, Loaded)>) {
    for (portal, (id, version, folder)) in loaded {
        let known = versions.entry(portal.clone()).or_default();
        known.insert(id, version);
        saved.portal(portal).folders.insert(id, folder);
    }
}

fn load_folder(
    transaction: &mut dyn Transaction,
    portal: &PortalName,
    id: FolderId,
) -> Result<Option<Loaded>, StateError> {
    let key = [text(portal.as_str()), to_value(&id)?];
    // In the form of the key of the table, so that its index is used.
    let found = load_folders(transaction, "(portal, id) = ($1, $2)", &key)?;
    Ok(found.into_iter().next().map(|(_, loaded)| loaded))
}

/// Reads the folders that fulfil a condition, each with the name of its portal.
fn load_folders(
    transaction: &mut dyn Transaction,
    condition: &str,
    values: &[Value],
) -> Result<Vec<(String, Loaded)>, StateError> {
    let of_folders = |table: &str| {
        format!(
            "SELECT * FROM {table} WHERE folder IN (SELECT number FROM folder WHERE {condition})"
        )
    };
    let mut files: HashMap<i64, FileMap<KnownFile>> = HashMap::new();
    let mut slots: HashMap<i64, Vec<SlotRow>> = HashMap::new();
    for row in transaction.query(&of_folders("file"), values)? {
        let (key, mut file): (FileKey, KnownFile) = Record::read(&row)?;
        file.settled = file.settled.filter(|status| status.has_reason());
        files
            .entry(row.get("folder")?)
            .or_default()
            .insert(key, file);
    }
    for row in transaction.query(&of_folders("place"), values)? {
        let slots = slots.entry(row.get("folder")?).or_default();
        slots.push(SlotRow::read(&row)?);
    }
    let query = format!("SELECT * FROM folder WHERE {condition}");
    select(transaction, &query, values, |row: &Row| {
        let number: i64 = row.get("number")?;
        let version = row.get("version")?;
        let row = FolderRow::read(row)?;
        let mut slots = slots.remove(&number).unwrap_or_default();
        // Engines return rows in different orders.
        slots.sort_by(|one, other| one.class.cmp(&other.class));
        let folder = SavedFolder {
            name: row.name.clone(),
            files: files
                .remove(&number)
                .unwrap_or_default()
                .into_iter()
                .collect::<FileHistory>(),
            class_slots: slots.into_iter().map(SlotRow::slot).collect(),
            left: row.left()?,
            excluded: row.excluded_since,
            record: None,
        };
        let (portal, id) = (row.portal.clone(), row.id);
        let record = row.record()?;
        Ok((portal, (id, version, SavedFolder { record, ..folder })))
    })
}

/// Writes a change that was made from a version. Returns whether that is the version of the folder.
fn write_change(
    transaction: &mut dyn Transaction,
    change: &FolderChange,
    version: i64,
) -> Result<bool, StateError> {
    let mut columns = FolderRow::columns();
    columns.push("version");
    let mut values = FolderRow::new(change).values()?;
    values.extend([Value::Integer(version + 1), Value::Integer(version)]);
    let statement = upsert_statement("folder", &["portal", "id"], &columns, 1);
    let statement = format!(
        "{statement} WHERE folder.version = ${} RETURNING number",
        values.len()
    );
    let written = transaction.query(&statement, &values)?;
    let Some(row) = written.first() else {
        return Ok(false);
    };
    let folder: i64 = row.get("number")?;
    let number = [Value::Integer(folder)];
    transaction.execute("DELETE FROM place WHERE folder = $1", &number)?;
    let slots = change.folder.class_slots.iter();
    let slots = slots.map(|slot| (FolderNumber { folder }, SlotRow::new(slot)));
    upsert(transaction, "place", &["folder", "class"], slots)?;
    let files = match &change.folder.files {
        FileChanges::Some { changed, forgotten } => {
            for key in forgotten {
                let query = "DELETE FROM file WHERE folder = $1 AND link = $2 AND id = $3";
                let mut values = number.to_vec();
                values.extend(key.values()?);
                transaction.execute(query, &values)?;
            }
            changed
        }
        FileChanges::All(files) => {
            transaction.execute("DELETE FROM file WHERE folder = $1", &number)?;
            files
        }
    };
    let files = files.iter().map(|file| (FolderNumber { folder }, *file));
    upsert(transaction, "file", &["folder", "link", "id"], files)?;
    Ok(true)
}
