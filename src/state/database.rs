//! Reading and writing the tables.

use std::fs::File;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::history::{
    Coverage, Departure, DepartureReason, FileHistory, FolderRecord, FullRead, IndexingTimes,
    KnownFile,
};
use crate::model::{ByStatus, FileKey, FolderId, FolderName, PortalName, Status, Timestamp};
use crate::state::rows::{
    FileChanges, FolderChange, Saved, SavedFolder, SavedPortal, SavedRefutation,
};
use crate::state::{FILE_NAME, StateError, class_slots, lock, refutations, schema};

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

    /// Reads what is kept of one portal.
    pub fn load_portal(&mut self, portal: &PortalName) -> Result<SavedPortal, StateError> {
        Ok(self.load_where(Some(portal))?.take(portal))
    }

    fn load_where(&self, portal: Option<&PortalName>) -> Result<Saved, StateError> {
        let portal = portal.map(PortalName::as_str);
        let mut saved = Saved::default();
        let mut portals = self
            .connection
            .prepare("SELECT name, last_success FROM portal WHERE name = coalesce(?1, name)")?;
        let mut rows = portals.query([portal])?;
        while let Some(row) = rows.next()? {
            let at = Timestamp::from_millis(row.get(1)?);
            saved.portal(row.get(0)?).last_success = Some(at);
        }
        for (name, refutation) in refutations::load(&self.connection, portal)? {
            saved.portal(name).refutation = Some(refutation);
        }
        let mut folders = self
            .connection
            .prepare("SELECT * FROM folder WHERE portal = coalesce(?1, portal)")?;
        let mut rows = folders.query([portal])?;
        while let Some(row) = rows.next()? {
            let id: String = row.get("id")?;
            let id = FolderId::parse(&id).ok_or(StateError::Content("a folder's id"))?;
            let folder = self.folder(row)?;
            saved.portal(row.get("portal")?).folders.insert(id, folder);
        }
        Ok(saved)
    }

    fn folder(&self, row: &Row<'_>) -> Result<SavedFolder, StateError> {
        let name = FolderName::new(&row.get::<_, String>("name")?);
        Ok(SavedFolder {
            record: record(row, &name)?,
            history: self.history(row.get("number")?)?,
            class_slots: class_slots::load(&self.connection, row.get("number")?)?,
            left: left(row)?,
            excluded: time(row, "excluded_since")?,
            name,
        })
    }

    fn history(&self, number: i64) -> Result<FileHistory, StateError> {
        let mut files = self.connection.prepare(
            "SELECT link, id, status, settled, since, timed_from, missed FROM file WHERE folder = ?1",
        )?;
        let mut rows = files.query([number])?;
        let mut history = Vec::new();
        while let Some(row) = rows.next()? {
            history.push(file(row)?);
        }
        Ok(history.into_iter().collect())
    }

    /// Writes folders, all in one transaction.
    pub fn write(&mut self, changes: &[FolderChange]) -> Result<(), StateError> {
        let transaction = self.connection.transaction()?;
        for change in changes {
            write_change(&transaction, change)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Forgets folders of a portal, all in one transaction.
    pub fn forget_folders(&mut self, portal: &str, ids: &[FolderId]) -> Result<(), StateError> {
        let transaction = self.connection.transaction()?;
        {
            let mut delete =
                transaction.prepare("DELETE FROM folder WHERE portal = ?1 AND id = ?2")?;
            for id in ids {
                delete.execute(params![portal, id.to_string()])?;
            }
        }
        transaction.commit()?;
        Ok(())
    }

    /// Forgets the folders of all portals but these that were counted, or left, before a time.
    pub fn forget_portals(&mut self, but: &[String], before: Timestamp) -> Result<(), StateError> {
        let but = serde_json::to_string(but).map_err(|_| StateError::Content("names"))?;
        self.connection.execute(
            "DELETE FROM folder WHERE portal NOT IN (SELECT value FROM json_each(?1))
             AND coalesce(counted, left_since, 0) < ?2",
            params![but, before.as_millis()],
        )?;
        Ok(())
    }

    /// Writes what refutes that a portal sorts by status, or that nothing does.
    pub fn write_refutation(
        &mut self,
        portal: &PortalName,
        refutation: Option<&SavedRefutation>,
    ) -> Result<(), StateError> {
        refutations::write(&self.connection, portal, refutation)
    }

    /// Writes the time of a portal's last whole collection.
    pub fn write_success(&mut self, portal: &str, at: i64) -> Result<(), StateError> {
        self.connection.execute(
            "INSERT INTO portal (name, last_success) VALUES (?1, ?2)
             ON CONFLICT (name) DO UPDATE SET last_success = excluded.last_success",
            params![portal, at],
        )?;
        Ok(())
    }
}

fn write_change(transaction: &Transaction<'_>, change: &FolderChange) -> Result<(), StateError> {
    let number = write_folder(transaction, change)?;
    transaction.execute(
        "UPDATE folder SET excluded_since = ?2 WHERE number = ?1",
        params![number, change.excluded.map(Timestamp::as_millis)],
    )?;
    class_slots::write(transaction, number, &change.class_slots)?;
    match &change.files {
        FileChanges::Some { kept, forgotten } => {
            forget(transaction, number, forgotten)?;
            keep(transaction, number, kept)?;
        }
        FileChanges::All(files) => {
            transaction.execute("DELETE FROM file WHERE folder = ?1", [number])?;
            keep(transaction, number, files)?;
        }
    }
    Ok(())
}

fn write_folder(transaction: &Transaction<'_>, change: &FolderChange) -> Result<i64, StateError> {
    let record = change.record.as_ref();
    let millis = |at: fn(&FolderRecord) -> Timestamp| record.map(|record| at(record).as_millis());
    let full_read = record.and_then(|record| record.full_read);
    transaction.execute(
        "INSERT INTO folder (portal, id, name, began, counted, full_read, counts, whole, entries, indexing,
                             left_reason, left_since, first_counted, sizes, base, torn)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
         ON CONFLICT (portal, id) DO UPDATE SET
             name = excluded.name, began = excluded.began, counted = excluded.counted,
             full_read = excluded.full_read, counts = excluded.counts, whole = excluded.whole,
             entries = excluded.entries, indexing = excluded.indexing,
             left_reason = excluded.left_reason, left_since = excluded.left_since,
             first_counted = excluded.first_counted, sizes = excluded.sizes,
             base = excluded.base, torn = excluded.torn",
        params![
            change.subject.portal.as_str(),
            change.subject.id.to_string(),
            change.subject.name.label(),
            millis(|record| record.began),
            millis(|record| record.counted),
            full_read.map(|full| full.at.as_millis()),
            record.map(|record| by_status(&record.counts)).transpose()?,
            record.map(|record| by_status(&whole(record))).transpose()?,
            record.map(|record| by_status(&record.entries)).transpose()?,
            record.map(|record| indexing(&record.indexing)).transpose()?,
            change.left.map(|left| left_word(left.reason)),
            change.left.map(|left| left.since.as_millis()),
            millis(|record| record.first_counted),
            full_read.map(|full| by_status(&full.sizes)).transpose()?,
            record.and_then(|record| record.base).map(|base| by_status(&base)).transpose()?,
            record.map(|record| by_status(&torn(record))).transpose()?,
        ],
    )?;
    let number = transaction
        .query_row(
            "SELECT number FROM folder WHERE portal = ?1 AND id = ?2",
            params![
                change.subject.portal.as_str(),
                change.subject.id.to_string()
            ],
            |row| row.get(0),
        )
        .optional()?;
    number.ok_or(StateError::Content(
        "a folder that was just written is missing",
    ))
}

