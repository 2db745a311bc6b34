//! The rows that were read, page by page, and what they amount to.

use std::collections::BTreeMap;

use crate::aggregate::Known;
use crate::classify::ErrorTally;
use crate::collect::sorted::page::{PageNumber, PageStatuses};
use crate::history;
use crate::model::{ByStatus, FileKey, FileMap, Status};
use crate::portal::{FileRow, PageBody, Pagination, PortalError, Whole};
use crate::reading::{DoneFiles, Reading, Unfinished};

/// Rows by page: a page that is read again replaces what it showed before.
pub(super) struct Rows {
    known: Known,
    errors: ErrorTally,
    pages: BTreeMap<PageNumber, PageRows>,
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
    pub statuses: PageStatuses,
    pub pagination: Pagination,
    /// Whether no file is on the page twice.
    pub distinct: bool,
}

impl Rows {
    pub fn new(known: Known) -> Self {
        Self {
            errors: ErrorTally::new(known.classifier.clone()),
            known,
            pages: BTreeMap::new(),
            read: 0,
        }
    }

    /// Reads a page.
    pub fn read(&mut self, page: PageNumber, body: &PageBody) -> Result<PageRead, PortalError> {
        let mut statuses = PageStatuses::default();
        let (mut files, mut keys) = (Vec::new(), Vec::new());
        let read = body.read(|row| {
            statuses.add(row.word());
            keys.push(row.key());
            if row.status() != Status::Done {
                files.push((row.key(), unfinished(&row, &mut self.errors)));
            }
        })?;
        let Whole(total) = read.pagination.total;
        statuses.total = total;
        self.read += 1;
        let nth = self.read;
        self.pages.insert(page, PageRows { nth, files });
        keys.sort_unstable();
        Ok(PageRead {
            statuses,
            pagination: read.pagination,
            distinct: keys.windows(2).all(|pair| pair[0] != pair[1]),
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

    /// A page with a failed file.
    pub fn failed_page(&self) -> Option<PageNumber> {
        let mut pages = self.pages.iter();
        let failed = |page: &PageRows| {
            page.files
                .iter()
                .any(|(_, file)| file.status == Status::Failed)
        };
        pages.find(|(_, page)| failed(page)).map(|(page, _)| *page)
    }

    /// The pages whose rows were read.
    pub fn pages(&self) -> impl Iterator<Item = PageNumber> {
        self.pages.keys().copied()
    }
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
    history::fit(files, &known.history, fits)
}
