//! The table of the classes of error that have a slot in a folder.

use std::sync::Arc;

use rusqlite::{Connection, Row, params};

use crate::classify::{ClassSlot, Version};
use crate::model::{ByStatus, Status, Timestamp};
use crate::state::StateError;

/// Reads the slots of a folder.
pub(super) fn load(connection: &Connection, folder: i64) -> Result<Vec<ClassSlot>, StateError> {
    let mut select = connection.prepare(
        "SELECT class, example, first_seen, last_seen, classifier, failed, flagged, empty_counts, shown
         FROM place WHERE folder = ?1",
    )?;
    let slots = select.query_map([folder], |row| {
        let mut files = ByStatus::default();
        files[Status::Failed] = number(row, 5)?;
        files[Status::Flagged] = number(row, 6)?;
        Ok(ClassSlot {
            class: row.get::<_, Arc<str>>(0)?,
            example: row.get::<_, Arc<str>>(1)?,
            first_seen: Timestamp::from_millis(row.get(2)?),
            last_seen: Timestamp::from_millis(row.get(3)?),
            classifier: row
                .get::<_, Option<String>>(4)?
                .and_then(|version| Version::parse(&version)),
            files,
            empty_counts: row.get(7)?,
            shown: row.get(8)?,
        })
    })?;
    Ok(slots.collect::<Result<_, _>>()?)
}

/// Writes all slots of a folder.
pub(super) fn write(
    connection: &Connection,
    folder: i64,
    slots: &[ClassSlot],
) -> Result<(), StateError> {
    connection.execute("DELETE FROM place WHERE folder = ?1", [folder])?;
    let mut insert = connection.prepare(
        "INSERT INTO place (folder, class, example, first_seen, last_seen, classifier, failed, flagged, empty_counts, shown)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    for slot in slots {
        insert.execute(params![
            folder,
            slot.class,
            slot.example,
            slot.first_seen.as_millis(),
            slot.last_seen.as_millis(),
            slot.classifier.map(|version| version.to_string()),
            signed(slot.files[Status::Failed]),
            signed(slot.files[Status::Flagged]),
            slot.empty_counts,
            slot.shown,
        ])?;
    }
    Ok(())
}

/// A number of files, which the disk keeps as a signed one.
fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let files: i64 = row.get(column)?;
    Ok(u64::try_from(files).unwrap_or(0))
}

fn signed(files: u64) -> i64 {
    i64::try_from(files).unwrap_or(i64::MAX)
}
