//! The state: what is known of portals and folders, as documents, and the files that are not done.
//!
//! It can be rebuilt, but counters would begin anew. Each folder has a [`Revision`]. Who writes a folder names the revision that it knows;
//! if another process wrote since, it gets what that process wrote, so that the counters of a folder are one sequence.

mod read;
mod write;

use std::collections::{BTreeSet, HashMap};
use std::hash::BuildHasher as _;
use std::time::Duration;

use foldhash::quality::FixedState;
use serde::{Deserialize, Serialize};

use crate::classify::ClassSlot;
use crate::clock::Moment;
use crate::history::{Departure, FileHistory, FolderRecord, KnownFile};
use crate::model::{FileKey, FolderId, FolderName, PortalAddress, Timestamp};
use crate::store::clock::StoreClock;
use crate::store::database::Database;
use crate::store::error::StoreError;
use crate::store::place::{Access, Part, Place};
use crate::store::statement::Revision;
use crate::store::worker::{Owned, Worker};

/// What is stored of a portal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortalDocument {
    /// The end of the last collection that counted every folder that was due.
    pub last_success: Option<Timestamp>,
    pub refutation: Option<Refutation>,
    /// Since when its list of folders cannot be read, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<Timestamp>,
}

/// What refutes that a portal sorts by status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refutation {
    pub folder: FolderId,
    /// Pages of the folder that cannot belong to one list that is sorted by status; none if an audit refuted it.
    pub pages: Vec<u64>,
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub departure: Option<Departure>,
    /// Since when the configuration excludes it, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excluded: Option<Timestamp>,
}

/// Counts in a row without a file, beyond which a class slot may be given away, however many there are.
const EMPTY_COUNTS: u32 = 3;

impl FolderDocument {
    /// A hash of it without what changes with each count of an idle folder: times, and what the count took.
    pub fn substance(&self) -> u64 {
        let mut substance = self.clone();
        if let Some(record) = &mut substance.record {
            let counted = record.counted;
            record.full_read = record.full_read.map(|mut full| {
                // An audit is dear, and its time is no side effect of counts.
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
            slot.empty_counts = slot.empty_counts.min(EMPTY_COUNTS);
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
    pub revision: Revision,
}

/// What is stored of a portal and its folders.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StoredPortal {
    pub document: PortalDocument,
    pub folders: HashMap<FolderId, StoredFolder>,
}

/// Changes of a portal that one transaction writes.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    pub folders: Vec<FolderChange>,
    pub last_success: Option<Timestamp>,
    /// What refutes that it sorts, or that nothing does any more.
    pub refutation: Option<Option<Refutation>>,
    /// Since when its list cannot be read, or that it can again.
    pub failing_since: Option<Option<Timestamp>>,
    /// Folders to delete.
    pub forgotten: Vec<FolderId>,
    /// Deletes folders of all portals but these that nobody wrote since a time.
    pub unwatched: Option<(Vec<PortalAddress>, Timestamp)>,
}

#[derive(Debug, Clone)]
pub struct FolderChange {
    pub id: FolderId,
    /// The revision that this was made from.
    pub known: Option<Revision>,
    pub document: FolderDocument,
    pub files: FileChanges,
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

/// What came of the change of a folder.
#[derive(Debug, PartialEq)]
pub enum Answer {
    Written(Revision),
    /// Nothing was written: the database lost what was written to it before. The folder is to be written with all of its files.
    Older,
    /// Nothing was written: another process wrote this meanwhile.
    Newer(Box<StoredFolder>),
}

/// The answers to a write, by folder, and how long its transaction took.
#[derive(Debug)]
pub struct Written {
    pub answers: Result<Vec<(FolderId, Answer)>, StoreError>,
    pub took: Duration,
}

/// A handle to the state. Cheap to clone; the database is closed with the last one, and opened with its first use.
#[derive(Debug, Clone)]
pub struct Documents {
    /// None: nothing is stored.
    worker: Option<Worker<Database>>,
    clock: StoreClock,
}

impl Owned for Database {
    async fn close(&mut self) {
        Self::close(self).await;
    }
}

impl Documents {
    pub fn open(place: Place, access: Access) -> Self {
        let database = Database::new(place, Part::State, access);
        Self {
            clock: database.clock(),
            worker: Some(Worker::start(database)),
        }
    }

    /// A state that stores nothing: for a single collection.
    pub fn nowhere() -> Self {
        Self {
            worker: None,
            clock: StoreClock::default(),
        }
    }

    pub const fn saves(&self) -> bool {
        self.worker.is_some()
    }

    /// The clock of the times in it.
    pub const fn clock(&self) -> &StoreClock {
        &self.clock
    }

    /// Reads a portal, after everything that was written before.
    pub async fn load(&self, portal: PortalAddress) -> Result<StoredPortal, StoreError> {
        self.run(async move |database| {
            let load = async |connection: &mut _| read::portal(connection, &portal).await;
            database.transaction(load).await
        })
        .await
        .unwrap_or_else(|| Ok(StoredPortal::default()))
    }

    /// Writes changes of a portal in one transaction: what is written has come to the disk when this returns. Without any change it checks
    /// that the database takes writes.
    pub async fn write(&self, portal: PortalAddress, changes: Changes) -> Written {
        let clock = self.clock.clone();
        let written = self.run(async move |database| {
            let began = Moment::now().steady;
            let answers = if changes.is_empty() {
                database.check_write().await.map(|()| Vec::new())
            } else {
                let write = async |connection: &mut _| {
                    let now = clock.now().wall;
                    write::write(connection, &portal, &changes, now).await
                };
                database.transaction(write).await
            };
            let took = began.elapsed();
            Written { answers, took }
        });
        written.await.unwrap_or_else(|| Written {
            answers: Err(StoreError::Closed),
            took: Duration::ZERO,
        })
    }

    /// The error classes that have a slot in any folder; none if nothing was stored yet.
    pub async fn known_classes(&self) -> Result<BTreeSet<String>, StoreError> {
        let classes = self.run(async |database| database.transaction(read::classes).await);
        match classes.await {
            None | Some(Err(StoreError::Missing(_))) => Ok(BTreeSet::new()),
            Some(classes) => classes,
        }
    }

    /// Closes the database after all earlier writes. A later one opens it again.
    pub async fn close(&self) {
        // Where the thread has ended, it is closed.
        let _ = self.run(async |database| database.close().await).await;
    }

    /// `None` if nothing is stored, or the thread ended.
    async fn run<T: Send + 'static>(
        &self,
        job: impl AsyncFnOnce(&mut Database) -> T + Send + 'static,
    ) -> Option<T> {
        self.worker.as_ref()?.run(job).await
    }
}

impl Changes {
    fn is_empty(&self) -> bool {
        let Self {
            folders, forgotten, ..
        } = self;
        folders.is_empty()
            && forgotten.is_empty()
            && !self.changes_portal()
            && self.unwatched.is_none()
    }

    fn changes_portal(&self) -> bool {
        self.last_success.is_some() || self.refutation.is_some() || self.failing_since.is_some()
    }
}
