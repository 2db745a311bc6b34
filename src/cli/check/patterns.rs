//! Patterns of the configuration that match no folder.

use crate::cli::settings::nearest_name;
use crate::config::{Config, FolderPattern};
use crate::portal::Listing;

/// A sentence for each pattern that matches none of the folders in the lists of all portals, which are in the order of the configuration. Where
/// a list is missing or empty, nothing is known.
pub(super) fn unmatched(config: &Config, listings: &[Option<Listing>]) -> Vec<String> {
    let mut sentences = Vec::new();
    for (index, (portal, listing)) in config.portals.iter().zip(listings).enumerate() {
        let listing = listing
            .as_ref()
            .filter(|listing| !listing.folders.is_empty());
        if let Some(listing) = listing {
            let key = format!("portals[{index}].folders.include");
            let included = portal.folders.included();
            sentences.extend(included.filter_map(|it| sentence(&key, it, &[listing])));
        }
    }
    let all: Option<Vec<_>> = listings.iter().map(Option::as_ref).collect();
    if let Some(all) = all {
        let overrides = config.reindex.overrides.iter().enumerate();
        sentences.extend(overrides.filter_map(|(index, own)| {
            let key = format!("reindex.folders[{index}].match");
            sentence(&key, &own.folders, &all)
        }));
    }
    sentences
}

fn sentence(key: &str, pattern: &FolderPattern, listings: &[&Listing]) -> Option<String> {
    let folders = || listings.iter().flat_map(|listing| &listing.folders);
    if folders().any(|folder| pattern.matches(folder.id, folder.name.label())) {
        return None;
    }
    let names = folders().map(|folder| folder.name.label());
    let near = nearest_name(&pattern.to_string(), names);
    Some(format!("{key}: no folder matches {pattern}{near}"))
}
