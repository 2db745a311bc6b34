//! The list of a folder that holds its files.

use std::borrow::Cow;
use std::ops::Range;

use super::order::{Pages, is_named, rank};
use super::{FilePage, FileQuery, Row, SortBy};
use crate::document::Document;
use crate::folder::{Folder, Link};
use crate::world::World;

/// A folder being listed.
pub(super) struct Held<'a> {
    world: &'a World,
    folder: &'a Folder,
    by: SortBy,
}

impl<'a> Held<'a> {
    pub fn new(world: &'a World, folder: &'a Folder, by: SortBy) -> Self {
        Self { world, folder, by }
    }

    /// The links that a query selects, ascending; borrowed where it selects all.
    pub fn selected(&self, query: &FileQuery) -> Cow<'a, [usize]> {
        let all = match self.by {
            SortBy::Filename | SortBy::Creation | SortBy::FilenameWithoutCase => {
                self.folder.by_name()
            }
            SortBy::IndexStatus => self.folder.by_status(),
        };
        let mut all = Cow::Borrowed(all);
        match self.by {
            SortBy::Creation => all
                .to_mut()
                .sort_by_key(|key| self.folder.link(*key).created),
            SortBy::FilenameWithoutCase => {
                let name = |key: &usize| self.folder.link(*key).filename.to_lowercase();
                all.to_mut().sort_by_cached_key(name);
            }
            SortBy::Filename | SortBy::IndexStatus => {}
        }
        let needle = query.search.to_lowercase();
        let path = query.path.as_deref();
        if needle.is_empty() && path.is_none() {
            return all;
        }
        let wanted = |&key: &usize| {
            let here = path.is_none_or(|path| *path == *self.folder.link(key).path);
            here && (needle.is_empty() || self.mentions(key, &needle))
        };
        Cow::Owned(all.iter().copied().filter(wanted).collect())
    }

    /// The links at a path, by name.
    pub fn at_path(&self, path: &str) -> Vec<usize> {
        if !self.folder.paths().contains_key(path) {
            return Vec::new();
        }
        let all = self.folder.by_name().iter().copied();
        all.filter(|&key| *self.folder.link(key).path == *path)
            .collect()
    }

    /// A page of links in ascending order.
    pub fn page(&self, sorted: &[usize], pages: &Pages) -> FilePage<'a> {
        let named = match self.by {
            SortBy::Filename | SortBy::Creation | SortBy::FilenameWithoutCase => sorted.len(),
            SortBy::IndexStatus => sorted.partition_point(|&key| {
                let (_, document) = self.file(key);
                is_named(pages.switches, &document.status)
            }),
        };
        pages.page(sorted.len(), named, |at| {
            let equals = || self.equals(sorted, at, pages);
            Some(self.row(sorted[pages.equal.instead_of(at, equals)]))
        })
    }

    /// The places of the rows that the sort holds for equal to the one at a place.
    fn equals(&self, sorted: &[usize], at: usize, pages: &Pages) -> Range<usize> {
        let compare = |&key: &usize| self.compare(key, sorted[at], pages);
        let first = sorted.partition_point(|key| compare(key).is_lt());
        let end = sorted.partition_point(|key| compare(key).is_le());
        first..end
    }

    fn compare(&self, a: usize, b: usize, pages: &Pages) -> std::cmp::Ordering {
        let ((a, of_a), (b, of_b)) = (self.file(a), self.file(b));
        match self.by {
            SortBy::Filename => a.filename.cmp(&b.filename),
            SortBy::Creation => a.created.cmp(&b.created),
            SortBy::FilenameWithoutCase => {
                a.filename.to_lowercase().cmp(&b.filename.to_lowercase())
            }
            SortBy::IndexStatus => {
                let rank = |document: &'a Document| rank(pages.switches, &document.status);
                rank(of_a).cmp(&rank(of_b))
            }
        }
    }

    fn file(&self, key: usize) -> (&'a Link, &'a Document) {
        let link = self.folder.link(key);
        (link, &self.world.documents[link.document])
    }

    fn row(&self, key: usize) -> Row<'a> {
        let (link, document) = self.file(key);
        Row {
            link_id: link.id,
            id: document.id,
            filename: Cow::Borrowed(&link.filename),
            size: document.size,
            mime: document.format.mime,
            status: &document.status,
            error: document.error.as_deref().map(Cow::Borrowed),
            created: link.created,
        }
    }

    /// Whether the name or the description holds a text in lower case. Case does not matter, which is not documented.
    fn mentions(&self, key: usize, needle: &str) -> bool {
        let (link, document) = self.file(key);
        let holds = |text: &str| text.to_lowercase().contains(needle);
        holds(&link.filename) || document.description().is_some_and(holds)
    }
}
