//! What is written to the state and read from it.

use std::collections::HashMap;

use crate::classify::ClassSlot;
use crate::history::{Departure, FileHistory, FolderRecord, KnownFile};
use crate::model::{FileKey, FolderId, FolderName, PortalAddress, PortalName, Timestamp};

/// What was saved of everything.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Saved {
    portals: HashMap<String, SavedPortal>,
}

impl Saved {
    /// What was saved of a portal; taken out, because there is one collector for it.
    pub fn take(&mut self, portal: &PortalName) -> SavedPortal {
        self.portals.remove(portal.as_str()).unwrap_or_default()
    }

    /// What was saved of each portal.
    pub(super) fn portals(&self) -> impl Iterator<Item = (&String, &SavedPortal)> {
        self.portals.iter()
    }

    /// What was saved of a portal.
    pub(super) fn get(&self, portal: &str) -> Option<&SavedPortal> {
        self.portals.get(portal)
    }

    pub(super) fn portal(&mut self, name: String) -> &mut SavedPortal {
        self.portals.entry(name).or_default()
    }
}

/// What was saved of a portal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SavedPortal {
    /// Whether the database could not be read: it may have more than this.
    pub is_unknown: bool,
    /// The end of the last collection that counted every folder that was due.
    pub last_success: Option<Timestamp>,
    /// What refuted that it sorts by status, if something did.
    pub refutation: Option<SavedRefutation>,
    /// Its folders.
    pub folders: HashMap<FolderId, SavedFolder>,
}

/// Pages that refute that a portal sorts by status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedRefutation {
    /// The address of the portal.
    pub address: PortalAddress,
    /// The folder that they are of.
    pub folder: FolderId,
    /// Their numbers.
    pub pages: Vec<u64>,
}

/// What is saved of a folder. `F`: its files that are not done, or how they changed.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedFolder<F = FileHistory> {
    /// Its name when it was last seen.
    pub name: FolderName,
    /// The facts of its last count, if it ever was counted.
    pub record: Option<FolderRecord>,
    /// Its files.
    pub files: F,
    /// The classes of error that have a slot in it.
    pub class_slots: Vec<ClassSlot>,
    /// When and why it left, if it did.
    pub left: Option<Departure>,
    /// Since when the configuration excludes it, if it does.
    pub excluded: Option<Timestamp>,
}

/// What is to be written of a folder, in one transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct FolderChange {
    /// Its portal.
    pub portal: PortalName,
    /// Its id.
    pub id: FolderId,
    /// All else.
    pub folder: SavedFolder<FileChanges>,
}

/// What is to be written of a folder's files.
#[derive(Debug, Clone, PartialEq)]
pub enum FileChanges {
    /// All other files are as before.
    Some {
        /// New or changed.
        changed: Vec<(FileKey, KnownFile)>,
        /// No longer remembered.
        forgotten: Vec<FileKey>,
    },
    /// These are all files.
    All(Vec<(FileKey, KnownFile)>),
}