fn keep(
    transaction: &Transaction<'_>,
    number: i64,
    files: &[(FileKey, KnownFile)],
) -> Result<(), StateError> {
    let mut insert = transaction.prepare(
        "INSERT OR REPLACE INTO file (folder, link, id, status, settled, since, timed_from, missed)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    for (key, file) in files {
        insert.execute(params![
            number,
            key.link.to_be_bytes(),
            key.id.to_be_bytes(),
            file.status.as_str(),
            file.settled.map(Status::as_str),
            file.since.as_millis(),
            file.timed_from.map(Timestamp::as_millis),
            file.missed,
        ])?;
    }
    Ok(())
}

fn forget(transaction: &Transaction<'_>, number: i64, files: &[FileKey]) -> Result<(), StateError> {
    let mut delete =
        transaction.prepare("DELETE FROM file WHERE folder = ?1 AND link = ?2 AND id = ?3")?;
    for key in files {
        delete.execute(params![
            number,
            key.link.to_be_bytes(),
            key.id.to_be_bytes()
        ])?;
    }
    Ok(())
}

fn record(row: &Row<'_>, name: &FolderName) -> Result<Option<FolderRecord>, StateError> {
    let Some(counted) = time(row, "counted")? else {
        return Ok(None);
    };
    let durations: [u64; 8] = json(row, "indexing")?;
    let [buckets @ .., count, sum_millis] = durations;
    Ok(Some(FolderRecord {
        first_counted: time(row, "first_counted")?.unwrap_or(counted),
        name: name.clone(),
        began: time(row, "began")?.unwrap_or(counted),
        counted,
        full_read: full_read(row)?,
        counts: from_array(json(row, "counts")?),
        base: optional(row, "base")?.map(from_array),
        coverage: coverage(row)?,
        entries: from_array(json(row, "entries")?),
        indexing: IndexingTimes {
            buckets,
            count,
            sum_millis,
        },
    }))
}

