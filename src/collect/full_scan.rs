//! The full scan: reads every page of a folder.
//!
//! A scan sees each page at another moment. It notices totals that move, rows that it meets twice and rows that
//! are missing; it cannot notice a delete on a page already read that an upload on a page not yet read makes up for.

use std::future::Future;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use crate::aggregate::{Known, Tally};
use crate::collect::error::ReadError;
use crate::collect::progress::Progress;
use crate::collect::rows_end::is_end_of_rows;
use crate::model::Status;
use crate::portal::{Page, PageBody, PageRequest, PortalError, Whole};
use crate::reading::Reading;

/// Bounds of a scan.
#[derive(Debug, Clone, Copy)]
pub struct ScanLimits {
    /// Requests in flight at once.
    pub in_flight: usize,
    /// Pages, at most.
    pub max_pages: u64,
}

/// A scan that reached the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FullScan {
    /// What was read.
    pub reading: Reading,
    /// Whether all totals agreed and the rows were distinct and as many as the total.
    pub consistent: bool,
    /// Pages that were read.
    pub pages: u64,
    /// A page on which a failed file stood.
    pub failed_page: Option<PageRequest>,
    /// Requests that it took: one a page, and those of earlier scans that this one replaces.
    pub requests: u64,
}

/// Scans a folder from its first page, which was read already, to the last, several pages in flight. Pages are taken as they come:
/// one that is late does not keep the next ones from being asked for.
pub async fn scan_pages<F, Fut>(
    first: &PageBody,
    fetch: F,
    limits: ScanLimits,
    known: Known,
    progress: &Progress,
) -> Result<FullScan, ReadError>
where
    F: Fn(u64) -> Fut,
    Fut: Future<Output = Result<PageBody, PortalError>>,
{
    let mut scan = Scan::new(known, limits.max_pages);
    scan.take(1, first, progress)?;
    let fetch = |page| {
        let answer = fetch(page);
        async move { (page, answer.await) }
    };
    let mut in_flight = FuturesUnordered::new();
    let mut next = 2;
    loop {
        while in_flight.len() < limits.in_flight
            && let Some(page) = scan.next_page(next)?
        {
            in_flight.push(fetch(page));
            next = page + 1;
        }
        let Some((page, result)) = in_flight.next().await else {
            return scan.finish();
        };
        let body = result.map_err(|error| ReadError::Portal {
            page: PageRequest::by_name(page),
            error,
        })?;
        scan.take(page, &body, progress)?;
    }
}

/// What a scan knows so far.
struct Scan {
    tally: Tally,
    max_pages: u64,
    pages: u64,
    failed_page: Option<PageRequest>,
    /// Rows that a full page holds, by what the first page held.
    page_size: u64,
    /// The total of the latest page.
    total: u64,
    agreed: bool,
    /// The first page without rows, and the last page with some.
    first_empty: Option<u64>,
    last_with_rows: u64,
}

impl Scan {
    fn new(known: Known, max_pages: u64) -> Self {
        Self {
            tally: Tally::new(known),
            max_pages,
            pages: 0,
            failed_page: None,
            page_size: 0,
            total: 0,
            agreed: true,
            first_empty: None,
            last_with_rows: 0,
        }
    }

    fn take(&mut self, number: u64, body: &PageBody, progress: &Progress) -> Result<(), ReadError> {
        let page = PageRequest::by_name(number);
        let failed = |error| ReadError::Portal { page, error };
        let failed_before = self.tally.files(Status::Failed);
        let read = body.read(|row| self.tally.add(&row)).map_err(failed)?;
        if self.tally.files(Status::Failed) > failed_before {
            self.failed_page.get_or_insert(page);
        }
        self.check(number, read)?;
        self.pages += 1;
        progress.read(read.rows);
        Ok(())
    }

    fn check(&mut self, number: u64, page: Page) -> Result<(), ReadError> {
        let Page { rows, pagination } = page;
        let Whole(total) = pagination.total;
        match pagination.page {
            Some(Whole(came)) if came != number => {
                return Err(ReadError::OtherPage {
                    asked: PageRequest::by_name(number),
                    came,
                });
            }
            _ => {}
        }
        if number == 1 {
            self.page_size = rows;
        } else if total != self.total {
            self.agreed = false;
        }
        self.total = total;
        if rows > 0 {
            self.last_with_rows = self.last_with_rows.max(number);
        } else if self.first_empty.is_none_or(|first| number < first) {
            self.first_empty = Some(number);
        }
        Ok(())
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
        let pages = self.total.div_ceil(self.page_size.max(1));
        if pages > self.max_pages {
            return Err(ReadError::TooManyPages {
                pages,
                limit: self.max_pages,
            });
        }
        Ok(pages)
    }

    fn finish(self) -> Result<FullScan, ReadError> {
        let rows = self.tally.rows();
        if let Some(page) = self.first_empty.filter(|_| rows < self.total) {
            let at_the_end = page > self.last_with_rows;
            if !at_the_end || !is_end_of_rows(rows, self.total, self.page_size) {
                return Err(ReadError::Empty {
                    page: PageRequest::by_name(page),
                    total: self.total,
                });
            }
        }
        let reading = self.tally.finish();
        Ok(FullScan {
            consistent: self.agreed && rows == self.total && reading.distinct,
            reading,
            pages: self.pages,
            failed_page: self.failed_page,
            requests: self.pages,
        })
    }
}

#[cfg(test)]
mod tests;
