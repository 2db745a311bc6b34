//! What is kept of a folder, in memory and on disk.
//!
//! Memory runs ahead of the disk while the disk refuses. What is shown of the counters is what the disk has, so that
//! they are never restored below what was scraped.

use std::collections::HashSet;
use std::sync::Arc;

use crate::classify::Place;
use crate::memory::{FolderRecord, FullRead, IndexingTimes, Left, Memory, Update};
use crate::model::{ByStatus, FileKey};
use crate::state::{FileChanges, FolderChange, SavedFolder, StateError, Store, Subject};

/// Files whose changes are noted one by one while the disk refuses; beyond that all are written at once.
const MAX_NOTED: usize = 100_000;

/// What is kept of one folder.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub record: Option<FolderRecord>,
    pub memory: Arc<Memory>,
    pub left: Option<Left>,
    /// Why the disk did not take the last change, if it did not.
    pub refused: Option<StateError>,
    unsaved: Unsaved,
    on_disk: Counters,
}

/// The counters that are shown.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counters {
    pub entries: ByStatus<u64>,
    pub indexing: IndexingTimes,
}

/// Files that differ from what is on disk.
#[derive(Debug, Default)]
enum Unsaved {
    These(HashSet<FileKey>),
    #[default]
    All,
}

impl Kept {
    pub fn restored(saved: SavedFolder) -> Self {
        Self {
            on_disk: saved.record.as_ref().map(counters).unwrap_or_default(),
            record: saved.record,
            memory: Arc::new(saved.memory),
            left: saved.left,
            refused: None,
            unsaved: Unsaved::These(HashSet::new()),
        }
    }

    /// Takes in what a look changed.
    pub fn update(&mut self, mut update: Update) {
        self.unsaved.note(&update);
        Arc::make_mut(&mut self.memory).update(&mut update);
        self.record = Some(update.record);
        self.left = None;
    }

    /// Takes in a full read that was made beside the counts.
    pub fn read_in_full(&mut self, full: FullRead) {
        if let Some(record) = &mut self.record {
            record.full_read = Some(full);
        }
    }

    /// The counters as they are on disk.
    pub fn counters(&self) -> Counters {
        self.on_disk
    }

    /// Brings the disk up to date.
    pub async fn save(
        &mut self,
        store: &Store,
        subject: Subject,
        places: Vec<Place>,
    ) -> Result<(), StateError> {
        let change = FolderChange {
            subject,
            places,
            record: self.record.clone(),
            left: self.left,
            files: self.unsaved.changes(&self.memory),
        };
        let result = store.write(change).await;
        self.refused = result.clone().err();
        result?;
        self.unsaved = Unsaved::These(HashSet::new());
        self.on_disk = self.record.as_ref().map(counters).unwrap_or_default();
        Ok(())
    }
}

fn counters(record: &FolderRecord) -> Counters {
    Counters {
        entries: record.entries,
        indexing: record.indexing,
    }
}

impl Unsaved {
    fn note(&mut self, update: &Update) {
        let Self::These(files) = self else { return };
        files.extend(update.changed.iter().map(|(key, _)| *key));
        files.extend(&update.forgotten);
        if files.len() > MAX_NOTED {
            *self = Self::All;
        }
    }

    fn changes(&self, memory: &Memory) -> FileChanges {
        let Self::These(files) = self else {
            return FileChanges::All(memory.iter().map(|(key, file)| (key, *file)).collect());
        };
        let known = |key: &FileKey| memory.get(*key).map(|file| (*key, *file));
        FileChanges::Some {
            kept: files.iter().filter_map(known).collect(),
            forgotten: files
                .iter()
                .filter(|key| !memory.remembers(**key))
                .copied()
                .collect(),
        }
    }
}
