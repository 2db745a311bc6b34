//! The state of the portal, without HTTP: folders, files, keys, and what changes them.
//!
//! Every change goes through here and leaves a line in the journal.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::Arc;

use chrono::{DateTime, SubsecRound, Utc};
use fastrand::Rng;
use slab::Slab;
use uuid::Uuid;

use super::access::{Access, Call};
use super::document::{Blueprint, Document, Place};
use super::folder::{Folder, Link, Tally};
use super::journal::{Change, Counts, Entry, FileState, Journal, Ring, Served};
use super::life::Life;
use super::options::{Clock, FlaggedFiles, Options};
use super::reasons::random_uuid;
use super::refusal::Refusal;
use super::status::Status;

/// The state of a simulated portal.
#[derive(Debug)]
pub struct World {
    pub(super) options: Options,
    pub(super) folders: Vec<Folder>,
    pub(super) folder_ids: HashMap<Uuid, usize>,
    pub(super) documents: Slab<Document>,
    pub(super) by_content: HashMap<u128, usize>,
    pub(super) by_file: HashMap<Uuid, usize>,
    pub(super) access: Access,
    pub(super) journal: Journal,
    pub(super) served: Ring<Served>,
    pub(super) listings: u64,
    pub(super) life: Life,
    pub(super) rng: Rng,
}

impl World {
    /// A world without folders, with one key.
    #[must_use]
    pub fn new(mut options: Options) -> Self {
        options.base_path = normal_base(&options.base_path);
        let mut access = Access::default();
        access.issue(&options.key, options.log_capacity);
        Self {
            folders: Vec::new(),
            folder_ids: HashMap::new(),
            documents: Slab::new(),
            by_content: HashMap::new(),
            by_file: HashMap::new(),
            access,
            journal: Journal::new(options.log_capacity),
            served: Ring::new(options.log_capacity),
            listings: 0,
            life: Life::new(options.seed),
            rng: Rng::with_seed(options.seed),
            options,
        }
    }

