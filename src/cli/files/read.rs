//! Reads the failed and flagged files of a folder, with as few requests as the portal's sorting allows.

use std::cell::RefCell;
use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use anyhow::Result;
use serde::Serialize;

use crate::aggregate::TallyContext;
use crate::classify::{Classifier, Reason, hide_secrets};
use crate::collect::error::{FetchPage, ReadError};
use crate::collect::full_scan::{ScanOrder, scan_pages};
use crate::collect::progress::Progress;
use crate::collect::sorted::{self, Method};
use crate::config::{Collect, Portal, Strategy};
use crate::count::{Boundaries, DoneFiles, FolderCount};
use crate::model::{ByStatus, FileKey, Status};
use crate::portal::{FileRow, Lane, ListedFolder, PageBody, PageRequest, PortalError, Session};

/// A failed or flagged file, in a document and in a row of CSV. Fields may be added, but not renamed or removed.
#[derive(Debug, Serialize)]
pub(super) struct File<'a> {
    pub folder: &'a str,
    pub name: &'a str,
    pub status: &'static str,
    pub class: &'a str,
    /// Without secrets.
    pub reason: &'a str,
    /// RFC 3339; null if it is unknown.
    pub created: Option<String>,
    pub portal: &'a str,
    pub folder_id: String,
}

/// Takes each file.
pub(super) type Take<'a> = &'a mut dyn FnMut(&File<'_>) -> io::Result<()>;

/// Reads the folders of one portal, one after the other.
pub(super) struct Reader<'a> {
    pub portal: &'a Portal,
    pub session: &'a Session,
    pub collect: &'a Collect,
    pub classifier: Arc<Classifier>,
}

impl Reader<'_> {
    /// Reads a folder, and gives each of its failed and flagged files once. Returns why some may be missing, if so.
    pub async fn read(&self, folder: &ListedFolder, take: Take<'_>) -> Result<Option<String>> {
        let lane = Lane::default();
        let files = &self.session.files(folder.id, &lane);
        let rows = &RefCell::new(Rows {
            reader: self,
            folder,
            take,
            taken: Ok(()),
            seen: HashSet::default(),
            given: ByStatus::default(),
            page_size: None,
        });
        let fetch = |page| async move {
            let body = files.page(page).await?;
            rows.borrow_mut().add(&body)?;
            Ok(body)
        };
        let count = self.count(&fetch, rows).await;
        let mut rows = rows.borrow_mut();
        std::mem::replace(&mut rows.taken, Ok(()))?;
        let count = count?;
        let (said, total) = (folder.file_count, count.files.total());
        Ok(if count.consistent && rows.are_all(&count.files) {
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

    /// Counts a folder, and fetches each page with failed or flagged files: every page if the list is not sorted, or is to be read as a whole.
    async fn count(
        &self,
        fetch: &impl FetchPage,
        rows: &RefCell<Rows<'_>>,
    ) -> Result<FolderCount, ReadError> {
        let progress = Progress::default();
        if self.collect.strategy != Strategy::Full {
            let method = Method {
                in_flight: self.collect.concurrency.get(),
                hints: &Boundaries::default(),
                rows: sorted::Rows::OfBoundaries,
                clock_ahead: 0,
            };
            let classifier = Arc::clone(&self.classifier);
            match sorted::count(fetch, method, classifier, &progress).await {
                Ok(read) => {
                    fetch_rest(fetch, &read.count, rows).await?;
                    return Ok(read.count);
                }
                Err(ReadError::Unsorted { .. } | ReadError::Moving) => {}
                Err(error) => return Err(error),
            }
        }
        let context = TallyContext {
            classifier: Arc::clone(&self.classifier),
            ..TallyContext::default()
        };
        let scan = scan_pages(
            None,
            fetch,
            ScanOrder::Name,
            self.collect,
            context,
            &progress,
        );
        scan.await.map(|(count, _)| count)
    }
}

/// Fetches the pages between the boundaries until all failed and flagged files are given; those of files that are done, if any, at last.
async fn fetch_rest(
    fetch: &impl FetchPage,
    count: &FolderCount,
    rows: &RefCell<Rows<'_>>,
) -> Result<(), ReadError> {
    let DoneFiles::Counted(boundaries) = &count.done else {
        return Ok(());
    };
    let begins = std::iter::once(0).chain(boundaries.positions.iter().copied());
    let ends = boundaries.positions.iter().copied();
    let mut runs: Vec<_> = begins.zip(ends.chain([boundaries.total])).collect();
    runs.sort_by_key(|(begin, end)| end - begin == count.files[Status::Done]);
    let page_size = rows.borrow().page_size.unwrap_or(1).max(1);
    let pages = runs.into_iter().flat_map(|(begin, end)| {
        let pages = begin / page_size..end.div_ceil(page_size);
        pages.map(|page| PageRequest::by_status(page + 1))
    });
    for page in pages {
        if rows.borrow().are_all(&count.files) {
            break;
        }
        fetch(page).await.map_err(ReadError::at(page))?;
    }
    Ok(())
}

/// The failed and flagged files of one folder, as its pages come.
struct Rows<'a> {
    reader: &'a Reader<'a>,
    folder: &'a ListedFolder,
    take: Take<'a>,
    /// The result of taking the last file.
    taken: io::Result<()>,
    /// The files that were given: pages of different moments may list a file twice.
    seen: HashSet<FileKey>,
    given: ByStatus<u64>,
    /// Rows of the first page.
    page_size: Option<u64>,
}

impl Rows<'_> {
    /// Gives the files of a page. An error also ends the read of a folder whose files nobody takes.
    fn add(&mut self, body: &PageBody) -> Result<(), PortalError> {
        let page = body.read(|row| {
            if self.taken.is_ok() && row.status().has_reason() {
                self.taken = self.give(&row);
            }
        })?;
        self.page_size.get_or_insert(page.rows);
        self.taken.as_ref().map_err(|error| {
            let cause = error.to_string();
            PortalError::Connection { cause }
        })?;
        Ok(())
    }

    fn give(&mut self, row: &FileRow<'_>) -> io::Result<()> {
        if !self.seen.insert(row.key()) {
            return Ok(());
        }
        self.given[row.status()] += 1;
        let (text, name) = (row.reason(), row.filename());
        let reason = Reason {
            text: text.as_deref(),
            file: &name,
        };
        (self.take)(&File {
            folder: self.folder.name.label(),
            name: &name,
            status: row.status().as_str(),
            class: self.reader.classifier.classify(reason).as_str(),
            reason: &hide_secrets(reason.text.unwrap_or_default()),
            created: row.created_at().map(|created| created.to_string()),
            portal: self.reader.portal.name.as_str(),
            folder_id: self.folder.id.to_string(),
        })
    }

    /// Whether as many files were given as were counted.
    fn are_all(&self, counts: &ByStatus<u64>) -> bool {
        let mut statuses = Status::WITH_REASON.into_iter();
        statuses.all(|status| self.given[status] == counts[status])
    }
}
