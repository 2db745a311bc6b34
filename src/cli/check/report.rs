//! What a check found, in lines for people and as a document, and whether all can be collected.

use anyhow::Result;
use serde_json::{Value, json};

use crate::cli::scan::tables;
use crate::cli::settings::nearest_name;
use crate::cli::{document, output, table};
use crate::config::{Config, FolderPattern, Portal};
use crate::model::{FolderId, PortalName};
use crate::portal::{ListedFolder, Listing};
use crate::snapshot::{FolderView, PortalView};
use crate::text;

/// Longest name of a folder that has a place in its column, in characters.
const NAME: usize = 40;

/// Columns of the number of files.
const NUMBER: usize = 8;

/// All portals, in the order of the configuration.
#[derive(Debug)]
pub(super) struct Report {
    portals: Vec<PortalReport>,
    /// Mistakes that concern no portal alone.
    mistakes: Vec<String>,
}

#[derive(Debug)]
pub(super) struct PortalReport {
    pub view: PortalView,
    /// The folders of the key, if their list could be read.
    pub listing: Option<Listing>,
    /// Mistakes of the configuration that this portal shows.
    pub mistakes: Vec<String>,
}

impl Report {
    pub fn new(config: &Config, portals: Vec<PortalReport>) -> Self {
        let listings = portals.iter().map(|portal| portal.listing.as_ref());
        let listings: Option<Vec<_>> = listings.collect();
        let mistakes = listings.map(|listings| unmatched_overrides(config, &listings));
        Self {
            portals,
            mistakes: mistakes.unwrap_or_default(),
        }
    }

    pub fn is_complete(&self) -> bool {
        let is_complete =
            |portal: &PortalReport| portal.view.is_complete() && portal.mistakes.is_empty();
        self.portals.iter().all(is_complete) && self.mistakes.is_empty()
    }

    /// What follows the lines of the folders.
    pub fn notes(&self) -> String {
        let portals = self.portals.iter().flat_map(|portal| {
            let name = &portal.view.name;
            let notes = document::notes(&portal.view, &portal.mistakes);
            let notes = notes.into_iter().chain(reindexing(portal));
            notes.map(move |note| format!("portal {name}: {note}\n"))
        });
        let mistakes = self.mistakes.iter().map(|mistake| format!("{mistake}\n"));
        portals.chain(mistakes).collect()
    }

    pub fn json(&self) -> Result<String> {
        let portals = self.portals.iter();
        let portals = portals.map(|portal| document::portal(&portal.view, &portal.mistakes));
        output::document(&json!({ "portals": portals.collect::<Value>(), "notes": self.mistakes }))
    }
}

/// In how many folders files are reindexed.
fn reindexing(portal: &PortalReport) -> Option<String> {
    portal.listing.as_ref()?;
    let folders = portal.view.folders.values();
    let folders = folders.map(|folder| (folder.id, folder.name.label()));
    Some(portal.view.reindex.in_folders(folders))
}

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

/// How the folders of a portal are shown, one a line.
pub(super) struct Lines<'a> {
    portal: &'a PortalName,
    /// The width of the column of names.
    name: usize,
}

impl<'a> Lines<'a> {
    /// The lines fit into the width of the terminal, if there is one, but for errors.
    pub fn new(portal: &'a PortalName, folders: &[&ListedFolder], width: Option<u16>) -> Self {
        let names = folders
            .iter()
            .map(|folder| text::one_line(folder.name.label()));
        let longest = names.map(|name| name.chars().count()).max();
        let room = width.map_or(usize::MAX, usize::from);
        let others = portal.as_str().chars().count() + NUMBER + "     ok".len();
        let room = room.saturating_sub(others).max(8);
        Self {
            portal,
            name: longest.unwrap_or(0).min(NAME).min(room),
        }
    }

    pub fn folder(&self, folder: &FolderView) -> String {
        let name = text::one_line(folder.name.label());
        let name = text::cut(&name, self.name);
        let files = table::known(folder.reported_files);
        let result = tables::result(folder);
        let result = text::one_line(&result);
        let (portal, width) = (self.portal, self.name);
        format!("{portal}  {name:<width$} {files:>NUMBER$}  {result}\n")
    }
}

/// A line about a portal without any folder.
pub(super) fn of_portal(portal: &PortalName, result: &str) -> String {
    format!("{portal}  {}\n", text::one_line(result))
}
