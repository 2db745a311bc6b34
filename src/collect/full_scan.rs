//! The full scan: reads every page of a folder.
//!
//! A scan reads each page at a different moment. It detects totals that differ, rows that occur twice and rows that are missing; it
//! cannot detect a delete on a page that was read together with an upload on a page that was not read yet. A page that lacks rows
//! before the last one, or lists a file twice, is read again before it is believed.

use std::collections::BTreeSet;

use futures_util::TryStreamExt;
use futures_util::stream::FuturesUnordered;

use crate::aggregate::{Tally, TallyContext};
use crate::collect::error::{FetchPage, ReadError, total_of};
use crate::collect::layout::{Layout, PageNumber};
use crate::collect::order::{Breaks, RowOrder};
use crate::collect::progress::Progress;
use crate::config::Collect;
use crate::count::FolderCount;
use crate::model::Status;
use crate::portal::{FileRow, Page, PageBody, PageRequest};

/// Pages that are read again in one scan, at most.
const MAX_AGAIN: usize = 10;

/// The order in which a scan asks for the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanOrder {
    /// No row moves while files change their status.
    Name,
    /// The rows show whether the portal sorts.
    Status,
}

impl ScanOrder {
    /// A page of the list in this order, from 1.
    pub fn page(self, number: u64) -> PageRequest {
        match self {
            Self::Name => PageRequest::by_name(number),
            Self::Status => PageRequest::by_status(number),
        }
    }
}

/// Scans a folder from its first page, which may have been read already, to the last, several pages in flight. Pages are processed as they come:
/// a late one does not delay the requests for the next ones. Returns the places as well at which a status comes again.
pub async fn scan_pages(
    first: Option<&PageBody>,
    fetch: impl FetchPage,
    order: ScanOrder,
    limits: &Collect,
    context: TallyContext,
    progress: &Progress,
) -> Result<(FolderCount, Breaks), ReadError> {
    let mut scan = Scan::new(context, limits.max_pages_per_folder.get());
    let mut in_flight = FuturesUnordered::new();
    let request = |number: u64| {
        let page = order.page(number);
        let answer = fetch(page);
        async move {
            let body = answer.await.map_err(ReadError::at(page))?;
            Ok::<_, ReadError>((page, body))
        }
    };
    let is_read = match first {
        Some(first) => scan.add(PageRequest::FIRST, first, progress)?,
        None => false,
    };
    if !is_read {
        in_flight.push(request(1));
    }
    let mut next = 2;
    loop {
        while in_flight.len() < limits.concurrency.get()
            && let Some(number) = scan.next_page(next)?
        {
            in_flight.push(request(number));
            next = number + 1;
        }
        let Some((page, body)) = in_flight.try_next().await? else {
            return scan.finish();
        };
        if !scan.add(page, &body, progress)? {
            in_flight.push(request(page.page));
        }
    }
}

/// What a scan has read so far.
struct Scan {
    tally: Tally,
    max_pages: u64,
    failed_page: Option<PageRequest>,
    /// Rows of a full page, by the first page.
    page_size: u64,
    /// The total of the latest page; none before the first.
    total: Option<u64>,
    totals_agree: bool,
    first_empty: Option<u64>,
    last_with_rows: u64,
    order: RowOrder,
    /// Pages that were read again.
    again: BTreeSet<u64>,
}

impl Scan {
    fn new(context: TallyContext, max_pages: u64) -> Self {
        Self {
            tally: Tally::new(context),
            max_pages,
            failed_page: None,
            page_size: 0,
            total: None,
            totals_agree: true,
            first_empty: None,
            last_with_rows: 0,
            order: RowOrder::default(),
            again: BTreeSet::new(),
        }
    }

    /// Adds a page. Returns false for one that is not believed before it is read again.
    fn add(
        &mut self,
        page: PageRequest,
        body: &PageBody,
        progress: &Progress,
    ) -> Result<bool, ReadError> {
        let mut rows = Vec::new();
        let read = body.read(|row| rows.push(row));
        let Page { pagination, .. } = read.map_err(ReadError::at(page))?;
        let total = total_of(page, &pagination)?;
        let is_doubtful = self.is_short(page.page, rows.len() as u64, total) || is_repeated(&rows);
        if is_doubtful && self.again.len() < MAX_AGAIN && self.again.insert(page.page) {
            return Ok(false);
        }
        self.add_rows(page, &rows);
        match self.total.replace(total) {
            None => self.page_size = rows.len() as u64,
            Some(before) => self.totals_agree &= total == before,
        }
        progress.read(rows.len() as u64);
        Ok(true)
    }

    fn add_rows(&mut self, page: PageRequest, rows: &[FileRow<'_>]) {
        let failed_before = self.tally.files(Status::Failed);
        let words = rows.iter().map(FileRow::word);
        self.order.add(PageNumber::FromStart(page.page), words);
        for row in rows {
            self.tally.add(row);
        }
        if self.tally.files(Status::Failed) > failed_before {
            self.failed_page.get_or_insert(page);
        }
        if rows.is_empty() {
            let first = self.first_empty.unwrap_or(page.page);
            self.first_empty = Some(first.min(page.page));
        } else {
            self.last_with_rows = self.last_with_rows.max(page.page);
        }
    }

    /// Whether a page lacks rows before the last one.
    fn is_short(&self, page: u64, rows: u64, total: u64) -> bool {
        rows < self.page_size && page < total.div_ceil(self.page_size)
    }

    /// The page to ask for next, from this one on. Behind a page without rows only the last one is asked for, to see that it has none
    /// either.
    fn next_page(&self, next: u64) -> Result<Option<u64>, ReadError> {
        let last = self.last_page()?;
        let page = if self.first_empty.is_some() {
            next.max(last)
        } else {
            next
        };
        Ok((page <= last).then_some(page))
    }

    /// The last page by the latest total.
    fn last_page(&self) -> Result<u64, ReadError> {
        let (pages, limit) = (self.total().div_ceil(self.page_size.max(1)), self.max_pages);
        if pages > limit {
            return Err(ReadError::TooManyPages { pages, limit });
        }
        Ok(pages)
    }

    fn total(&self) -> u64 {
        self.total.unwrap_or(0)
    }

    fn finish(self) -> Result<(FolderCount, Breaks), ReadError> {
        let (rows, total) = (self.tally.rows(), self.total());
        if let Some(page) = self.first_empty.filter(|_| rows < total) {
            let at_the_end = page > self.last_with_rows;
            let layout = Layout {
                total,
                page_size: self.page_size,
                from_both_ends: false,
            };
            if !at_the_end || !layout.may_end_at(rows) {
                let page = PageRequest::by_name(page);
                return Err(ReadError::Empty { page, total });
            }
        }
        let breaks = self.order.breaks();
        let mut count = self.tally.finish();
        let left_out = total.saturating_sub(rows - count.repeated_rows);
        count.consistent &= self.totals_agree && rows == total;
        count.failed_page = self.failed_page;
        if self.totals_agree {
            // Nothing changed that explains files that are left out, or listed twice: it may be so at each scan.
            count.missing_rows = left_out;
            count.left_out = (count.repeated_rows == 0).then_some(left_out);
        } else {
            count.left_out = Some(left_out);
            count.repeated_rows = 0;
        }
        Ok((count, breaks))
    }
}

/// Whether a page lists a file twice.
fn is_repeated(rows: &[FileRow<'_>]) -> bool {
    let mut keys: Vec<_> = rows.iter().map(FileRow::key).collect();
    keys.sort_unstable();
    keys.windows(2).any(|pair| pair[0] == pair[1])
}

#[cfg(test)]
mod tests;
