//! Lists: the folders of a key, the files of a folder page by page, and what lies at a path.

use std::borrow::Cow;
use std::collections::BTreeMap;

use uuid::Uuid;

use super::document::Document;
use super::folder::{Folder, Link};
use super::options::{
    DeletedFolders, EmptyPages, Equals, Position, SortOrder, SortParameters, Switches,
};
use super::refusal::Refusal;
use super::status::Status;
use super::world::World;

/// What the file list is sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SortBy {
    Filename,
    IndexStatus,
}

/// A page asked for; both numbers are at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageNumber {
    pub page: usize,
    pub size: usize,
}

/// A request for a page of the file list.
#[derive(Debug)]
pub(super) struct FileQuery<'a> {
    pub page: PageNumber,
    /// Empty for none.
    pub search: Cow<'a, str>,
    /// Exact subfolder; empty for the root, none for all.
    pub path: Option<Cow<'a, str>>,
    pub sort_by: SortBy,
    pub sort_order: Option<SortOrder>,
}

/// One row of the file list.
pub(super) struct Row<'a> {
    pub link: &'a Link,
    pub document: &'a Document,
}

/// One page of files.
pub(super) struct FilePage<'a> {
    pub rows: Vec<Row<'a>>,
    pub page: PageNumber,
    pub total: usize,
    pub total_pages: usize,
}

/// What lies at a path: subfolders with the number of files below them, and a page of files.
pub(super) struct Contents<'a> {
    pub subfolders: BTreeMap<&'a str, usize>,
    pub files: FilePage<'a>,
}

impl World {
    /// The folders of a key, in the order in which they were granted.
    pub(super) fn own_folders(&self, key: &str) -> Vec<&Folder> {
        let unlisted = self.options.switches.deleted_folders == DeletedFolders::Unlisted;
        let granted = self
            .access
            .key(key)
            .into_iter()
            .flat_map(|key| &key.folders);
        granted
            .filter_map(|id| self.folder_ids.get(id))
            .map(|&index| &self.folders[index])
            .filter(|folder| !(unlisted && folder.deleted_with.is_some()))
            .collect()
    }

    /// One folder.
    pub(super) fn folder(&self, folder: Uuid) -> Result<&Folder, Refusal> {
        Ok(&self.folders[self.folder_index(folder)?])
    }

    /// A page of a folder's files.
    pub(super) fn list(
        &mut self,
        folder: Uuid,
        query: &FileQuery,
    ) -> Result<FilePage<'_>, Refusal> {
        let index = self.folder_index(folder)?;
        self.listings += 1;
        let switches = &self.options.switches;
        let (by, order) = match switches.sort_parameters {
            SortParameters::Obeyed => (query.sort_by, query.sort_order),
            SortParameters::Ignored => (SortBy::Filename, None),
        };
        if by == SortBy::IndexStatus {
            let documents = &self.documents;
            self.folders[index]
                .order_by_status(|document| rank(switches, &documents[document].status));
        }
        let listing = Listing {
            world: self,
            folder: &self.folders[index],
            by,
        };
        let sorted = listing.selected(query);
        let page = PageNumber {
            page: query.page.page,
            size: query.page.size.min(switches.max_page_size).max(1),
        };
        Ok(listing.page(&sorted, page, order.unwrap_or(switches.default_order)))
    }

    /// The subfolders and files at a path of a folder; an unknown path holds nothing.
    pub(super) fn contents(
        &self,
        folder: Uuid,
        path: &str,
        page: PageNumber,
    ) -> Result<Contents<'_>, Refusal> {
        let listing = Listing {
            world: self,
            folder: self.folder(folder)?,
            by: SortBy::Filename,
        };
        let sorted = listing.at_path(path);
        Ok(Contents {
            subfolders: subfolders(listing.folder, path),
            files: listing.page(&sorted, page, SortOrder::Ascending),
        })
    }
}

fn rank(switches: &Switches, status: &Status) -> usize {
    let named = switches.status_order.iter().position(|s| s == status);
    match switches.unnamed_statuses {
        Position::First => named.map_or(0, |place| place + 1),
        Position::Last => named.unwrap_or(switches.status_order.len()),
    }
}

