//! One folder: its links to files, the orders in which they are listed, and its counts.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use slab::Slab;
use uuid::Uuid;

use super::journal::{Counts, decrease};
use super::status::Status;
use super::synthetic::Synthetic;

/// A file's place in a folder.
#[derive(Debug)]
pub(super) struct Link {
    pub id: Uuid,
    pub document: usize,
    pub filename: Box<str>,
    /// Subfolder; empty for the root.
    pub path: Box<str>,
    pub created: DateTime<Utc>,
    /// By which the index sorts it; none while the index does not have it.
    pub indexed: Option<Status>,
    /// It was removed, and the index still has it.
    pub gone: bool,
}

impl Link {
    fn order(&self) -> (&str, &str, Uuid) {
        (&self.filename, &self.path, self.id)
    }
}

/// One folder of the knowledge base.
#[derive(Debug)]
pub(super) struct Folder {
    pub id: Uuid,
    pub name: String,
    pub created: DateTime<Utc>,
    pub updated: DateTime<Utc>,
    /// The number of files that it had when it was deleted.
    pub deleted_with: Option<usize>,
    /// Files that are computed, in place of `links`.
    synthetic: Option<Synthetic>,
    links: Slab<Link>,
    /// Links that the index has by name, then path, then id.
    by_name: Vec<usize>,
    /// The same by status.
    by_status: BTreeMap<Status, Vec<usize>>,
    counts: Counts,
}

impl Folder {
    pub fn new(id: Uuid, name: String, now: DateTime<Utc>) -> Self {
        Self {
            id,
            name,
            created: now,
            updated: now,
            deleted_with: None,
            synthetic: None,
            links: Slab::new(),
            by_name: Vec::new(),
            by_status: BTreeMap::new(),
            counts: Counts::new(),
        }
    }

    pub fn len(&self) -> usize {
        let computed = self.synthetic.as_ref().map(Synthetic::len);
        computed.unwrap_or(self.by_name.len())
    }

    /// The files of a folder that computes them.
    pub fn synthetic(&self) -> Option<&Synthetic> {
        self.synthetic.as_ref()
    }

    /// Makes an empty folder one that computes its files.
    pub fn compute(&mut self, synthetic: Synthetic) {
        self.synthetic = Some(synthetic);
        self.change_computed(|_| {});
    }

    /// Changes computed files, if there are any.
    pub fn change_computed<T>(&mut self, change: impl FnOnce(&mut Synthetic) -> T) -> Option<T> {
        let synthetic = self.synthetic.as_mut()?;
        let changed = change(synthetic);
        self.counts = synthetic.counts();
        Some(changed)
    }

    /// `fileCount` of the folder list.
    pub fn listed_count(&self) -> usize {
        self.deleted_with.unwrap_or(self.len())
    }

    pub fn link(&self, key: usize) -> &Link {
        &self.links[key]
    }

    /// Links by name, then path, then id.
    pub fn by_name(&self) -> &[usize] {
        &self.by_name
    }

    /// The links themselves, in the same order.
    pub fn links(&self) -> impl Iterator<Item = &Link> {
        let links = self.by_name.iter().map(|&key| &self.links[key]);
        links.filter(|link| !link.gone)
    }

    /// Links by status, in the same order.
    pub fn by_status(&self) -> &BTreeMap<Status, Vec<usize>> {
        &self.by_status
    }

    /// Files by status; a status without files is absent.
    pub fn counts(&self) -> Counts {
        self.counts.clone()
    }

    /// Adds a link that the index does not have: [`Folder::index`] must follow.
    pub fn append(&mut self, link: Link, status: &Status) -> usize {
        self.count_in(status);
        self.links.insert(link)
    }

    /// Lets the index take up the status of a link, or that it is gone; a folder that was deleted since has none. `status` is a document's.
    pub fn index(&mut self, key: usize, status: impl Fn(usize) -> Status) {
        let Some(link) = self.links.get_mut(key) else {
            return;
        };
        let status = (!link.gone).then(|| status(link.document));
        let before = std::mem::replace(&mut link.indexed, status.clone());
        if before.is_some() != status.is_some() {
            set(&mut self.by_name, &self.links, key, status.is_some());
        }
        let is_gone = status.is_none();
        if before != status {
            for (status, is_there) in [(before, false), (status, true)] {
                let Some(status) = status else { continue };
                let list = self.by_status.entry(status).or_default();
                set(list, &self.links, key, is_there);
            }
        }
        if is_gone {
            self.links.remove(key);
        }
    }

    /// Removes a link, which the index still has: [`Folder::index`] must follow.
    pub fn remove(&mut self, key: usize, status: &Status) {
        self.count_out(status);
        self.links[key].gone = true;
    }

    /// Lets a link refer to another document, which leaves its place in the order by name alone: [`Folder::index`] must follow.
    pub fn repoint(&mut self, key: usize, document: usize, now: DateTime<Utc>) {
        let link = &mut self.links[key];
        link.document = document;
        link.created = now;
    }

    pub fn count_in(&mut self, status: &Status) {
        *self.counts.entry(status.clone()).or_default() += 1;
    }

    pub fn count_out(&mut self, status: &Status) {
        decrease(&mut self.counts, status);
    }

    /// Forgets all links, and remembers how many there were.
    pub fn delete(&mut self) -> Vec<Link> {
        self.deleted_with = Some(self.len());
        self.synthetic = None;
        self.by_name.clear();
        self.by_status.clear();
        self.counts.clear();
        self.links.drain().collect()
    }
}

/// Puts a link into a list that is in order by name, or takes it out.
fn set(list: &mut Vec<usize>, links: &Slab<Link>, key: usize, is_there: bool) {
    let order = links[key].order();
    let place = list.partition_point(|&other| links[other].order() < order);
    if is_there {
        list.insert(place, key);
    } else {
        list.remove(place);
    }
}
