//! What can be asked of the world without changing it.

use uuid::Uuid;

use super::folder::Folder;
use super::journal::{Counts, Entry, Served};
use super::status::Status;
use super::world::World;

impl World {
    /// Files of a folder by status; none when there is no such folder now.
    pub fn counts(&self, folder: Uuid) -> Option<Counts> {
        Some(self.folder(folder).ok()?.counts())
    }

    /// Files of a folder by status as they were after the change with this number.
    ///
    /// `None` when the folder did not exist then, the number is in the future, or the journal does not reach back so far ([`Options::log_capacity`](super::Options::log_capacity)).
    pub fn counts_at(&self, folder: Uuid, sequence: u64) -> Option<Counts> {
        let now = self.counts(folder);
        self.journal.counts_at(folder, now, sequence)
    }

    /// Ids of the folders that exist, oldest first.
    pub fn folder_ids(&self) -> Vec<Uuid> {
        let existing = self.folders.iter().filter(|f| f.deleted_with.is_none());
        existing.map(|folder| folder.id).collect()
    }

    /// Ids of a folder's files, in the order of their names; none of a synthetic folder.
    pub fn file_ids(&self, folder: Uuid) -> Vec<Uuid> {
        let links = self.folder(folder).into_iter().flat_map(Folder::links);
        links.map(|link| self.documents[link.document].id).collect()
    }

    /// Id of the file at a place in the order of names, of those in a status; none where the index is behind, or of a synthetic folder.
    pub fn file_with(&self, folder: Uuid, status: &Status, at: usize) -> Option<Uuid> {
        let folder = self.folder(folder).ok()?;
        let link = folder.link(*folder.by_status().get(status)?.get(at)?);
        let document = (!link.gone).then(|| &self.documents[link.document])?;
        (document.status == *status).then_some(document.id)
    }

    pub fn sequence(&self) -> u64 {
        self.journal.sequence()
    }

    /// The latest changes, oldest first ([`Options::log_capacity`](super::Options::log_capacity)).
    pub fn journal(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.journal.entries()
    }

    /// The latest requests, in the order of their answers ([`Options::log_capacity`](super::Options::log_capacity)).
    pub fn requests(&self) -> impl DoubleEndedIterator<Item = &Served> {
        self.served.iter()
    }
}
