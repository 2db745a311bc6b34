//! What a check found, in lines for people, and whether all can be collected.

use crate::cli::check::patterns;
use crate::cli::table;
use crate::config::Config;
use crate::model::PortalName;
use crate::portal::{ListedFolder, Listing};
use crate::snapshot::{FolderState, FolderView, ListState, PortalView};
use crate::text;

/// Longest name of a folder that has a place in its column, in characters.
const NAME: usize = 40;

/// Columns beside the name and the result: the number of files, and spaces.
const NUMBER: usize = 8;

/// All portals, in the order of the configuration.
#[derive(Debug)]
pub(super) struct Report {
    pub portals: Vec<PortalReport>,
    /// Mistakes that concern no portal alone.
    pub mistakes: Vec<String>,
}

#[derive(Debug)]
pub(super) struct PortalReport {
    pub view: PortalView,
    /// The folders of the key, if their list could be read.
    pub listing: Option<Listing>,
    /// Mistakes of the configuration that this portal shows.
    pub mistakes: Vec<String>,
}

impl PortalReport {
    pub fn is_complete(&self) -> bool {
        self.view.is_complete() && self.mistakes.is_empty()
    }

    /// Why its list of folders cannot be read.
    pub fn error(&self) -> Option<&str> {
        match &self.view.list {
            ListState::Failed { message, .. } => Some(message),
            ListState::Unasked | ListState::Read(_) => None,
        }
    }

    /// What cannot be collected beside single folders, for people.
    pub fn notes(&self) -> Vec<String> {
        let notes = match self.error() {
            Some(_) => Vec::new(),
            None => self.view.notes().collect(),
        };
        notes.into_iter().chain(self.mistakes.clone()).collect()
    }

    /// The folders by name.
    pub fn folders(&self) -> impl Iterator<Item = &FolderView> {
        let folders = self.view.folders.values();
        let mut folders: Vec<_> = folders.map(|folder| &**folder).collect();
        folders.sort_by_key(|folder| &folder.name);
        folders.into_iter()
    }
}

impl Report {
    pub fn new(config: &Config, portals: Vec<PortalReport>) -> Self {
        let listings: Option<Vec<_>> = portals
            .iter()
            .map(|portal| portal.listing.as_ref())
            .collect();
        let mistakes = listings.map(|listings| patterns::unmatched_overrides(config, &listings));
        Self {
            portals,
            mistakes: mistakes.unwrap_or_default(),
        }
    }

    pub fn is_complete(&self) -> bool {
        self.portals.iter().all(PortalReport::is_complete) && self.mistakes.is_empty()
    }

    /// What follows the lines of the folders.
    pub fn notes(&self) -> String {
        let portals = self.portals.iter().flat_map(|portal| {
            let name = &portal.view.name;
            let notes = portal.notes().into_iter();
            let notes = notes.map(move |note| format!("portal {name}: {note}\n"));
            notes.chain(reindexing(portal))
        });
        let mistakes = self.mistakes.iter().map(|mistake| format!("{mistake}\n"));
        portals.chain(mistakes).collect::<Vec<_>>().concat()
    }
}

/// In how many folders files are reindexed.
fn reindexing(portal: &PortalReport) -> Option<String> {
    let folders = portal.folders();
    let folders = folders.map(|folder| (folder.id, folder.name.label()));
    let modes = portal.view.reindex.in_folders(folders);
    let name = &portal.view.name;
    portal.listing.as_ref()?;
    Some(format!("portal {name}: {modes}\n"))
}

/// How the folders of a portal are shown, one a line.
pub(super) struct Lines<'a> {
    portal: &'a PortalName,
    /// The width of the column of names.
    name: usize,
}

impl<'a> Lines<'a> {
    /// The lines fit into the terminal, but for errors.
    pub fn new(portal: &'a PortalName, folders: &[&ListedFolder]) -> Self {
        let names = folders.iter().map(|folder| shown(folder.name.label()));
        let longest = names.map(|name| name.chars().count()).max();
        let room = table::terminal_width().map_or(usize::MAX, usize::from);
        let others = portal.as_str().chars().count() + NUMBER + "    ok".len();
        let room = room.saturating_sub(others).max(8);
        Self {
            portal,
            name: longest.unwrap_or(0).min(NAME).min(room),
        }
    }

    pub fn folder(&self, folder: &FolderView) -> String {
        let name = shown(folder.name.label());
        let name = text::cut(&name, self.name);
        let files = table::known(folder.reported_files);
        let result = result(folder);
        let result = shown(&result);
        let (portal, width) = (self.portal, self.name);
        format!("{portal}  {name:<width$} {files:>NUMBER$}  {result}\n")
    }
}

/// A line about a portal without any folder.
pub(super) fn of_portal(portal: &PortalName, result: &str) -> String {
    format!("{portal}  {}\n", shown(result))
}

/// Text of any origin on one line, which cannot take over the terminal.
fn shown(text: &str) -> String {
    text::one_line(text).into_owned()
}

fn result(folder: &FolderView) -> String {
    match &folder.state {
        FolderState::Counted | FolderState::Unseen => "ok".to_owned(),
        FolderState::Departed(_) => "gone".to_owned(),
        FolderState::Unavailable { message, .. } => format!("{message} ({})", folder.id),
    }
}
