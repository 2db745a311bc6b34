//! What a check found, as a table for people and as a document, and whether all can be collected.

use std::iter::zip;
use std::sync::Arc;

use anyhow::Result;
use serde_json::{Value, json};

use crate::cli::scan::tables;
use crate::cli::settings::nearest_name;
use crate::cli::table::{Table, known};
use crate::cli::{document, output};
use crate::clock::Moment;
use crate::config::{Config, FolderPattern, Portal};
use crate::health::{self, Conditions, Health};
use crate::model::FolderId;
use crate::portal::Listing;
use crate::snapshot::{PortalView, Snapshot};

/// A portal that was tested.
#[derive(Debug)]
pub(super) struct Tested {
    pub view: PortalView,
    /// The folders of the key, if their list could be read.
    pub listing: Option<Listing>,
    /// Mistakes of the configuration that this portal shows.
    pub mistakes: Vec<String>,
}

/// All portals, in the order of the configuration.
#[derive(Debug)]
pub(super) struct Report {
    health: Health,
    /// Mistakes of the configuration that each portal shows.
    mistakes: Vec<Vec<String>>,
    /// Those that concern no portal alone.
    others: Vec<String>,
}

impl Report {
    pub fn new(config: &Config, tested: Vec<Tested>) -> Self {
        let listings = tested.iter().map(|portal| portal.listing.as_ref());
        let listings: Option<Vec<_>> = listings.collect();
        let others = listings.map(|listings| unmatched_overrides(config, &listings));
        let others = others.unwrap_or_default();
        let tested = tested.into_iter();
        let (portals, mistakes) = tested
            .map(|portal| (Arc::new(portal.view), portal.mistakes))
            .unzip();
        let snapshot = Snapshot {
            portals,
            ..Snapshot::default()
        };
        Self {
            health: health::judge(&snapshot, Conditions::default(), Moment::now()),
            mistakes,
            others,
        }
    }

    pub fn is_complete(&self) -> bool {
        let no_mistakes = self.mistakes.iter().all(Vec::is_empty);
        self.health.is_complete() && no_mistakes && self.others.is_empty()
    }

    /// A table of the folders, and what is to be said of portals.
    pub fn text(&self, width: Option<u16>) -> String {
        let mut table = Table::new("portal, folder, #files, result", width);
        for portal in &self.health.portals {
            tables::add_folders(&mut table, portal, |folder| {
                vec![known(folder.view.reported_files)]
            });
        }
        let portals = zip(&self.health.portals, &self.mistakes);
        let notes = portals.flat_map(|(portal, mistakes)| {
            let name = &portal.view.name;
            let notes = tables::sentences(portal).chain(mistakes.iter().cloned());
            let notes = notes.chain(reindexing(&portal.view));
            notes.map(move |note| format!("portal {name}: {note}\n"))
        });
        let others = self.others.iter().map(|mistake| format!("{mistake}\n"));
        let notes: String = notes.chain(others).collect();
        format!("{table}{notes}")
    }

    pub fn json(&self) -> Result<String> {
        let portals = zip(&self.health.portals, &self.mistakes);
        let portals = portals.map(|(portal, mistakes)| document::portal(portal, mistakes));
        output::document(&json!({ "portals": portals.collect::<Value>(), "notes": self.others }))
    }
}

/// In how many folders files are reindexed, if the list could be read.
fn reindexing(portal: &PortalView) -> Option<String> {
    portal.list.facts()?;
    let folders = portal.folders.values();
    let folders = folders.map(|folder| (folder.id, folder.name.label()));
    Some(portal.reindex.in_folders(folders))
}

/// What keeps folders of a portal from being watched, although everything answers.
pub(super) fn unmatched(portal: &Portal, index: usize, listing: &Listing) -> Vec<String> {
    if listing.folders.is_empty() {
        return Vec::new();
    }
    let key = format!("portals[{index}].folders.include");
    let included = portal.folders.included();
    included
        .filter_map(|pattern| sentence(&key, pattern, &[listing]))
        .collect()
}

/// Patterns of folders to reindex that match nothing in any portal.
fn unmatched_overrides(config: &Config, listings: &[&Listing]) -> Vec<String> {
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
    let near = nearest_name(&pattern.to_string(), names);
    Some(format!("{key}: no folder matches {pattern}{near}"))
}
