//! What is kept of a folder, in memory and on disk.
//!
//! The history in memory is ahead of the disk while writes fail. What is shown of the counters is what the disk has, so that
//! they are never restored below what was scraped.

use std::collections::HashSet;
use std::sync::Arc;

use crate::classify::ClassSlot;
use crate::history::{FileHistory, FolderRecord, FullRead, IndexingTimes, Left, Update};
use crate::model::{ByStatus, FileKey, Timestamp};
use crate::state::{FileChanges, FolderChange, SavedFolder, StateError, Subject};

/// Files whose changes are noted one by one while the disk refuses; beyond that all are written at once.
const MAX_NOTED: usize = 100_000;

/// What is kept of one folder.
#[derive(Debug, Default)]
pub(super) struct PersistedFolder {
    pub record: Option<FolderRecord>,
    pub history: Arc<FileHistory>,
    pub left: Option<Left>,
    /// Since when the configuration excludes it.
    pub excluded: Option<Timestamp>,
    /// Why the disk did not take the last change, if it did not.
    pub refused: Option<StateError>,
    unsaved: Unsaved,
    on_disk: Counters,
    /// What the disk has of `left` and `excluded`.
    absence_on_disk: (Option<Left>, Option<Timestamp>),
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

impl PersistedFolder {
    pub fn restored(saved: SavedFolder) -> Self {
        Self {
            on_disk: saved.record.as_ref().map(counters).unwrap_or_default(),
            record: saved.record,
            history: Arc::new(saved.history),
            left: saved.left,
            excluded: saved.excluded,
            refused: None,
            unsaved: Unsaved::These(HashSet::new()),
            absence_on_disk: (saved.left, saved.excluded),
        }
    }

    /// Takes in what a read changed.
    pub fn update(&mut self, mut update: Update) {
        self.unsaved.note(&update);
        Arc::make_mut(&mut self.history).update(&mut update);
        self.record = Some(update.record);
        self.left = None;
    }

    /// Forgets what counters need.
    pub fn forget_counts(&mut self) {
        self.record = None;
        self.history = Arc::default();
        self.unsaved = Unsaved::All;
    }

    /// Whether the disk does not know yet that the folder left, is excluded, or came back.
    pub fn is_absence_unsaved(&self) -> bool {
        self.absence_on_disk != (self.left, self.excluded)
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

    /// What brings the disk up to date.
    pub fn change(&self, subject: Subject, class_slots: Vec<ClassSlot>) -> FolderChange {
        FolderChange {
            subject,
            class_slots,
            record: self.record.clone(),
            left: self.left,
            excluded: self.excluded,
            files: self.unsaved.changes(&self.history),
        }
    }

    /// Takes in what came of writing the change.
    pub fn written(&mut self, result: &Result<(), StateError>) {
        self.refused = result.clone().err();
        if result.is_ok() {
            self.unsaved = Unsaved::These(HashSet::new());
            self.on_disk = self.record.as_ref().map(counters).unwrap_or_default();
            self.absence_on_disk = (self.left, self.excluded);
        }
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

    fn changes(&self, history: &FileHistory) -> FileChanges {
        let Self::These(files) = self else {
            return FileChanges::All(history.iter().map(|(key, file)| (key, *file)).collect());
        };
        let known = |key: &FileKey| history.get(*key).map(|file| (*key, *file));
        FileChanges::Some {
            kept: files.iter().filter_map(known).collect(),
            forgotten: files
                .iter()
                .filter(|key| !history.remembers(**key))
                .copied()
                .collect(),
        }
    }
}
