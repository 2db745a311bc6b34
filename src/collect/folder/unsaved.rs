//! Which files of a folder are not written yet.

use std::collections::HashSet;

use crate::history::FileHistory;
use crate::model::FileKey;
use crate::store::FileChanges;

/// Files whose changes are noted one by one while they are not written; beyond that all are written at once.
const MAX_NOTED: usize = 100_000;

/// Files that differ from what is stored.
#[derive(Debug, Default)]
pub(in crate::collect) enum UnsavedFiles {
    These(HashSet<FileKey>),
    #[default]
    All,
}

impl UnsavedFiles {
    pub fn none() -> Self {
        Self::These(HashSet::new())
    }

    pub fn is_none(&self) -> bool {
        matches!(self, Self::These(files) if files.is_empty())
    }

    /// Adds what an earlier write did not write.
    pub fn add(&mut self, other: Self) {
        match other {
            Self::These(files) => self.extend(files),
            Self::All => *self = Self::All,
        }
    }

    pub fn extend(&mut self, keys: impl IntoIterator<Item = FileKey>) {
        let Self::These(files) = self else { return };
        files.extend(keys);
        if files.len() > MAX_NOTED {
            *self = Self::All;
        }
    }

    pub fn changes(&self, history: &FileHistory) -> FileChanges {
        let mut changes = FileChanges {
            replace: matches!(self, Self::All),
            changed: Vec::new(),
            forgotten: Vec::new(),
        };
        match self {
            Self::All => {
                let files = history.iter().map(|(key, file)| (*key, file.clone()));
                changes.changed = files.collect();
            }
            Self::These(keys) => {
                for key in keys {
                    match history.get(key) {
                        Some(file) => changes.changed.push((*key, file.clone())),
                        None => changes.forgotten.push(*key),
                    }
                }
            }
        }
        changes
    }
}
