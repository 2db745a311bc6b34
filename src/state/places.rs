//! The table of the classes of error that have a place in a folder.

use std::sync::Arc;

use rusqlite::{Connection, params};

use crate::classify::{Place, Version};
use crate::model::Timestamp;
use crate::state::StateError;

/// Reads the places of a folder.
pub(super) fn load(connection: &Connection, folder: i64) -> Result<Vec<Place>, StateError> {
    let mut select = connection.prepare(
        "SELECT class, example, first_seen, last_seen, classifier FROM place WHERE folder = ?1",
    )?;
    let places = select.query_map([folder], |row| {
        Ok(Place {
            class: row.get::<_, Arc<str>>(0)?,
            example: row.get::<_, Arc<str>>(1)?,
            first_seen: Timestamp::from_millis(row.get(2)?),
            last_seen: Timestamp::from_millis(row.get(3)?),
            classifier: row
                .get::<_, Option<String>>(4)?
                .and_then(|version| Version::parse(&version)),
        })
    })?;
    Ok(places.collect::<Result<_, _>>()?)
}

/// Writes all places of a folder.
pub(super) fn write(
    connection: &Connection,
    folder: i64,
    places: &[Place],
) -> Result<(), StateError> {
    connection.execute("DELETE FROM place WHERE folder = ?1", [folder])?;
    let mut insert = connection.prepare(
        "INSERT INTO place (folder, class, example, first_seen, last_seen, classifier) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for place in places {
        insert.execute(params![
            folder,
            place.class,
            place.example,
            place.first_seen.as_millis(),
            place.last_seen.as_millis(),
            place.classifier.map(|version| version.to_string()),
        ])?;
    }
    Ok(())
}
