//! What the configuration can say and this version cannot do yet. Such a setting is an error, never ignored.

use serde_saphyr::{Location, Spanned};

use crate::config::document::Document;
use crate::config::error::Fault;
use crate::config::reindex::{Mode, ReindexKeys};

/// Refuses the first setting whose machinery is not there.
pub(super) fn check(document: &Document) -> Result<(), Fault> {
    mode(&document.reindex, "reindex")?;
    let folders = document
        .reindex
        .folders
        .iter()
        .flat_map(|folders| &folders.value);
    for (index, folder) in folders.enumerate() {
        mode(&folder.value, &format!("reindex.folders[{index}]"))?;
    }
    match &document.state.postgres_url_file {
        Some(file) => Err(unavailable("state.postgres_url_file", file.referenced)),
        None => Ok(()),
    }
}

fn mode(keys: &ReindexKeys, path: &str) -> Result<(), Fault> {
    match &keys.mode {
        Some(Spanned {
            value: mode @ (Mode::DryRun | Mode::Enforce),
            referenced,
            ..
        }) => {
            let key = format!("{path}.mode");
            let message = format!("{} is not available in this version; off is", mode.as_str());
            Err(Fault::about(key, message).at(*referenced))
        }
        _ => Ok(()),
    }
}

fn unavailable(key: &str, place: Location) -> Fault {
    Fault::about(key, "is not available in this version: leave it out").at(place)
}
