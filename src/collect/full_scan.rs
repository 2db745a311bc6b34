//! The full scan: reads every page of a folder.
//!
//! A scan reads each page at a different moment. It detects totals that differ, rows that occur twice and rows that are missing; it
//! cannot detect a delete on a page that was read together with an upload on a page that was not read yet. A page that lacks rows
//! before the last one, or lists a file twice, is read again before it is believed.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::TryStreamExt;
use futures_util::stream::FuturesUnordered;

use crate::aggregate::{Tally, TallyContext};
use crate::collect::error::{FetchPage, ReadError, read_rows};
use crate::collect::layout::may_end_at;
use crate::collect::progress::Progress;
use crate::collect::sorting::breaks;
use crate::count::FolderCount;
use crate::model::{Status, StatusWord};
use crate::portal::{FileRow, PageBody, PageRequest, Sort};

/// Pages that are read again in one scan, at most.
const MAX_AGAIN: usize = 10;

/// Runs of equal statuses of a page that are looked at, at most: one of them comes again where there are more.
const MOST_RUNS: usize = Status::ALL.len() + 1;

/// How many pages are read.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub in_flight: usize,
    pub max_pages: u64,
}

/// The places of a scan by status at which a status comes again after another one: the pages that show it together.
pub type Breaks = Vec<[PageRequest; 3]>;

/// Scans a folder from its first page to the last, several pages in flight. Pages are processed as they come: a late one does not delay the requests
/// for the next ones.
pub async fn scan_pages(
    fetch: impl FetchPage,
    sort: Sort,
    limits: Limits,
    context: TallyContext,
    progress: &Progress,
) -> Result<(FolderCount, Breaks), ReadError> {
    let mut scan = Scan::new(context, limits.max_pages);
    let mut in_flight = FuturesUnordered::from_iter([fetch(sort.page(1))]);
    let mut next = 2;
    while let Some((page_read, body)) = in_flight.try_next().await? {
        match scan.add(page_read, &body)? {
            Some(rows) => progress.read(rows),
            None => in_flight.push(fetch(page_read)),
        }
        while in_flight.len() < limits.in_flight
            && let Some(number) = scan.next_page(next)?
        {
            in_flight.push(fetch(sort.page(number)));
            next = number + 1;
        }
    }
    scan.finish()
}

/// What a scan has read so far.
struct Scan {
    tally: Tally,
    max_pages: u64,
    /// Rows of a full page: those of the page with most.
    page_size: u64,
    /// The total of the latest page; none before the first.
    total: Option<u64>,
    totals_agree: bool,
    first_empty: Option<PageRequest>,
    last_with_rows: u64,
    failed_page: Option<PageRequest>,
    /// The statuses of each page in their order, adjacent equal ones once.
    runs: BTreeMap<PageRequest, Box<[StatusWord]>>,
    /// Pages that were read again.
    again: BTreeSet<PageRequest>,
}

impl Scan {
    fn new(context: TallyContext, max_pages: u64) -> Self {
        Self {
            tally: Tally::new(context),
            max_pages,
            page_size: 0,
            total: None,
            totals_agree: true,
            first_empty: None,
            last_with_rows: 0,
            failed_page: None,
            runs: BTreeMap::new(),
            again: BTreeSet::new(),
        }
    }

    /// Adds a page; returns its number of rows, or none if it is not believed before it is read again.
    fn add(&mut self, page: PageRequest, body: &PageBody) -> Result<Option<u64>, ReadError> {
        let mut rows = Vec::new();
        let total = read_rows(page, body, |row| rows.push(row))?.total;
        let number = rows.len() as u64;
        let is_short = number < self.page_size && page.page < total.div_ceil(self.page_size);
        let is_doubtful = is_short || is_repeated(&rows);
        if is_doubtful && self.again.len() < MAX_AGAIN && self.again.insert(page) {
            return Ok(None);
        }
        self.page_size = self.page_size.max(number);
        let before = self.total.replace(total);
        self.totals_agree &= before.is_none_or(|before| before == total);
        self.add_rows(page, &rows);
        Ok(Some(number))
    }

    fn add_rows(&mut self, page: PageRequest, rows: &[FileRow<'_>]) {
        for row in rows {
            self.tally.add(row);
        }
        if rows.is_empty() {
            let first = self.first_empty.unwrap_or(page);
            self.first_empty = Some(first.min(page));
        } else {
            self.last_with_rows = self.last_with_rows.max(page.page);
        }
        if rows.iter().any(|row| row.status() == Status::Failed) {
            self.failed_page.get_or_insert(page);
        }
        if page.sort == Sort::Status {
            let mut runs: Vec<_> = rows.iter().map(FileRow::word).collect();
            runs.dedup();
            runs.truncate(MOST_RUNS);
            self.runs.insert(page, runs.into());
        }
    }

    /// The page to ask for next, from this one on. Behind a page without rows only the last one is asked for, to see that it has none
    /// either.
    fn next_page(&self, next: u64) -> Result<Option<u64>, ReadError> {
        let total = self.total.unwrap_or(0);
        let (pages, limit) = (total.div_ceil(self.page_size.max(1)), self.max_pages);
        if pages > limit {
            return Err(ReadError::TooManyPages { pages, limit });
        }
        let next = match self.first_empty {
            Some(_) => next.max(pages),
            None => next,
        };
        Ok((next <= pages).then_some(next))
    }

    fn finish(self) -> Result<(FolderCount, Breaks), ReadError> {
        let (rows, total) = (self.tally.rows(), self.total.unwrap_or(0));
        if let Some(page) = self.first_empty.filter(|_| rows < total) {
            let is_end = page.page > self.last_with_rows;
            if !is_end || !may_end_at(rows, total, self.page_size) {
                return Err(ReadError::Empty { page, total });
            }
        }
        let runs = self.runs.iter();
        let breaks = breaks(runs.flat_map(|(page, runs)| runs.iter().map(|word| (*page, *word))));
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
