//! The input of decisions at one time.

use std::sync::Arc;

use crate::attempts::Book;
use crate::clock::Moment;
use crate::config::{Mode, Reindex, ReindexRules};
use crate::model::{FolderId, PortalName, Timestamp};
use crate::policy::{self, Decisions, FolderFacts, PortalFacts};
use crate::portal::Client;
use crate::snapshot::{Counts, FailedFiles, FolderView, PortalView, Snapshot};

/// The settings in use: a reload changes them for every decision from then on.
#[derive(Clone)]
pub struct Rules {
    pub reindex: Arc<Reindex>,
    /// The time zone of their windows.
    pub zone: chrono_tz::Tz,
    /// How many classes of a portal have counters of their own, at most.
    pub max_classes: usize,
    pub client: Arc<Client>,
}

/// The input of decisions about a portal at one time.
pub(super) struct Input {
    pub portal: Arc<PortalView>,
    pub rules: Rules,
    pub kill_switch: bool,
    /// Whether a portal that is configured before has the same folders: then it is the same portal under another address.
    pub is_double: bool,
    /// The attempts; `None` if the ledger cannot be used, or this process may not act.
    pub book: Option<Arc<Book>>,
    /// By the clock of the ledger.
    pub now: Timestamp,
    /// People's time.
    pub wall: Timestamp,
}

impl Input {
    /// Decides about the folders that are there and whose mode is not off.
    pub fn decide(&self) -> Decisions {
        let folders = self.folders().filter(|folder| !self.is_off(folder));
        let facts = PortalFacts {
            now: self.now,
            wall: self.wall,
            zone: self.rules.zone,
            kill_switch: self.kill_switch,
            is_unusable: self.is_double || self.portal.list.trouble().is_some(),
            folders: folders.map(|folder| self.facts(folder)).collect(),
        };
        policy::decide(&facts, self.book.as_deref())
    }

    /// How many folders are there whose mode is off.
    pub fn folders_off(&self) -> usize {
        let folders = self.folders();
        folders.filter(|folder| self.is_off(folder)).count()
    }

    fn is_off(&self, folder: &FolderView) -> bool {
        self.rules_of(folder).mode == Mode::Off
    }

    /// The folders that are there.
    pub fn folders(&self) -> impl Iterator<Item = &FolderView> {
        let folders = self.portal.folders.values().map(AsRef::as_ref);
        folders.filter(|folder| !folder.state.has_left())
    }

    /// A folder that is there.
    pub fn folder(&self, id: FolderId) -> Option<&FolderView> {
        let folder = self.portal.folders.get(&id).map(AsRef::as_ref);
        folder.filter(|folder| !folder.state.has_left())
    }

    pub fn rules_of(&self, folder: &FolderView) -> &ReindexRules {
        let name = folder.name.label();
        self.rules.reindex.for_folder(folder.id, name)
    }

    /// The failed files of a folder, if the latest read counted it and that is not too long ago.
    pub fn failed_files<'a>(&self, folder: &'a FolderView) -> Option<&'a FailedFiles> {
        self.counts(folder)?;
        folder.failed_files.as_deref()
    }

    fn counts<'a>(&self, folder: &'a FolderView) -> Option<&'a Counts> {
        let counts = self.portal.fresh_counts(folder, Moment::now())?;
        (folder.state.is_counted() && counts.look.consistent).then_some(counts)
    }

    pub fn facts<'a>(&'a self, folder: &'a FolderView) -> FolderFacts<'a> {
        let failed = self.failed_files(folder);
        let counts = folder.counts.as_ref();
        FolderFacts {
            id: folder.id,
            rules: self.rules_of(folder),
            usable: failed.is_some_and(|failed| failed.are_all),
            counts: counts.map(|counts| counts.files).unwrap_or_default(),
            failed: failed.map_or(&[], |failed| &failed.files),
        }
    }
}

/// Whether a portal that is configured before this one, with another address, has a folder of it.
pub(super) fn is_double(snapshot: &Snapshot, portal: &PortalView) -> bool {
    let before = snapshot.portals.iter();
    let mut before = before.take_while(|other| other.name != portal.name);
    before.any(|other| {
        let mut folders = portal.folders.keys();
        other.address != portal.address && folders.any(|id| other.folders.contains_key(id))
    })
}

/// Whether a portal judges the attempts that were made under a name: its own, and those of names that are not configured with its address.
pub(super) fn judges(snapshot: &Snapshot, portal: &PortalView, made_by: &PortalName) -> bool {
    let other = snapshot.portal(made_by);
    other.is_none_or(|other| other.name == portal.name || other.address != portal.address)
}
