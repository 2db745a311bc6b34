//! One folder: its links to files, the orders in which they are listed, and its counts.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use slab::Slab;
use uuid::Uuid;

use super::journal::Counts;
use super::status::Status;
use super::synthetic::{self, Synthetic};

/// How many files and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub files: u64,
    /// Sum of their sizes, in bytes.
    pub bytes: u64,
}

/// A file's place in a folder.
#[derive(Debug)]
pub(super) struct Link {
    pub id: Uuid,
    pub document: usize,
    pub filename: Box<str>,
    /// Subfolder; empty for the root.
    pub path: Arc<str>,
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
    pub description: String,
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
    paths: BTreeMap<Arc<str>, usize>,
    tallies: BTreeMap<Status, Tally>,
}

impl Folder {
    pub fn new(id: Uuid, name: String, description: String, now: DateTime<Utc>) -> Self {
        Self {
            id,
            name,
            description,
            created: now,
            updated: now,
            deleted_with: None,
            synthetic: None,
            links: Slab::new(),
            by_name: Vec::new(),
            by_status: None,
            paths: BTreeMap::new(),
            tallies: BTreeMap::new(),
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
        let tally = |(status, files)| {
            let bytes = files * synthetic::SIZE;
            (status, Tally { files, bytes })
        };
        self.tallies = synthetic.counts().into_iter().map(tally).collect();
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

    /// Files at each subfolder path; the root is the empty path.
    pub fn paths(&self) -> &BTreeMap<Arc<str>, usize> {
        &self.paths
    }

    pub fn tallies(&self) -> &BTreeMap<Status, Tally> {
        &self.tallies
    }

    /// Files by status; a status without files is absent.
    pub fn counts(&self) -> Counts {
        let tallies = self.tallies.iter();
        tallies
            .map(|(status, tally)| (status.clone(), tally.files))
            .collect()
    }

    /// The link of the file with this name at this path.
    pub fn find(&self, filename: &str, path: &str) -> Option<usize> {
        let place = self.by_name.partition_point(|&key| {
            let link = &self.links[key];
            (&*link.filename, &*link.path) < (filename, path)
        });
        let key = *self.by_name.get(place)?;
        let link = &self.links[key];
        (&*link.filename == filename && &*link.path == path).then_some(key)
    }

    /// The folder's own copy of a path, shared by all links of a subfolder.
    pub fn path(&self, path: &str) -> Arc<str> {
        match self.paths.get_key_value(path) {
            Some((known, _)) => Arc::clone(known),
            None => path.into(),
        }
    }

    /// Adds a link without putting it in order: [`Folder::sort`] or [`Folder::sort_last`] must follow.
    pub fn append(&mut self, link: Link, status: &Status, size: u64) -> usize {
        *self.paths.entry(Arc::clone(&link.path)).or_default() += 1;
        self.count_in(status, size);
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

    pub fn remove(&mut self, key: usize, status: &Status, size: u64) -> Link {
        let place = self.place(key);
        self.by_name.remove(place);
        self.count_out(status, size);
        let link = self.links.remove(key);
        if let Some(count) = self.paths.get_mut(&link.path) {
            *count -= 1;
            if *count == 0 {
                self.paths.remove(&link.path);
            }
        }
        link
    }

    /// Lets a link refer to another document, which leaves its place in the order by name alone.
    pub fn repoint(&mut self, key: usize, document: usize, now: DateTime<Utc>) {
        let link = &mut self.links[key];
        link.document = document;
        link.created = now;
    }

    pub fn count_in(&mut self, status: &Status, size: u64) {
        self.by_status = None;
        let tally = self.tallies.entry(status.clone()).or_default();
        tally.files += 1;
        tally.bytes += size;
    }

    pub fn count_out(&mut self, status: &Status, size: u64) {
        self.by_status = None;
        if let Some(tally) = self.tallies.get_mut(status) {
            tally.files -= 1;
            tally.bytes -= size;
            if tally.files == 0 {
                self.tallies.remove(status);
            }
        }
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
        self.paths.clear();
        self.tallies.clear();
        self.links.drain().collect()
    }

    fn place(&self, key: usize) -> usize {
        let order = self.links[key].order();
        self.by_name
            .partition_point(|&other| self.links[other].order().cmp(&order) == Ordering::Less)
    }
}

#[cfg(test)]
mod tests {
    use super::{Folder, Link};
    use crate::status::Status;
    use chrono::Utc;
    use uuid::Uuid;

    fn link(folder: &Folder, filename: &str, path: &str, id: u128) -> Link {
        Link {
            id: Uuid::from_u128(id),
            document: 0,
            filename: filename.into(),
            path: folder.path(path),
            created: Utc::now(),
        }
    }

    fn folder() -> Folder {
        Folder::new(Uuid::nil(), "F".into(), String::new(), Utc::now())
    }

    fn names(folder: &Folder) -> Vec<&str> {
        let keys = folder.by_name().iter();
        keys.map(|&key| &*folder.link(key).filename).collect()
    }

    #[test]
    fn links_stay_in_order_however_they_come_and_go() {
        let mut folder = folder();
        for (id, name) in (0..).zip(["m", "a", "z", "b"]) {
            let link = link(&folder, name, "", id);
            folder.append(link, &Status::Done, 1);
            folder.sort_last();
        }
        assert_eq!(names(&folder), ["a", "b", "m", "z"]);
        let key = folder.find("m", "").unwrap();
        folder.remove(key, &Status::Done, 1);
        assert_eq!(names(&folder), ["a", "b", "z"]);
        let late = link(&folder, "aa", "", 9);
        folder.append(late, &Status::Done, 1);
        folder.sort();
        assert_eq!(names(&folder), ["a", "aa", "b", "z"]);
        assert_eq!(folder.tallies()[&Status::Done].files, 4);
    }

    #[test]
    fn a_file_is_found_by_name_and_path_together() {
        let mut folder = folder();
        for (id, path) in (0..).zip(["", "2024", "2025"]) {
            let link = link(&folder, "a", path, id);
            folder.append(link, &Status::Done, 1);
            folder.sort_last();
        }
        let found = folder.find("a", "2024").unwrap();
        assert_eq!(&*folder.link(found).path, "2024");
        assert_eq!(folder.find("a", "2023"), None);
        folder.remove(found, &Status::Done, 1);
        assert_eq!(folder.find("a", "2024"), None);
        assert!(!folder.paths().contains_key("2024"));
    }
}
