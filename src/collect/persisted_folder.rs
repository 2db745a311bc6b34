//! The stored data of a folder, in memory and on disk.
//!
//! The history in memory is ahead of the disk while writes fail. The counters that are shown are those on disk, so that
//! a restart never restores values below those that were scraped.

use std::collections::HashSet;
use std::sync::Arc;

use crate::classify::ClassSlot;
use crate::collect::sorted::RowsWanted;
use crate::count::{FolderCount, MAX_REMEMBERED};
use crate::history::{Departure, FileHistory, FolderCounters, FolderRecord, FullRead, Update};
use crate::model::{ByStatus, FileKey, FolderName, Status, Timestamp};
use crate::state::{FileChanges, SavedFolder, SqlError};

/// Files whose changes are noted one by one while the disk refuses; beyond that all are written at once.
const MAX_NOTED: usize = 100_000;

/// The stored data of one folder.
#[derive(Debug, Default)]
pub(super) struct PersistedFolder {
    pub record: Option<FolderRecord>,
    pub history: Arc<FileHistory>,
    pub departure: Option<Departure>,
    /// Since when the configuration excludes it.
    pub excluded: Option<Timestamp>,
    /// Why the last change could not be written, if it could not.
    pub refused: Option<SqlError>,
    unsaved: Unsaved,
    on_disk: OnDisk,
    /// Whether the database may have counters that could not be read yet.
    is_unknown: bool,
}

/// The parts of the stored record that are needed in memory.
#[derive(Debug, Default)]
struct OnDisk {
    counters: Arc<FolderCounters>,
    departure: Option<Departure>,
    excluded: Option<Timestamp>,
}

/// Files that differ from what is on disk.
#[derive(Debug, Default)]
enum Unsaved {
    These(HashSet<FileKey>),
    #[default]
    All,
}

impl PersistedFolder {
    /// A folder of which the database may have more data than this process.
    pub fn unknown() -> Self {
        Self {
            is_unknown: true,
            ..Self::default()
        }
    }

    pub fn restored(saved: SavedFolder) -> Self {
        let mut restored = Self {
            record: saved.record,
            history: Arc::new(saved.files),
            departure: saved.left,
            excluded: saved.excluded,
            ..Self::default()
        };
        restored.written(&Ok(()));
        restored
    }

    /// Replaces the history by what another process wrote. This process decides whether the folder exists.
    pub fn replace(&mut self, saved: SavedFolder) {
        let before = std::mem::replace(self, Self::restored(saved));
        self.departure = before.departure;
        self.excluded = before.excluded;
        Arc::make_mut(&mut self.history).continue_turns(&before.history);
    }

    /// Applies the changes by a read.
    pub fn update(&mut self, update: Update, count: &FolderCount) {
        self.unsaved.note(&update);
        let history = Arc::make_mut(&mut self.history);
        history.update(update.changed, &update.forgotten, count);
        self.record = Some(update.record);
        self.departure = None;
    }

    pub fn forget_counts(&mut self) {
        self.record = None;
        self.history = Arc::default();
        self.unsaved = Unsaved::All;
    }

    /// The next count is the base of the entries after it.
    pub fn forget_base(&mut self) {
        if let Some(record) = &mut self.record {
            record.unidentified = ByStatus::default();
        }
    }

    /// The rows that the next read by boundaries is to read.
    pub fn rows_wanted(&self, is_read_often: bool, goes_on: bool) -> RowsWanted {
        RowsWanted {
            is_read_often,
            goes_on,
            next: self.history.next_rows(),
            identified: self.identified(),
        }
    }

    /// The files of each status whose rows need not be read any more, if they need not.
    fn identified(&self) -> ByStatus<Option<u64>> {
        // Rows that cannot be remembered are not read for that.
        let is_full = self.history.len() >= MAX_REMEMBERED;
        ByStatus::from_fn(|status| {
            let record = self.record.as_ref()?;
            let is_identified = is_full || record.unidentified[status].files() == Some(0);
            is_identified.then_some(record.counts[status])
        })
    }

    /// Whether failed or flagged files were counted whose rows the next read goes on to read.
    pub fn has_unread_rows(&self) -> bool {
        let (next, identified) = (self.history.next_rows(), self.identified());
        let mut statuses = Status::WITH_REASON.into_iter();
        statuses.any(|status| next[status] > 0 && identified[status].is_none())
    }

    /// Whether the disk does not know yet that the folder left, is excluded, or came back.
    pub fn is_absence_unsaved(&self) -> bool {
        (self.on_disk.departure, self.on_disk.excluded) != (self.departure, self.excluded)
    }

    /// Notes a full read that was made in addition to the counts.
    pub fn read_in_full(&mut self, full: FullRead) {
        if let Some(record) = &mut self.record {
            record.full_read = Some(full);
        }
    }

    /// Notes whether the boundaries are right, as a full read shows.
    pub fn set_shows_sorting(&mut self, shows_sorting: bool) {
        let record = self.record.as_mut();
        if let Some(full_read) = record.and_then(|record| record.full_read.as_mut()) {
            full_read.shows_sorting = shows_sorting;
        }
    }

    /// The counters that the disk has; `None` until they can be read.
    pub fn counters_on_disk(&self) -> Option<Arc<FolderCounters>> {
        (!self.is_unknown).then(|| Arc::clone(&self.on_disk.counters))
    }

    /// The changes that update the disk.
    pub fn change(
        &self,
        name: FolderName,
        class_slots: Vec<ClassSlot>,
    ) -> SavedFolder<FileChanges> {
        SavedFolder {
            name,
            class_slots,
            record: self.record.clone(),
            left: self.departure,
            excluded: self.excluded,
            files: self.unsaved.changes(&self.history),
        }
    }

    /// Notes the result of writing the change.
    pub fn written(&mut self, result: &Result<(), SqlError>) {
        self.refused = result.clone().err();
        if result.is_ok() {
            let record = self.record.as_ref();
            self.unsaved = Unsaved::These(HashSet::new());
            self.is_unknown = false;
            self.on_disk = OnDisk {
                counters: record.map_or_else(Arc::default, |record| Arc::clone(&record.counters)),
                departure: self.departure,
                excluded: self.excluded,
            };
        }
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
            return FileChanges::All(
                history
                    .iter()
                    .map(|(key, file)| (key, file.clone()))
                    .collect(),
            );
        };
        let known = |key: &FileKey| history.get(*key).map(|file| (*key, file.clone()));
        let forgotten = |key: &&FileKey| !history.remembers(**key);
        FileChanges::Some {
            changed: files.iter().filter_map(known).collect(),
            forgotten: files.iter().filter(forgotten).copied().collect(),
        }
    }
}
