//! Patterns of the configuration that match no folder.

use crate::cli::settings::nearest_name;
use crate::config::{Config, FolderPattern};
use crate::model::FolderId;
use crate::portal::Listing;

/// A sentence for each pattern that matches none of the folders in the lists of all portals, which are in the order of the configuration. Where
/// a list is missing or empty, nothing is known.
pub(super) fn unmatched(config: &Config, listings: &[Option<Listing>]) -> Vec<String> {
    let mut sentences = Vec::new();
    for (index, (portal, listing)) in config.portals.iter().zip(listings).enumerate() {
        let Some(listing) = listing
            .as_ref()
            .filter(|listing| !listing.folders.is_empty())
        else {
            continue;
        };
        let key = format!("portals[{index}].folders.include");
        let unmatched = portal.folders.unmatched(names(listing));
        sentences.extend(unmatched.map(|it| sentence(&key, it, names(listing))));
    }
    let all: Option<Vec<_>> = listings.iter().map(Option::as_ref).collect();
    for (index, own) in config.reindex.overrides.iter().enumerate() {
        let mut folders = all.iter().flatten().copied().flat_map(names);
        let named = folders.clone();
        if all.is_some() && !folders.any(|(id, name)| own.folders.matches(id, name)) {
            let key = format!("reindex.folders[{index}].match");
            sentences.push(sentence(&key, &own.folders, named));
        }
    }
    sentences
}

fn names(listing: &Listing) -> impl Iterator<Item = (FolderId, &str)> + Clone {
    let folders = listing.folders.iter();
    folders.map(|folder| (folder.id, folder.name.label()))
}

fn sentence<'f>(
    key: &str,
    pattern: &FolderPattern,
    folders: impl Iterator<Item = (FolderId, &'f str)>,
) -> String {
    let near = nearest_name(&pattern.to_string(), folders.map(|(_, name)| name));
    format!("{key}: no folder matches {pattern}{near}")
}