/// Direct subfolders of a path, with the number of files at and below each.
fn subfolders<'a>(folder: &'a Folder, path: &str) -> BTreeMap<&'a str, usize> {
    let mut found = BTreeMap::new();
    for (known, count) in folder.paths() {
        let below = match path {
            "" => Some(&**known),
            path => known
                .strip_prefix(path)
                .and_then(|rest| rest.strip_prefix('/')),
        };
        let name = below.and_then(|below| below.split('/').next());
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            *found.entry(name).or_default() += count;
        }
    }
    found
}

/// A folder being listed.
struct Listing<'a> {
    world: &'a World,
    folder: &'a Folder,
    by: SortBy,
}

impl<'a> Listing<'a> {
    fn row(&self, key: usize) -> Row<'a> {
        let link = self.folder.link(key);
        let document = &self.world.documents[link.document];
        Row { link, document }
    }

    /// The links that a query selects, ascending; borrowed where it selects all.
    fn selected(&self, query: &FileQuery) -> Cow<'a, [usize]> {
        let all = match self.by {
            SortBy::Filename => self.folder.by_name(),
            SortBy::IndexStatus => self.folder.by_status(),
        };
        let needle = query.search.to_lowercase();
        let path = query.path.as_deref();
        if needle.is_empty() && path.is_none() {
            return Cow::Borrowed(all);
        }
        let wanted = |&key: &usize| {
            let here = path.is_none_or(|path| *path == *self.folder.link(key).path);
            here && (needle.is_empty() || self.row(key).mentions(&needle))
        };
        Cow::Owned(all.iter().copied().filter(wanted).collect())
    }

    fn at_path(&self, path: &str) -> Vec<usize> {
        if !self.folder.paths().contains_key(path) {
            return Vec::new();
        }
        let all = self.folder.by_name().iter().copied();
        all.filter(|&key| *self.folder.link(key).path == *path)
            .collect()
    }

    fn page(&self, sorted: &[usize], page: PageNumber, order: SortOrder) -> FilePage<'a> {
        let total = sorted.len();
        let start = (page.page - 1).saturating_mul(page.size).min(total);
        let end = start.saturating_add(page.size).min(total);
        let ascending = |at| match order {
            SortOrder::Ascending => at,
            SortOrder::Descending => total - 1 - at,
        };
        let rows = (start..end)
            .map(|at| self.row(sorted[self.among_equals(sorted, ascending(at))]))
            .collect();
        let empty = match self.world.options.switches.empty_pages {
            EmptyPages::Zero => 0,
            EmptyPages::One => 1,
        };
        FilePage {
            rows,
            page,
            total,
            total_pages: total.div_ceil(page.size).max(empty),
        }
    }

    /// Where the row at a place comes from, when equals shift: the run of its equals, turned by another step at each request.
    fn among_equals(&self, sorted: &[usize], at: usize) -> usize {
        if self.world.options.switches.equals == Equals::Fixed {
            return at;
        }
        let first = sorted.partition_point(|&key| self.compare(key, sorted[at]).is_lt());
        let end = sorted.partition_point(|&key| self.compare(key, sorted[at]).is_le());
        let mut rng = fastrand::Rng::with_seed(self.world.options.seed ^ self.world.listings);
        let step = rng.usize(..end - first);
        first + (at - first + step) % (end - first)
    }

    fn compare(&self, a: usize, b: usize) -> std::cmp::Ordering {
        let (a, b) = (self.row(a), self.row(b));
        match self.by {
            SortBy::Filename => a.link.filename.cmp(&b.link.filename),
            SortBy::IndexStatus => {
                let switches = &self.world.options.switches;
                rank(switches, &a.document.status).cmp(&rank(switches, &b.document.status))
            }
        }
    }
}

impl Row<'_> {
    /// Whether the name or the description holds a text in lower case. Case does not matter, which the interface leaves open.
    fn mentions(&self, needle: &str) -> bool {
        let holds = |text: &str| text.to_lowercase().contains(needle);
        holds(&self.link.filename) || self.document.description().is_some_and(holds)
    }
}
