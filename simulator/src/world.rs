//! The state of the portal, without HTTP: folders, files, keys, and what changes them.
//!
//! The few ways in which it changes are here, and each leaves a line in the journal.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, SubsecRound, Utc};
use fastrand::Rng;
use slab::Slab;
use uuid::Uuid;

use super::access::Access;
use super::document::{Document, Place};
use super::folder::{Folder, Link};
use super::journal::{Change, FileState, Journal, Ring, Served};
use super::life::{Life, What};
use super::options::{Options, Switches, UpdatedAt};
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
    pub fn new(mut options: Options) -> Self {
        options.base_path = normal_base(&options.base_path);
        let mut access = Access::default();
        access.issue(&options.key);
        Self {
            folders: Vec::new(),
            folder_ids: HashMap::new(),
            documents: Slab::new(),
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
    pub fn now(&self) -> DateTime<Utc> {
        let start = self.options.start;
        let lived = start.map(|start| start + self.life.now());
        lived.unwrap_or_else(Utc::now).trunc_subsecs(3)
    }

    /// The time at which it began to live, if it has a clock of its own.
    pub fn start(&self) -> Option<DateTime<Utc>> {
        self.options.start
    }

    /// The answers that the interface leaves open, which may change while the portal lives.
    pub fn switches(&mut self) -> &mut Switches {
        &mut self.options.switches
    }

    /// Place of a folder that exists.
    pub(super) fn folder_index(&self, folder: Uuid) -> Result<usize, Refusal> {
        let index = self.folder_ids.get(&folder).copied();
        index
            .filter(|&index| self.folders[index].deleted_with.is_none())
            .ok_or(Refusal::FolderGone)
    }

    /// Place of a folder that holds its files, so that single ones can be added, changed and removed.
    pub(super) fn held_index(&self, folder: Uuid) -> Result<usize, Refusal> {
        let index = self.folder_index(folder)?;
        match self.folders[index].synthetic() {
            Some(_) => Err(Refusal::FilesComputed),
            None => Ok(index),
        }
    }

    /// Place of a folder and of a file in it.
    pub(super) fn find_file(&self, folder: Uuid, file: Uuid) -> Result<(usize, usize), Refusal> {
        let index = self.held_index(folder)?;
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
    pub(super) fn store(&mut self, document: Document) -> usize {
        let id = document.id;
        let document = self.documents.insert(document);
        self.by_file.insert(id, document);
        self.enter(document);
        document
    }

    /// Lets a folder refer to a stored file, as if it had been there since a time.
    pub(super) fn link(
        &mut self,
        folder: usize,
        document: usize,
        filename: &str,
        path: &str,
        created: DateTime<Utc>,
    ) {
        let place = self.append(folder, document, filename, path, created);
        let after = self.file_state(document);
        self.touch(folder, UpdatedAt::Files);
        self.note_file(place, None, Some(after));
        self.index(place);
    }

    /// The same without the index, and without a line in the journal: [`World::index_now`] must follow.
    pub(super) fn append(
        &mut self,
        folder: usize,
        document: usize,
        filename: &str,
        path: &str,
        created: DateTime<Utc>,
    ) -> Place {
        let link = Link {
            id: random_uuid(&mut self.rng),
            document,
            filename: filename.into(),
            path: path.into(),
            created,
            indexed: None,
            gone: false,
        };
        let document = &mut self.documents[document];
        let link = self.folders[folder].append(link, &document.status);
        let place = Place { folder, link };
        document.places.push(place);
        place
    }

    /// Lets the index take up what became of a link, when it gets to it.
    fn index(&mut self, place: Place) {
        match self.options.switches.index_delay {
            Duration::ZERO => self.index_now(place),
            delay => self.life.plan(delay, What::Indexed(place)),
        }
    }

    pub(super) fn index_now(&mut self, place: Place) {
        let documents = &self.documents;
        let status = |document: usize| documents[document].status.clone();
        self.folders[place.folder].index(place.link, status);
    }

    /// Lets a link refer to another stored file; the old one goes when nothing else refers to it. The link keeps its id.
    pub(super) fn repoint(&mut self, place: Place, document: usize) {
        let Place { folder, link } = place;
        let now = self.now();
        let old = self.folders[folder].link(link).document;
        let before = self.file_state(old);
        let after = self.file_state(document);
        self.folders[folder].count_out(&before.status);
        self.folders[folder].count_in(&after.status);
        self.folders[folder].repoint(link, document, now);
        self.documents[old].places.retain(|other| *other != place);
        self.documents[document].places.push(place);
        self.touch(folder, UpdatedAt::Files);
        self.note_file(place, Some(before), Some(after));
        self.index(place);
        self.forget_if_unused(old);
    }

    /// Takes a file out of one place.
    pub(super) fn unlink(&mut self, place: Place) {
        let document = self.folders[place.folder].link(place.link).document;
        let before = self.file_state(document);
        self.touch(place.folder, UpdatedAt::Files);
        self.note_file(place, Some(before), None);
        let stored = &mut self.documents[document];
        stored.places.retain(|other| *other != place);
        self.folders[place.folder].remove(place.link, &stored.status);
        self.index(place);
        self.forget_if_unused(document);
    }

    pub(super) fn forget_if_unused(&mut self, document: usize) {
        if self.documents[document].places.is_empty() {
            let gone = self.documents.remove(document);
            self.by_file.remove(&gone.id);
        }
    }

    /// Brings a file into a state, and plans what follows from it.
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
    pub(super) fn change(&mut self, document: usize, change: impl FnOnce(&mut Document)) {
        let before = self.file_state(document);
        change(&mut self.documents[document]);
        let after = self.file_state(document);
        for place in self.documents[document].places.clone() {
            let folder = &mut self.folders[place.folder];
            folder.count_out(&before.status);
            folder.count_in(&after.status);
            self.touch(place.folder, UpdatedAt::Statuses);
            self.note_file(place, Some(before.clone()), Some(after.clone()));
            self.index(place);
        }
    }

    fn file_state(&self, document: usize) -> FileState {
        let document = &self.documents[document];
        FileState {
            file: document.id,
            status: document.status.clone(),
        }
    }

    fn note_file(&mut self, place: Place, before: Option<FileState>, after: Option<FileState>) {
        let folder = &self.folders[place.folder];
        self.note(Change::File {
            folder: folder.id,
            link: folder.link(place.link).id,
            before,
            after,
        });
    }

    /// Sets a folder's `updatedAt`, where it follows changes of this kind.
    pub(super) fn touch(&mut self, folder: usize, kind: UpdatedAt) {
        if self.options.switches.updated_at <= kind {
            self.folders[folder].updated = self.now();
        }
    }

    pub(super) fn note(&mut self, change: Change) {
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