/// The last full read; none where its sizes are not known, so that the folder is read in full again soon.
fn full_read(row: &Row<'_>) -> Result<Option<FullRead>, StateError> {
    let sizes = optional(row, "sizes")?.map(from_array);
    let full = time(row, "full_read")?.zip(sizes);
    Ok(full.map(|(at, sizes)| FullRead { at, sizes }))
}

/// Which statuses a whole read listed.
fn whole(record: &FolderRecord) -> ByStatus<bool> {
    ByStatus::from_fn(|status| !matches!(record.coverage[status], Coverage::Torn(_)))
}

/// How many torn reads listed each of the others. For one that was whole: 1 where that was the first.
fn torn(record: &FolderRecord) -> ByStatus<u8> {
    ByStatus::from_fn(|status| match record.coverage[status] {
        Coverage::Whole => 0,
        Coverage::Once => 1,
        Coverage::Torn(reads) => reads,
    })
}

fn coverage(row: &Row<'_>) -> Result<ByStatus<Coverage>, StateError> {
    let whole: ByStatus<bool> = from_array(json(row, "whole")?);
    let torn: ByStatus<u8> = from_array(optional(row, "torn")?.unwrap_or_default());
    Ok(ByStatus::from_fn(|status| {
        match (whole[status], torn[status]) {
            (true, 0) => Coverage::Whole,
            (true, _) => Coverage::Once,
            (false, reads) => Coverage::Torn(reads),
        }
    }))
}

fn left(row: &Row<'_>) -> Result<Option<Departure>, StateError> {
    let reason: Option<String> = row.get("left_reason")?;
    let reason = match reason.as_deref() {
        None => return Ok(None),
        Some("gone") => DepartureReason::Gone,
        Some("unlisted") => DepartureReason::Unlisted,
        Some(_) => return Err(StateError::Content("why a folder left")),
    };
    let since = time(row, "left_since")?.ok_or(StateError::Content("when a folder left"))?;
    Ok(Some(Departure { reason, since }))
}

fn file(row: &Row<'_>) -> Result<(FileKey, KnownFile), StateError> {
    let key = FileKey {
        link: u128::from_be_bytes(row.get("link")?),
        id: u128::from_be_bytes(row.get("id")?),
    };
    let settled: Option<String> = row.get("settled")?;
    let file = KnownFile {
        status: Status::from_word(&row.get::<_, String>("status")?),
        settled: settled
            .map(|word| Status::from_word(&word))
            .filter(|status| status.has_reason()),
        since: Timestamp::from_millis(row.get("since")?),
        timed_from: time(row, "timed_from")?,
        missed: row.get("missed")?,
    };
    Ok((key, file))
}

fn time(row: &Row<'_>, column: &str) -> Result<Option<Timestamp>, StateError> {
    let millis: Option<i64> = row.get(column)?;
    Ok(millis.map(Timestamp::from_millis))
}

fn by_status<T: Copy + Serialize>(values: &ByStatus<T>) -> Result<String, StateError> {
    let values: Vec<T> = values.iter().map(|(_, value)| *value).collect();
    serde_json::to_string(&values).map_err(|_| StateError::Content("values by status"))
}

fn from_array<T: Copy>(values: [T; 6]) -> ByStatus<T> {
    ByStatus::from_fn(|status| values[status as usize])
}

fn indexing(times: &IndexingTimes) -> Result<String, StateError> {
    let mut values = times.buckets.to_vec();
    values.extend([times.count, times.sum_millis]);
    serde_json::to_string(&values).map_err(|_| StateError::Content("indexing times"))
}

fn json<T: DeserializeOwned>(row: &Row<'_>, column: &'static str) -> Result<T, StateError> {
    optional(row, column)?.ok_or(StateError::Content(column))
}

fn optional<T: DeserializeOwned>(
    row: &Row<'_>,
    column: &'static str,
) -> Result<Option<T>, StateError> {
    let text: Option<String> = row.get(column)?;
    let value = text.map(|text| serde_json::from_str(&text)).transpose();
    value.map_err(|_| StateError::Content(column))
}

fn left_word(reason: DepartureReason) -> &'static str {
    match reason {
        DepartureReason::Gone => "gone",
        DepartureReason::Unlisted => "unlisted",
    }
}
