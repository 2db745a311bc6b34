//! What is stored of portals and folders, as documents, and the files that are not done.
//!
//! It can be rebuilt, but counters would begin anew. Only the holder of a portal's lease writes it. Each entry of the configuration has rows of
//! its own, since entries with one address have different folders.

mod read;
mod write;

use std::collections::HashMap;
use std::hash::BuildHasher as _;
use std::sync::Arc;

use foldhash::quality::FixedState;
use serde::{Deserialize, Serialize};

use crate::classify::ClassSlot;
use crate::count::SortingState;
use crate::history::{Departure, FileHistory, FolderCounters, FolderRecord, Unreadable};
use crate::model::{FolderId, FolderName, PortalAddress, Timestamp};
use crate::store::error::StoreError;
use crate::store::lease::Lease;
use crate::store::parts::FileParts;
use crate::store::statement::Value;

/// What is stored of a portal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortalDocument {
    /// The end of the last collection that counted every folder that was due.
    pub last_success: Option<Timestamp>,
    /// Since when its list of folders cannot be read, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<Timestamp>,
}

/// What is stored of a folder beside its files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FolderDocument {
    /// Its name when it was last seen.
    pub name: FolderName,
    /// The facts of its last count, if it ever was counted.
    pub record: Option<FolderRecord>,
    /// The error classes that have a slot in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub class_slots: Vec<ClassSlot>,
    #[serde(default)]
    pub order: SortingState,
    /// Why its last read could not count it, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<Unreadable>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub departure: Option<Departure>,
}

impl FolderDocument {
    /// A hash of it without what changes with each count of an idle folder: times, and what the count took.
    pub fn substance(&self) -> u64 {
        let mut substance = self.clone();
        if let Some(record) = &mut substance.record {
            let counted = record.counted;
            record.full_read = record.full_read.map(|mut full| {
                // To read every page is dear, and its time is no side effect of counts.
                full.at = if full.at == counted {
                    Timestamp::default()
                } else {
                    full.at
                };
                full
            });
            (record.began, record.counted) = Default::default();
            (record.look.requests, record.look.duration) = Default::default();
        }
        for slot in &mut substance.class_slots {
            slot.known.last_seen = Timestamp::default();
        }
        let text = serde_json::to_string(&substance).unwrap_or_default();
        FixedState::default().hash_one(text)
    }
}

/// A folder as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredFolder {
    pub document: FolderDocument,
    /// Its files that are not done.
    pub files: FileHistory,
    pub parts: FileParts,
}

/// What is stored of a portal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StoredPortal {
    pub document: PortalDocument,
    pub folders: HashMap<FolderId, StoredFolder>,
}

/// Changes of a portal.
#[derive(Debug, Clone, Default)]
pub struct FolderChanges {
    pub folders: Vec<FolderChange>,
    /// The portal, if it changed.
    pub portal: Option<PortalDocument>,
    /// Folders to delete.
    pub forgotten: Vec<FolderId>,
    /// Deletes folders of all entries but these that nobody wrote since a time.
    pub unwatched: Option<(Vec<EntryKey>, Timestamp)>,
}

#[derive(Debug, Clone)]
pub struct FolderChange {
    pub id: FolderId,
    pub document: FolderDocument,
    /// Its files that are not done,
    pub files: Arc<FileHistory>,
    /// and what of them is written.
    pub parts: FileParts,
}

impl FolderChange {
    /// The counters that are written.
    pub fn counters(&self) -> Arc<FolderCounters> {
        let record = self.document.record.as_ref();
        record.map_or_else(Arc::default, |record| Arc::clone(&record.counters))
    }

    /// How many rows are written.
    fn rows(&self) -> usize {
        1 + self.parts.changed().len()
    }
}

impl FolderChanges {
    /// Takes this number of rows of it, at least one folder. A folder is written whole, so that its counters fit its files.
    fn take(&mut self, rows: usize) -> Self {
        let mut room = rows;
        let fitting = self.folders.iter().take_while(|change| {
            let fits = room > 0;
            room = room.saturating_sub(change.rows());
            fits
        });
        let rest = self.folders.split_off(fitting.count());
        let folders = std::mem::replace(&mut self.folders, rest);
        Self {
            folders,
            portal: self.portal.take_if(|_| self.folders.is_empty()),
            forgotten: std::mem::take(&mut self.forgotten),
            unwatched: self.unwatched.take(),
        }
    }
}

/// An entry of the configuration in the column `portal`: the address, with a number from the second entry with that address on. So an entry that gets
/// another name goes on with what is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryKey(String);

impl EntryKey {
    /// `before`: entries with the address that come before it in the configuration.
    pub fn new(address: &PortalAddress, before: usize) -> Self {
        Self(match before {
            0 => address.to_string(),
            before => format!("{address} {}", before + 1),
        })
    }
}

impl From<&EntryKey> for Value {
    fn from(entry: &EntryKey) -> Self {
        entry.0.as_str().into()
    }
}

impl Lease {
    /// Reads what is stored of an entry of the configuration.
    pub async fn load(&self, entry: EntryKey) -> Result<StoredPortal, StoreError> {
        self.read(async move |connection, _| read::portal(connection, &entry).await)
            .await
    }

    /// Writes changes of an entry: what is written has come to the disk when this returns. Without any change it checks that the database takes
    /// writes. Many rows are divided over several transactions, each with half as many after one that failed.
    pub async fn write_folders(
        &self,
        entry: EntryKey,
        mut changes: FolderChanges,
    ) -> Result<(), StoreError> {
        loop {
            let (entry, some) = (entry.clone(), changes.take(self.rows_at_once()));
            let written = self
                .write(async move |connection, _| write::write(connection, &entry, &some).await);
            let written = written.await;
            self.note_rows(written.is_ok());
            written?;
            if changes.folders.is_empty() {
                return Ok(());
            }
        }
    }
}
