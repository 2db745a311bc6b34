//! Reads the failed and flagged files of a folder, with as few requests as the portal's sorting allows.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use anyhow::Result;

use crate::classify::Classifier;
use crate::collect::error::{ReadError, total_of};
use crate::collect::progress::Progress;
use crate::collect::sorted::{self, Method};
use crate::config::{Collect, Strategy};
use crate::count::{Boundaries, FolderCount};
use crate::model::{ByStatus, FileKey, Status, Timestamp};
use crate::portal::{FileRow, Files, Lane, ListedFolder, PageRequest, Session};

/// A failed or flagged file.
#[derive(Debug, Clone, Copy)]
pub(super) struct File<'a> {
    pub name: &'a str,
    pub status: Status,
    pub class: &'a str,
    pub reason: &'a str,
    pub created: Option<Timestamp>,
}

/// Takes each file.
pub(super) type Take<'a> = &'a mut dyn FnMut(File<'_>) -> io::Result<()>;

/// Reads the folders of one portal, one after the other.
pub(super) struct Reader<'a> {
    session: &'a Session,
    collect: &'a Collect,
    classifier: Arc<Classifier>,
}

impl<'a> Reader<'a> {
    pub fn new(session: &'a Session, collect: &'a Collect, classifier: Arc<Classifier>) -> Self {
        Self {
            session,
            collect,
            classifier,
        }
    }

    /// Reads a folder, and gives each of its failed and flagged files once. Returns why some may be missing, if so.
    pub async fn read(&self, folder: &ListedFolder, take: Take<'_>) -> Result<Option<String>> {
        let lane = Lane::default();
        let files = self.session.files(folder.id, &lane);
        let counts = self.count(&files).await;
        // If the key is refused for one folder, the others are read nevertheless.
        self.session.go_on();
        let mut rows = Rows {
            files,
            classifier: Arc::clone(&self.classifier),
            take,
            seen: HashSet::default(),
            given: ByStatus::default(),
            page_size: None,
            total: 0,
            max_pages: self.collect.max_pages_per_folder.get(),
        };
        let read = match counts? {
            Some(count) => {
                rows.total = count.files.total();
                let read = rows.read_ends(count.files).await;
                read.map(|all| all && count.consistent)
            }
            None => rows.read_all().await,
        };
        self.session.go_on();
        let (said, total) = (folder.file_count, rows.total);
        Ok(if read? {
            (total < said).then(|| {
                format!(
                    "the list of folders says {said} files, and the list of files ends at {total}"
                )
            })
        } else {
            let why = "the folder changed while it was read, or its list leaves rows out or repeats them; with collect.strategy full, every page is read";
            Some(why.to_owned())
        })
    }

    /// The count by the boundaries between statuses; `None` if the list is not sorted, or every page is to be read.
    async fn count(&self, files: &Files<'_>) -> Result<Option<FolderCount>, ReadError> {
        if self.collect.strategy == Strategy::Full {
            return Ok(None);
        }
        let method = Method {
            in_flight: self.collect.concurrency.get(),
            hints: &Boundaries::default(),
            first_look: true,
            rows: None,
            clock_ahead: 0,
        };
        let (classifier, progress) = (Arc::clone(&self.classifier), Progress::default());
        let fetch = |page| files.page(page);
        match sorted::count(fetch, method, classifier, &progress).await {
            Ok(read) => Ok(Some(read.count)),
            Err(ReadError::Unsorted { .. } | ReadError::Moving) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The rows of one folder.
struct Rows<'a> {
    files: Files<'a>,
    classifier: Arc<Classifier>,
    take: Take<'a>,
    /// The files that were given: pages of different moments may list a file twice.
    seen: HashSet<FileKey>,
    given: ByStatus<u64>,
    /// Rows of the first page.
    page_size: Option<u64>,
    /// Files of the folder, as the newest page says.
    total: u64,
    max_pages: u64,
}

/// A page that was read.
struct ReadPage {
    rows: u64,
    has_done: bool,
    has_others: bool,
    /// The number of the last page.
    last: u64,
}

impl Rows<'_> {
    /// Reads from both ends of the list by status until files are done: the middle of the list is done as well. Returns whether the files are as many as were counted.
    async fn read_ends(&mut self, counts: ByStatus<u64>) -> Result<bool> {
        let is_counted = |rows: &Self| {
            let mut statuses = Status::WITH_REASON.into_iter();
            statuses.all(|status| rows.given[status] == counts[status])
        };
        let mut first = 1;
        while !is_counted(self) {
            let page = self.page(PageRequest::by_status(first)).await?;
            if first >= page.last {
                return Ok(is_counted(self));
            }
            if page.has_done && !page.has_others {
                break;
            }
            first += 1;
        }
        let mut last = counts.total().div_ceil(self.page_size.unwrap_or(1).max(1));
        while !is_counted(self) && last > first {
            if self.page(PageRequest::by_status(last)).await?.has_done {
                break;
            }
            last -= 1;
        }
        Ok(is_counted(self))
    }

    /// Reads every page. Returns whether the rows are as many as the total.
    async fn read_all(&mut self) -> Result<bool> {
        let (mut number, mut rows) = (1, 0);
        loop {
            let page = self.page(PageRequest::by_name(number)).await?;
            rows += page.rows;
            if number >= page.last {
                return Ok(rows == self.total);
            }
            number += 1;
        }
    }

    async fn page(&mut self, request: PageRequest) -> Result<ReadPage> {
        let body = self.files.page(request).await;
        let body = body.map_err(ReadError::at(request))?;
        let (mut has_done, mut has_others, mut taken) = (false, false, Ok(()));
        let page = body.read(|row| {
            has_done |= row.status() == Status::Done;
            has_others |= row.status() != Status::Done;
            if taken.is_ok() && row.status().has_reason() {
                taken = self.take(&row);
            }
        });
        let page = page.map_err(ReadError::at(request))?;
        taken?;
        let size = *self.page_size.get_or_insert(page.rows.max(1));
        let total = total_of(request, &page.pagination)?;
        self.total = total;
        let (pages, limit) = (total.div_ceil(size), self.max_pages);
        if pages > limit {
            return Err(ReadError::TooManyPages { pages, limit }.into());
        }
        Ok(ReadPage {
            rows: page.rows,
            has_done,
            has_others,
            last: pages,
        })
    }

    fn take(&mut self, row: &FileRow<'_>) -> io::Result<()> {
        if !self.seen.insert(row.key()) {
            return Ok(());
        }
        self.given[row.status()] += 1;
        let reason = row.reason();
        (self.take)(File {
            name: reason.file,
            status: row.status(),
            class: self.classifier.classify(reason).as_str(),
            reason: reason.text.unwrap_or_default(),
            created: row.created_at(),
        })
    }
}
