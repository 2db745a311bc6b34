//! What an administrator, a test or a permitted request does to the world.

use std::collections::BTreeSet;
use std::sync::Arc;

use uuid::Uuid;

use super::access::Key;
use super::folder::Folder;
use super::journal::Change;
use super::options::UpdatedAt;
use super::reasons::random_uuid;
use super::refusal::Refusal;
use super::status::Status;
use super::world::World;

impl World {
    /// Adds an empty folder, and puts it into the set of the key of [`Options::key`](super::Options::key).
    pub fn add_folder(&mut self, name: &str) -> Uuid {
        let id = random_uuid(&mut self.rng);
        let folder = Folder::new(id, name.to_owned(), self.now());
        self.folder_ids.insert(id, self.folders.len());
        self.folders.push(folder);
        self.note(Change::FolderAdded { folder: id });
        let key = self.options.key.clone();
        self.grant(&key, id);
        id
    }

    /// Deletes a folder with its files. It stays in the sets of its keys, and answers 404.
    pub fn delete_folder(&mut self, folder: Uuid) -> Result<(), Refusal> {
        let index = self.folder_index(folder)?;
        let counts = self.folders[index].counts();
        for link in self.folders[index].delete() {
            self.documents[link.document]
                .places
                .retain(|place| place.folder != index);
            self.forget_if_unused(link.document);
        }
        self.note(Change::FolderDeleted { folder, counts });
        Ok(())
    }

    pub fn rename_folder(&mut self, folder: Uuid, name: &str) -> Result<(), Refusal> {
        let index = self.folder_index(folder)?;
        name.clone_into(&mut self.folders[index].name);
        self.folders[index].updated = self.now();
        Ok(())
    }

    /// Sets a file's state and reason, in every folder that shares it.
    pub fn set_status(
        &mut self,
        folder: Uuid,
        file: Uuid,
        status: Status,
        error: Option<&str>,
    ) -> Result<(), Refusal> {
        let (_, document) = self.find_file(folder, file)?;
        self.change_status(document, status, error.map(Arc::from));
        Ok(())
    }

    /// Removes a file from a folder, at every path where the folder has it; removes it entirely when this was its last folder.
    pub fn delete_file(&mut self, folder: Uuid, file: Uuid) -> Result<(), Refusal> {
        let (index, document) = self.find_file(folder, file)?;
        let places = self.documents[document].places.clone();
        for place in places.into_iter().filter(|place| place.folder == index) {
            self.unlink(place);
        }
        Ok(())
    }

    /// Requeues the failed files of a folder, and returns how many.
    pub fn reindex_failed(&mut self, folder: Uuid) -> Result<usize, Refusal> {
        self.requeue(folder, |status| *status == Status::Failed)
    }

    /// Requeues every file of a folder, and returns how many.
    pub fn reindex_all(&mut self, folder: Uuid) -> Result<usize, Refusal> {
        self.requeue(folder, |_| true)
    }

    fn requeue(&mut self, folder: Uuid, of: impl Fn(&Status) -> bool) -> Result<usize, Refusal> {
        let index = self.folder_index(folder)?;
        let folder = &mut self.folders[index];
        let before = folder.counts();
        if let Some(affected) = folder.change_computed(|files| files.requeue(&of, &Status::Pending))
        {
            if affected > 0 {
                self.touch(index, UpdatedAt::Statuses);
                self.note_counts(index, before);
            }
            return Ok(affected);
        }
        let documents = folder.links().map(|link| link.document);
        let affected: BTreeSet<usize> = documents
            .filter(|&document| of(&self.documents[document].status))
            .collect();
        for &document in &affected {
            self.change_status(document, Status::Pending, None);
        }
        Ok(affected.len())
    }

    /// Issues a key with an empty set of folders; an existing one is issued anew.
    pub fn issue_key(&mut self, key: &str) {
        self.access.issue(key);
    }

    /// Puts a folder into a key's set.
    pub fn grant(&mut self, key: &str, folder: Uuid) {
        self.change_key(key, |key| {
            if !key.folders.contains(&folder) {
                key.folders.push(folder);
            }
        });
    }

    /// Replaces a key's set of folders.
    pub fn key_folders(&mut self, key: &str, folders: impl IntoIterator<Item = Uuid>) {
        self.change_key(key, |key| key.folders = folders.into_iter().collect());
    }

    /// Revokes a key, from the next request on.
    pub fn revoke_key(&mut self, key: &str) {
        self.change_key(key, |key| key.revoked = true);
    }

    fn change_key(&mut self, key: &str, change: impl FnOnce(&mut Key)) {
        if let Some(key) = self.access.keys.get_mut(key) {
            change(key);
        }
    }
}
