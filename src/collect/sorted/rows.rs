//! The rows that were read, page by page, and what they amount to.

use std::collections::BTreeMap;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use crate::aggregate::{DoneFiles, Known, Reading, Unfinished};
use crate::classify::ErrorTally;
use crate::collect::sorted::names::Names;
use crate::collect::sorted::page::{PageId, Shown};
use crate::memory;
use crate::model::{ByStatus, FileKey, FileMap, Status};
use crate::portal::{FileRow, PageBody, Pagination, PortalError, Whole};

/// Rows by page: a page that is read again replaces what it showed before.
pub(super) struct Rows {
    known: Known,
    errors: ErrorTally,
    hasher: RandomState,
    pages: BTreeMap<PageId, PageRows>,
    /// Pages that were read so far.
    read: u64,
}

struct PageRows {
    /// Counts the pages as they were read: a later one knows better.
    nth: u64,
    files: Vec<(FileKey, Unfinished)>,
}

/// What a page told.
pub(super) struct PageRead {
    pub shown: Shown,
    pub pagination: Pagination,
    pub names: Names,
    /// Which files stand on the page, in their order: both ends with the same are one page, given twice.
    pub digest: u64,
    /// Whether no file stands on the page twice.
    pub distinct: bool,
}

impl Rows {
    pub fn new(known: Known) -> Self {
        Self {
            errors: ErrorTally::new(known.classifier.clone()),
            known,
            hasher: RandomState::default(),
            pages: BTreeMap::new(),
            read: 0,
        }
    }

    /// Reads a page.
    pub fn read(&mut self, id: PageId, body: &PageBody) -> Result<PageRead, PortalError> {
        let mut shown = Shown::default();
        let (mut files, mut keys) = (Vec::new(), Vec::new());
        let page = body.read(|row| {
            shown.add(row.word());
            keys.push(row.key());
            if row.status() != Status::Done {
                files.push((row.key(), unfinished(&row, &mut self.errors)));
            }
        })?;
        let Whole(total) = page.pagination.total;
        shown.total = total;
        self.read += 1;
        let nth = self.read;
        self.pages.insert(id, PageRows { nth, files });
        Ok(PageRead {
            names: Names::of(id.order, &shown, body.names()),
            shown,
            pagination: page.pagination,
            digest: self.hasher.hash_one(&keys),
            distinct: {
                keys.sort_unstable();
                keys.windows(2).all(|pair| pair[0] != pair[1])
            },
        })
    }

    /// Ends with the counts that were found.
    pub fn finish(mut self, counts: ByStatus<u64>) -> Reading {
        let mut pages: Vec<_> = self.pages.into_values().collect();
        pages.sort_unstable_by_key(|page| page.nth);
        let files: FileMap<_> = pages.into_iter().flat_map(|page| page.files).collect();
        let mut read = ByStatus::<u64>::default();
        for file in files.values() {
            read[file.status] += 1;
            // Pages of different moments may show more files than were counted: never by class what is not there in all.
            if let Some(class) = file
                .class
                .filter(|_| read[file.status] <= counts[file.status])
            {
                self.errors.count(file.status, class);
            }
        }
        self.errors.count_unread(ByStatus::from_fn(|status| {
            let with_reason = Status::WITH_REASON.contains(&status);
            let unread = counts[status].saturating_sub(read[status]);
            if with_reason { unread } else { 0 }
        }));
        let mut fits = ByStatus::from_fn(|status| read[status] == counts[status]);
        let unfinished = with_room(files, &self.known, &mut fits);
        Reading {
            counts,
            errors: self.errors.finish(),
            distinct: true,
            unfinished,
            fits,
            done: DoneFiles::Counted,
        }
    }

    /// A page on which a failed file stands.
    pub fn failed_page(&self) -> Option<PageId> {
        let mut pages = self.pages.iter();
        let failed = |page: &PageRows| {
            page.files
                .iter()
                .any(|(_, file)| file.status == Status::Failed)
        };
        pages.find(|(_, page)| failed(page)).map(|(id, _)| *id)
    }

    /// The pages whose rows were read.
    pub fn pages(&self) -> impl Iterator<Item = PageId> {
        self.pages.keys().copied()
    }
}

/// What a page tells about statuses, when nothing of its rows is wanted.
pub(super) fn shown(body: &PageBody) -> Result<Shown, PortalError> {
    let mut shown = Shown::default();
    let page = body.read(|row| shown.add(row.word()))?;
    let Whole(total) = page.pagination.total;
    Ok(Shown { total, ..shown })
}

fn unfinished(row: &FileRow<'_>, errors: &mut ErrorTally) -> Unfinished {
    let status = row.status();
    let with_reason = Status::WITH_REASON.contains(&status);
    Unfinished {
        status,
        created_at: row.created_at(),
        class: with_reason.then(|| errors.classify(row.error())),
    }
}

/// Leaves out files for which there is no room.
fn with_room(
    files: FileMap<Unfinished>,
    known: &Known,
    fits: &mut ByStatus<bool>,
) -> FileMap<Unfinished> {
    memory::fit(files, &known.memory, fits)
}
