//! The data that is written to the state and read from it.

use std::collections::HashMap;

use crate::classify::ClassSlot;
use crate::history::{Departure, FileHistory, FolderRecord, KnownFile};
use crate::model::{FileKey, FolderId, FolderName, PortalAddress, PortalName, Timestamp};

/// The saved data of a portal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SavedPortal {
    /// The end of the last collection that counted every folder that was due.
    pub last_success: Option<Timestamp>,
    /// What refuted that it sorts by status, if something did.
    pub refutation: Option<SavedRefutation>,
    pub folders: HashMap<FolderId, SavedFolder>,
}

/// What refutes that a portal sorts by status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedRefutation {
    pub address: PortalAddress,
    pub folder: FolderId,
    /// Pages of the folder; none if an audit refuted it.
    pub pages: Vec<u64>,
}

/// The saved data of a folder. `F`: its files that are not done, or how they changed.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedFolder<F = FileHistory> {
    /// Its name when it was last seen.
    pub name: FolderName,
    /// The facts of its last count, if it ever was counted.
    pub record: Option<FolderRecord>,
    pub files: F,
    /// The error classes that have a slot in it.
    pub class_slots: Vec<ClassSlot>,
    /// When and why it left, if it did.
    pub left: Option<Departure>,
    /// Since when the configuration excludes it, if it does.
    pub excluded: Option<Timestamp>,
}

/// The changes of a folder that one transaction writes.
#[derive(Debug, Clone, PartialEq)]
pub struct FolderChange {
    pub portal: PortalName,
    pub id: FolderId,
    pub folder: SavedFolder<FileChanges>,
}

/// The changes of a folder's files.
#[derive(Debug, Clone, PartialEq)]
pub enum FileChanges {
    /// All other files are as before.
    Some {
        changed: Vec<(FileKey, KnownFile)>,
        forgotten: Vec<FileKey>,
    },
    All(Vec<(FileKey, KnownFile)>),
}
