//! One folder: its links to files, the orders in which they are listed, and its counts.

use std::cmp::Ordering;

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
    /// Links by name, then path, then id, at any time.
    by_name: Vec<usize>,
    /// Links by status, then as in `by_name`; made when asked for, dropped when a status or the order by name changes.
    by_status: Option<Vec<usize>>,
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
            by_status: None,
            counts: Counts::new(),
        }
    }

    pub fn len(&self) -> usize {
        let computed = self.synthetic.as_ref().map(Synthetic::len);
        computed.unwrap_or(self.links.len())
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
        self.by_name.iter().map(|&key| &self.links[key])
    }

    /// Files by status; a status without files is absent.
    pub fn counts(&self) -> Counts {
        self.counts.clone()
    }

    /// Adds a link without putting it in order: [`Folder::sort`] or [`Folder::sort_last`] must follow.
    pub fn append(&mut self, link: Link, status: &Status) -> usize {
        self.count_in(status);
        let key = self.links.insert(link);
        self.by_name.push(key);
        key
    }

    pub fn sort(&mut self) {
        let links = &self.links;
        self.by_name
            .sort_by(|&a, &b| links[a].order().cmp(&links[b].order()));
    }

    /// Puts the link that was appended last in order.
    pub fn sort_last(&mut self) {
        if let Some(key) = self.by_name.pop() {
            self.by_name.insert(self.place(key), key);
        }
    }

    pub fn remove(&mut self, key: usize, status: &Status) -> Link {
        let place = self.place(key);
        self.by_name.remove(place);
        self.count_out(status);
        self.links.remove(key)
    }

    /// Lets a link refer to another document, which leaves its place in the order by name alone.
    pub fn repoint(&mut self, key: usize, document: usize, now: DateTime<Utc>) {
        let link = &mut self.links[key];
        link.document = document;
        link.created = now;
    }

    pub fn count_in(&mut self, status: &Status) {
        self.by_status = None;
        *self.counts.entry(status.clone()).or_default() += 1;
    }

    pub fn count_out(&mut self, status: &Status) {
        self.by_status = None;
        decrease(&mut self.counts, status);
    }

    /// Makes the order by status, unless it is there. `rank` is a document's.
    pub fn order_by_status<K: Ord>(&mut self, rank: impl Fn(usize) -> K) {
        if self.by_status.is_none() {
            let mut keys = self.by_name.clone();
            keys.sort_by_cached_key(|&key| rank(self.links[key].document));
            self.by_status = Some(keys);
        }
    }

    /// The order that [`Folder::order_by_status`] made.
    pub fn by_status(&self) -> &[usize] {
        self.by_status.as_deref().unwrap_or(&self.by_name)
    }

    /// Forgets all links, and remembers how many there were.
    pub fn delete(&mut self) -> Vec<Link> {
        self.deleted_with = Some(self.len());
        self.synthetic = None;
        self.by_name.clear();
        self.by_status = None;
        self.counts.clear();
        self.links.drain().collect()
    }

    fn place(&self, key: usize) -> usize {
        let order = self.links[key].order();
        self.by_name
            .partition_point(|&other| self.links[other].order().cmp(&order) == Ordering::Less)
    }
}