    /// The time that changes are stamped with, in whole milliseconds.
    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        match self.options.clock {
            Clock::System => Utc::now().trunc_subsecs(3),
            Clock::From(start) => start + self.life.elapsed(),
        }
    }

    /// Adds an empty folder, and puts it into the set of the key of [`Options::key`].
    pub fn add_folder(&mut self, name: &str) -> Uuid {
        let id = random_uuid(&mut self.rng);
        let description = format!("Documents of {name}");
        let folder = Folder::new(id, name.to_owned(), description, self.now());
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
        let counts = counts(&self.folders[index]);
        for link in self.folders[index].delete() {
            self.documents[link.document]
                .places
                .retain(|place| place.folder != index);
            self.forget_if_unused(link.document);
        }
        self.note(Change::FolderDeleted { folder, counts });
        Ok(())
    }

    /// Renames a folder.
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

    /// Sets a file's size in bytes, in every folder that shares it.
    pub fn set_size(&mut self, folder: Uuid, file: Uuid, size: u64) -> Result<(), Refusal> {
        let (_, document) = self.find_file(folder, file)?;
        self.change(document, |document| document.size = size);
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
        let keep_flagged = self.options.switches.flagged_files == FlaggedFiles::Kept;
        self.requeue(folder, |status| {
            !(keep_flagged && *status == Status::Flagged)
        })
    }

    fn requeue(&mut self, folder: Uuid, of: impl Fn(&Status) -> bool) -> Result<usize, Refusal> {
        let index = self.folder_index(folder)?;
        let folder = &self.folders[index];
        let links = folder.by_name().iter().map(|&key| folder.link(key));
        let mut affected: Vec<usize> = links
            .map(|link| link.document)
            .filter(|&document| of(&self.documents[document].status))
            .collect();
        affected.sort_unstable();
        affected.dedup();
        for &document in &affected {
            self.change_status(document, self.options.switches.requeued.clone(), None);
        }
        Ok(affected.len())
    }

    /// Issues a key with an empty set of folders; an existing one is issued anew.
    pub fn issue_key(&mut self, key: &str) {
        self.access.issue(key, self.options.log_capacity);
        self.note_key(key);
    }

    /// Puts a folder into a key's set.
    pub fn grant(&mut self, key: &str, folder: Uuid) {
        if let Some(known) = self.access.key_mut(key)
            && !known.folders.contains(&folder)
        {
            known.folders.push(folder);
            self.note_key(key);
        }
    }

    /// Replaces a key's set of folders.
    pub fn key_folders(&mut self, key: &str, folders: impl IntoIterator<Item = Uuid>) {
        if let Some(known) = self.access.key_mut(key) {
            known.folders = folders.into_iter().collect();
            self.note_key(key);
        }
    }

    /// Revokes a key, from the next request on.
    pub fn revoke_key(&mut self, key: &str) {
        if let Some(known) = self.access.key_mut(key) {
            known.revoked = true;
            self.note_key(key);
        }
    }

    /// Ends a key's life at a time; `None` for never.
    pub fn expire_key(&mut self, key: &str, at: Option<DateTime<Utc>>) {
        if let Some(known) = self.access.key_mut(key) {
            known.expires = at;
            self.note_key(key);
        }
    }

    /// Accepts calls from these addresses only; `None` for all.
    pub fn allow_addresses(&mut self, addresses: Option<BTreeSet<IpAddr>>) {
        self.access.allow_addresses(addresses);
        self.note(Change::Addresses);
    }

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
        Some(counts(&self.folders[index]))
    }

    /// Files of a folder by status as they were after the change with this number.
    ///
    /// `None` when the folder did not exist then, the number is in the future, or the journal does not reach back so far ([`Options::log_capacity`]).
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

    /// Ids of a folder's files, in the order of their names.
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
    pub fn journal(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.journal.entries()
    }

    /// The requests that are kept, in the order of their answers.
    pub fn requests(&self) -> impl DoubleEndedIterator<Item = &Served> {
        self.served.iter()
    }

    /// Place of a folder that exists.
    pub(super) fn folder_index(&self, folder: Uuid) -> Result<usize, Refusal> {
        let index = self.folder_ids.get(&folder).copied();
        index
            .filter(|&index| self.folders[index].deleted_with.is_none())
            .ok_or(Refusal::FolderGone)
    }

    /// Place of a folder and of a file in it.
    pub(super) fn find_file(&self, folder: Uuid, file: Uuid) -> Result<(usize, usize), Refusal> {
        let index = self.folder_index(folder)?;
        let document = self.by_file.get(&file).copied();
        let document = document.ok_or(Refusal::FileUnknown)?;
        let places = &self.documents[document].places;
        if places.iter().any(|place| place.folder == index) {
            Ok((index, document))
        } else {
            Err(Refusal::FileUnknown)
        }
    }

    /// Stores a file that no folder refers to yet: [`World::link`] or [`World::repoint`] must follow.
    pub(super) fn store(&mut self, plan: Blueprint) -> usize {
        let id = random_uuid(&mut self.rng);
        let document = self.documents.insert(Document::new(id, plan));
        self.by_content
            .insert(self.documents[document].fingerprint, document);
        self.by_file.insert(id, document);
        self.enter(document);
        document
    }

    /// Lets a folder refer to a stored file.
    pub(super) fn link(&mut self, index: usize, document: usize, filename: &str, path: &str) {
        let created = self.now();
        let link = self.new_link(index, document, filename, path, created);
        let stored = &self.documents[document];
        let key = self.folders[index].insert(link, &stored.status, stored.size);
        self.documents[document].places.push(Place {
            folder: index,
            link: key,
        });
        self.note_file(index, key, None, Some(document));
    }

    /// A link that is in no folder yet.
    pub(super) fn new_link(
        &mut self,
        index: usize,
        document: usize,
        filename: &str,
        path: &str,
        created: DateTime<Utc>,
    ) -> Link {
        Link {
            id: random_uuid(&mut self.rng),
            document,
            filename: filename.into(),
            path: self.folders[index].path(path),
            created,
        }
    }

    /// Lets a link refer to another stored file; the old one goes when nothing else refers to it. The link keeps its id.
    pub(super) fn repoint(&mut self, place: Place, document: usize) {
        let Place { folder, link } = place;
        let now = self.now();
        let old = self.folders[folder].link(link).document;
        let before = self.file_state(old);
        let after = self.file_state(document);
        self.folders[folder].count_out(&before.status, before.size);
        self.folders[folder].count_in(&after.status, after.size);
        self.folders[folder].repoint(link, document, now);
        self.documents[old].places.retain(|other| *other != place);
        self.documents[document].places.push(place);
        self.note_file(folder, link, Some(before), Some(document));
        self.forget_if_unused(old);
    }

    /// Takes a file out of one place.
    pub(super) fn unlink(&mut self, place: Place) {
        let document = self.folders[place.folder].link(place.link).document;
        let before = self.file_state(document);
        self.note_file(place.folder, place.link, Some(before), None);
        let stored = &mut self.documents[document];
        stored.places.retain(|other| *other != place);
        self.folders[place.folder].remove(place.link, &stored.status, stored.size);
        self.forget_if_unused(document);
    }

    fn forget_if_unused(&mut self, document: usize) {
        if self.documents[document].places.is_empty() {
            let gone = self.documents.remove(document);
            self.by_content.remove(&gone.fingerprint);
            self.by_file.remove(&gone.id);
        }
    }

    /// Brings a file into a state, and tells life.
    pub(super) fn change_status(
        &mut self,
        document: usize,
        status: Status,
        error: Option<Arc<str>>,
    ) {
        self.change(document, |document| {
            document.status = status;
            document.error = error;
        });
        self.enter(document);
    }

    /// Changes a file, its counts in every folder that shares it, and the journal.
    fn change(&mut self, document: usize, change: impl FnOnce(&mut Document)) {
        let before = self.file_state(document);
        change(&mut self.documents[document]);
        let after = self.file_state(document);
        for at in 0..self.documents[document].places.len() {
            let Place { folder, link } = self.documents[document].places[at];
            self.folders[folder].count_out(&before.status, before.size);
            self.folders[folder].count_in(&after.status, after.size);
            let change = Change::File {
                folder: self.folders[folder].id,
                link: self.folders[folder].link(link).id,
                before: Some(before.clone()),
                after: Some(after.clone()),
            };
            self.note(change);
        }
    }

    fn file_state(&self, document: usize) -> FileState {
        let document = &self.documents[document];
        FileState {
            file: document.id,
            status: document.status.clone(),
            size: document.size,
        }
    }

    pub(super) fn note_file(
        &mut self,
        index: usize,
        link: usize,
        before: Option<FileState>,
        after: Option<usize>,
    ) {
        let now = self.now();
        let folder = &mut self.folders[index];
        folder.updated = now;
        let change = Change::File {
            folder: folder.id,
            link: folder.link(link).id,
            before,
            after: after.map(|document| self.file_state(document)),
        };
        self.note(change);
    }

    fn note_key(&mut self, key: &str) {
        self.note(Change::Key {
            key: key.to_owned(),
        });
    }

    fn note(&mut self, change: Change) {
        let now = self.now();
        self.journal.write(now, change);
    }
}

/// Empty, or beginning with a slash and not ending with one.
fn normal_base(path: &str) -> String {
    match path.trim_matches('/') {
        "" => String::new(),
        path => format!("/{path}"),
    }
}

fn counts(folder: &Folder) -> Counts {
    let tallies = folder.tallies().iter();
    tallies
        .map(|(status, tally)| (status.clone(), tally.files))
        .collect()
}
