//! Patterns of the configuration that no folder matches, and a key that may use no folder: most are misspelt or forgotten.

use crate::config::{Config, FolderPattern, Portal, nearest};
use crate::model::FolderId;
use crate::portal::Listing;

/// What keeps folders of a portal from being watched, although everything answers.
pub(super) fn unmatched(portal: &Portal, index: usize, listing: &Listing) -> Vec<String> {
    if listing.folders.is_empty() {
        return vec!["the key may use no folder: add folders to it in the portal".to_owned()];
    }
    let key = format!("portals[{index}].folders.include");
    let included = portal.folders.included();
    included
        .filter_map(|pattern| sentence(&key, pattern, &[listing]))
        .collect()
}

/// Patterns of folders to reindex that match nothing in any portal.
pub(super) fn unmatched_overrides(config: &Config, listings: &[&Listing]) -> Vec<String> {
    let overrides = config.reindex.overrides.iter().enumerate();
    let sentences = overrides.filter_map(|(index, other)| {
        let key = format!("reindex.folders[{index}].match");
        sentence(&key, &other.folders, listings)
    });
    sentences.collect()
}

fn sentence(key: &str, pattern: &FolderPattern, listings: &[&Listing]) -> Option<String> {
    let folders = || listings.iter().flat_map(|listing| &listing.folders);
    let matches = |id: FolderId, name: &str| pattern.matches(id, name);
    if folders().any(|folder| matches(folder.id, folder.name.label())) {
        return None;
    }
    let names = folders().map(|folder| folder.name.label());
    let near = nearest(&pattern.to_string(), names, 0.0);
    let near = near.map(|near| format!("; the nearest name is {near:?}"));
    let near = near.unwrap_or_default();
    Some(format!("{key}: no folder matches {pattern}{near}"))
}
