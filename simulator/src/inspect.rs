//! What can be asked of the world without changing it.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::access::Call;
use super::folder::Tally;
use super::journal::{Counts, Entry, Served};
use super::status::Status;
use super::world::World;

impl World {
    /// The call log of a key, oldest first.
    #[must_use]
    pub fn calls(&self, key: &str) -> Vec<Call> {
        let known = self.access.key(key);
        known.map_or_else(Vec::new, |known| known.calls.iter().cloned().collect())
    }

    /// Files of a folder by status; none when there is no such folder now.
    #[must_use]
    pub fn counts(&self, folder: Uuid) -> Option<Counts> {
        let index = self.folder_index(folder).ok()?;
        Some(self.folders[index].counts())
    }

    /// Files of a folder by status as they were after the change with this number.
    ///
    /// `None` when the folder did not exist then, the number is in the future, or the journal does not reach back so far ([`Options::log_capacity`](super::Options::log_capacity)).
    #[must_use]
    pub fn counts_at(&self, folder: Uuid, sequence: u64) -> Option<Counts> {
        let now = self.counts(folder);
        self.journal.counts_at(folder, now, sequence)
    }

    /// Number and bytes of a folder's files by status; empty when there is no such folder now.
    #[must_use]
    pub fn sizes(&self, folder: Uuid) -> BTreeMap<Status, Tally> {
        let index = self.folder_index(folder);
        index.map_or_else(
            |_| BTreeMap::new(),
            |index| self.folders[index].tallies().clone(),
        )
    }

    /// Files of a folder by reason.
    #[must_use]
    pub fn errors(&self, folder: Uuid) -> BTreeMap<String, u64> {
        let mut errors = BTreeMap::new();
        let Ok(index) = self.folder_index(folder) else {
            return errors;
        };
        let folder = &self.folders[index];
        if let Some(synthetic) = folder.synthetic() {
            return synthetic.errors();
        }
        for &key in folder.by_name() {
            let document = &self.documents[folder.link(key).document];
            if let Some(error) = &document.error {
                *errors.entry(error.to_string()).or_default() += 1;
            }
        }
        errors
    }

    /// Ids of the folders that exist, oldest first.
    #[must_use]
    pub fn folder_ids(&self) -> Vec<Uuid> {
        let existing = self.folders.iter().filter(|f| f.deleted_with.is_none());
        existing.map(|folder| folder.id).collect()
    }

    /// Name of a folder, also of a deleted one.
    #[must_use]
    pub fn folder_name(&self, folder: Uuid) -> Option<&str> {
        let index = self.folder_ids.get(&folder)?;
        Some(&self.folders[*index].name)
    }

    /// Ids of a folder's files, in the order of their names; none of a synthetic folder.
    #[must_use]
    pub fn file_ids(&self, folder: Uuid) -> Vec<Uuid> {
        let Ok(index) = self.folder_index(folder) else {
            return Vec::new();
        };
        let folder = &self.folders[index];
        let links = folder.by_name().iter().map(|&key| folder.link(key));
        links.map(|link| self.documents[link.document].id).collect()
    }

    /// Number of the last change.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        self.journal.sequence()
    }

    /// The changes that are kept, oldest first.
    #[must_use]
    pub fn journal(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.journal.entries()
    }

    /// The requests that are kept, in the order of their answers.
    #[must_use]
    pub fn requests(&self) -> impl DoubleEndedIterator<Item = &Served> {
        self.served.iter()
    }
}
