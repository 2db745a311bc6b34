//! Reads the tables.

use std::collections::{HashMap, HashSet};

use rusqlite::types::Value;

use crate::classify::Class;
use crate::history::{Departure, KnownFile};
use crate::model::{FileKey, FileMap, FolderId, PortalName, Shard};
use crate::sql::{Record, SqlError, Transaction, one_of, select, to_value};
use crate::state::saved::{SavedFolder, SavedPortal};
use crate::state::tables::{FolderRows, PortalRow, RefutationRow, SlotRow};

/// How many folders one query reads.
const FOLDERS_AT_ONCE: usize = 1_000;

/// The saved data, by the names of the portals.
pub(super) type Saved = HashMap<String, SavedPortal>;

/// The versions of folders, by portal.
pub(super) type Versions = HashMap<String, HashMap<FolderId, i64>>;

type Loaded = (FolderId, i64, SavedFolder);

/// Reads the saved data of all portals.
pub(super) fn load(transaction: &mut dyn Transaction) -> Result<(Saved, Versions), SqlError> {
    let mut saved = load_portals(transaction, None)?;
    let mut versions = Versions::default();
    let loaded = load_folders(transaction, "true", &[])?;
    add(&mut saved, &mut versions, loaded);
    Ok((saved, versions))
}

/// Reads the saved data of one portal, except the folders of other shards.
pub(super) fn load_portal(
    transaction: &mut dyn Transaction,
    portal: &PortalName,
    shard: Shard,
) -> Result<(Saved, Versions), SqlError> {
    let mut saved = load_portals(transaction, Some(portal.as_str()))?;
    let mut versions = Versions::default();
    let numbers = numbers(transaction, portal, shard)?;
    for numbers in numbers.chunks(FOLDERS_AT_ONCE) {
        let condition = one_of("number", 1, numbers.len());
        let loaded = load_folders(transaction, &condition, numbers)?;
        add(&mut saved, &mut versions, loaded);
    }
    Ok((saved, versions))
}

/// Reads the saved data of one portal, or of all, without folders.
fn load_portals(
    transaction: &mut dyn Transaction,
    portal: Option<&str>,
) -> Result<Saved, SqlError> {
    let mut saved = Saved::default();
    let portal = [to_value(&portal)?];
    let query = "SELECT * FROM portal WHERE name = coalesce($1, name)";
    for row in select(transaction, query, &portal, PortalRow::read)? {
        saved.entry(row.name).or_default().last_success = Some(row.last_success);
    }
    let query = "SELECT * FROM refutation WHERE portal = coalesce($1, portal)";
    for row in select(transaction, query, &portal, RefutationRow::read)? {
        let name = row.portal.clone();
        saved.entry(name).or_default().refutation = Some(row.refutation());
    }
    Ok(saved)
}

/// The numbers of the folders of a shard.
fn numbers(
    transaction: &mut dyn Transaction,
    portal: &PortalName,
    shard: Shard,
) -> Result<Vec<Value>, SqlError> {
    let query = "SELECT number, id FROM folder WHERE portal = $1";
    let folders = transaction.query(query, &[to_value(&portal.as_str())?])?;
    let mut numbers = Vec::new();
    for folder in folders {
        if shard.owns(portal, folder.get("id")?) {
            numbers.push(Value::Integer(folder.get("number")?));
        }
    }
    Ok(numbers)
}

fn add(saved: &mut Saved, versions: &mut Versions, loaded: Vec<(String, Loaded)>) {
    for (portal, (id, version, folder)) in loaded {
        let known = versions.entry(portal.clone()).or_default();
        known.insert(id, version);
        let saved = saved.entry(portal).or_default();
        saved.folders.insert(id, folder);
    }
}

pub(super) fn load_folder(
    transaction: &mut dyn Transaction,
    portal: &PortalName,
    id: FolderId,
) -> Result<Option<Loaded>, SqlError> {
    let key = [to_value(&portal.as_str())?, to_value(&id)?];
    // In the form of the key of the table, so that its index is used.
    let found = load_folders(transaction, "(portal, id) = ($1, $2)", &key)?;
    Ok(found.into_iter().next().map(|(_, loaded)| loaded))
}

/// Reads the folders that fulfil a condition, each with the name of its portal.
fn load_folders(
    transaction: &mut dyn Transaction,
    condition: &str,
    values: &[Value],
) -> Result<Vec<(String, Loaded)>, SqlError> {
    let of_folders = |table: &str| {
        format!(
            "SELECT * FROM {table} WHERE folder IN (SELECT number FROM folder WHERE {condition})"
        )
    };
    let mut files: HashMap<i64, FileMap<KnownFile>> = HashMap::new();
    let mut slots: HashMap<i64, Vec<SlotRow>> = HashMap::new();
    let mut classes = HashSet::new();
    for row in transaction.query(&of_folders("file"), values)? {
        let (key, mut file): (FileKey, KnownFile) = Record::read(&row)?;
        file.settled = file.settled.filter(|status| status.has_reason());
        file.class = file.class.map(|class| shared(&mut classes, class));
        files
            .entry(row.get("folder")?)
            .or_default()
            .insert(key, file);
    }
    for row in transaction.query(&of_folders("slot"), values)? {
        let slots = slots.entry(row.get("folder")?).or_default();
        slots.push(SlotRow::read(&row)?);
    }
    let query = format!("SELECT * FROM folder WHERE {condition}");
    select(transaction, &query, values, |row| {
        let number: i64 = row.get("number")?;
        let version = row.get("version")?;
        let (row, (left, (count, full_read))) = FolderRows::read(row)?;
        let mut slots = slots.remove(&number).unwrap_or_default();
        // Engines return rows in different orders.
        slots.sort_by(|one, other| one.class.cmp(&other.class));
        let files = files.remove(&number).unwrap_or_default();
        let folder = SavedFolder {
            record: count.map(|count| count.record(full_read)),
            name: row.name,
            files: files.into_iter().collect(),
            class_slots: slots.into_iter().map(SlotRow::slot).collect(),
            left: left.map(Departure::from),
            excluded: row.excluded_since,
        };
        Ok((row.portal, (row.id, version, folder)))
    })
}

/// A class that shares its text with equal ones.
fn shared(classes: &mut HashSet<Class>, class: Class) -> Class {
    if let Some(shared) = classes.get(&class) {
        return shared.clone();
    }
    classes.insert(class.clone());
    class
}
