//! Reads pages until every boundary is known, and reads again what the boundaries follow from until it is the same twice.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;

use futures_util::{StreamExt, TryStreamExt, stream};

use crate::collect::error::ReadError;
use crate::collect::rows_end::is_end_of_rows;
use crate::collect::sorted::boundary_pages::boundary_pages;
use crate::collect::sorted::map::{CellRange, Map, is_unsorted};
use crate::collect::sorted::page::{Layout, PageNumber, PageStatuses};
use crate::collect::sorted::rows::Rows;
use crate::collect::sorted::{Method, plan};
use crate::collect::sorting::evidence;
use crate::portal::{PageBody, PageRequest, Pagination, PortalError, Whole};

/// What differs between two reads is searched again so often.
const ATTEMPTS: u32 = 3;

/// Requests of one search, at most: far more than any folder needs that can be counted at all.
const MAX_REQUESTS: u64 = 1_000;

/// Files that no folder has: a larger total is a mistake of the portal.
const MAX_TOTAL: u64 = 1_000_000_000_000;

/// A search under way.
pub(super) struct Search<'a, F> {
    fetch: F,
    method: Method<'a>,
    pub rows: Rows,
    pages: BTreeMap<PageNumber, Seen>,
    layout: Layout,
    attempt: u32,
    /// The page that was read last of all, with no other in flight.
    last_alone: Option<PageNumber>,
    pub requests: u64,
    /// Whether a page showed that the portal sorts by status.
    pub shows_sorting: bool,
}

/// What a search found.
pub(super) struct Found {
    pub layout: Layout,
    /// The whole list, front to back, without gaps.
    pub ranges: Vec<CellRange>,
    /// Whether every boundary was read the same twice.
    pub settled: bool,
    /// Whether moreover the rows are as many as the total.
    pub consistent: bool,
}

/// The latest read of a page.
struct Seen {
    statuses: PageStatuses,
    /// What it tells holds from this attempt on.
    attempt: u32,
    /// Counts the reads: a later one knows better.
    nth: u64,
    /// Whether it has as many rows as it should, and no file twice.
    whole: bool,
}

impl<'a, F, Fut> Search<'a, F>
where
    F: Fn(PageRequest) -> Fut,
    Fut: Future<Output = Result<PageBody, PortalError>>,
{
    /// Prepares a search.
    pub fn new(fetch: F, method: Method<'a>, rows: Rows) -> Self {
        Self {
            fetch,
            method,
            rows,
            pages: BTreeMap::new(),
            layout: Layout {
                total: 0,
                page_size: 1,
            },
            attempt: 0,
            last_alone: None,
            requests: 0,
            shows_sorting: false,
        }
    }

    /// Finds every boundary.
    pub async fn run(&mut self) -> Result<Found, ReadError> {
        self.read(BTreeSet::from([PageNumber::FIRST])).await?;
        let first = self.pages.get(&PageNumber::FIRST);
        if first.is_none_or(|seen| seen.statuses.rows() >= self.layout.total) {
            return Ok(self.found(true));
        }
        loop {
            self.explore().await?;
            let same = self.read_boundaries_again().await?;
            let found = self.found(same);
            if same && is_unsorted(&found.ranges) {
                let pages = boundary_pages(&found.ranges, self.layout);
                return Err(ReadError::Unsorted {
                    pages: pages.into_iter().collect(),
                    layout: self.layout,
                });
            }
            if same || self.attempt >= ATTEMPTS {
                self.check_end_of_rows(&found)?;
                return Ok(found);
            }
        }
    }

    /// Reads what the plan wants until it wants nothing more.
    async fn explore(&mut self) -> Result<(), ReadError> {
        loop {
            let ranges = self.map().ranges();
            let seen: BTreeSet<_> = self.fresh().map(|(page, _)| *page).collect();
            let read: BTreeSet<_> = self.rows.pages().collect();
            let wanted = plan::next(&plan::Known {
                layout: self.layout,
                ranges: &ranges,
                seen: &seen,
                read: &read,
                hints: &self.method.hints.in_list_of(self.layout.total),
            });
            if wanted.is_empty() {
                let mut pairs = ranges.windows(2);
                let gaps = pairs.any(|pair| pair[0].range.end != pair[1].range.start);
                return if gaps { Err(ReadError::Moving) } else { Ok(()) };
            }
            self.read(wanted).await?;
        }
    }

    /// Reads again what the boundaries follow from. Whether all of it is as it was, at one total.
    async fn read_boundaries_again(&mut self) -> Result<bool, ReadError> {
        let mut again = boundary_pages(&self.map().ranges(), self.layout);
        self.attempt += 1;
        if let Some(page) = self.last_alone.filter(|page| again.remove(page))
            && let Some(seen) = self.pages.get_mut(&page)
        {
            // All other reads were over when this one began: it is on both sides of the moment between.
            seen.attempt = self.attempt;
        }
        let statuses = |search: &Self| -> Vec<_> {
            let pages = again.iter().map(|page| search.pages.get(page));
            pages
                .map(|seen| seen.map(|seen| seen.statuses.clone()))
                .collect()
        };
        // What is read again belongs to the list of this total; another one may have another last page.
        let (before, total) = (statuses(self), self.layout.total);
        self.read(again.clone()).await?;
        let one_total = self.layout.total == total
            && self.fresh().all(|(_, seen)| seen.statuses.total == total);
        Ok(one_total && before == statuses(self))
    }

    /// Reads pages, several at once. A page that is not sorted is read once more: a file may have changed its status while the portal
    /// put the page together.
    async fn read(&mut self, pages: BTreeSet<PageNumber>) -> Result<(), ReadError> {
        let unsorted = self.read_once(pages).await?;
        if unsorted.is_empty() {
            return Ok(());
        }
        let unsorted = self.read_once(unsorted).await?;
        if unsorted.is_empty() {
            return Ok(());
        }
        Err(ReadError::Unsorted {
            pages: unsorted.into_iter().collect(),
            layout: self.layout,
        })
    }

    /// Reads pages, several at once; returns those that are not sorted.
    async fn read_once(
        &mut self,
        pages: BTreeSet<PageNumber>,
    ) -> Result<BTreeSet<PageNumber>, ReadError> {
        self.requests += pages.len() as u64;
        if self.requests > MAX_REQUESTS {
            return Err(ReadError::Moving);
        }
        self.last_alone = pages.first().copied().filter(|_| pages.len() == 1);
        let fetches: Vec<_> = pages.into_iter().map(|page| self.fetch(page)).collect();
        let mut bodies = stream::iter(fetches).buffer_unordered(self.method.in_flight);
        let mut unsorted = BTreeSet::new();
        while let Some((page, body)) = bodies.try_next().await? {
            if self.add(page, &body)? {
                unsorted.insert(page);
            }
        }
        Ok(unsorted)
    }

    fn fetch(
        &self,
        page: PageNumber,
    ) -> impl Future<Output = Result<(PageNumber, PageBody), ReadError>> + use<F, Fut> {
        let answer = (self.fetch)(page.request());
        async move {
            let body = answer.await.map_err(|error| failed(page, error))?;
            Ok((page, body))
        }
    }

    /// Takes in a page; returns whether it is not sorted.
    fn add(&mut self, page: PageNumber, body: &PageBody) -> Result<bool, ReadError> {
        let read = self.rows.read(page, body);
        let read = read.map_err(|error| failed(page, error))?;
        let total = read.statuses.total;
        if total > MAX_TOTAL {
            return Err(ReadError::ImplausibleTotal { total });
        }
        if let Some(Whole(came)) = read.pagination.page.filter(|came| came.0 != page.0) {
            let asked = page.request();
            return Err(ReadError::OtherPage { asked, came });
        }
        self.layout.total = total;
        if self.method.prove && !self.shows_sorting {
            self.shows_sorting = evidence::shows_sorting(&read.statuses, body);
        }
        let unsorted = read.statuses.is_unsorted();
        let expected = self.rows_expected(page, &read.pagination);
        if self.pages.is_empty() {
            self.layout.page_size = read.statuses.rows().max(1);
        }
        let seen = Seen {
            whole: read.distinct && expected.is_none_or(|rows| rows == read.statuses.rows()),
            attempt: self.attempt,
            nth: self.pages.values().map(|seen| seen.nth).max().unwrap_or(0) + 1,
            statuses: read.statuses,
        };
        self.pages.insert(page, seen);
        Ok(unsorted)
    }

    /// Rows that a page should have, as far as that is known.
    fn rows_expected(&self, page: PageNumber, pagination: &Pagination) -> Option<u64> {
        let page_size = if self.pages.is_empty() {
            let Whole(page_size) = pagination.page_size?;
            page_size
        } else {
            self.layout.page_size
        };
        let before = page.0.saturating_sub(1).saturating_mul(page_size);
        Some(page_size.min(self.layout.total.saturating_sub(before)))
    }

    /// The pages whose latest read belongs to this attempt.
    fn fresh(&self) -> impl Iterator<Item = (&PageNumber, &Seen)> {
        let fresh = move |(_, seen): &(&PageNumber, &Seen)| seen.attempt >= self.attempt;
        self.pages.iter().filter(fresh)
    }

    /// Whether the pages of this attempt have the rows that they should have.
    fn is_whole(&self) -> bool {
        self.fresh().all(|(_, seen)| seen.whole)
    }

    fn map(&self) -> Map {
        let mut latest_first: Vec<_> = self.fresh().collect();
        latest_first.sort_unstable_by_key(|(_, seen)| std::cmp::Reverse(seen.nth));
        let mut map = Map::default();
        for (page, seen) in &latest_first {
            for (range, word) in self.layout.place(**page, &seen.statuses) {
                map.add(range, Some(word));
            }
        }
        self.add_missing_rows(&mut map);
        map
    }

    /// Adds the positions behind the last row that was seen which pages show to have no row, though the total says so.
    fn add_missing_rows(&self, map: &mut Map) {
        let total = self.layout.total;
        let last = map.ranges().pop();
        let rows_end = last.as_ref().map_or(0, |last| last.range.end);
        for (page, seen) in self
            .fresh()
            .filter(|(_, seen)| seen.statuses.total == total)
        {
            let span = self.layout.span(*page);
            let missing = span.start.saturating_add(seen.statuses.rows());
            map.add(missing.max(rows_end)..span.end, None);
        }
        let outdated = self.pages.get(&self.layout.last_page());
        if let Some(last) =
            last.filter(|_| outdated.is_some_and(|seen| seen.statuses.total != total))
        {
            map.add(rows_end..total, last.cell);
        }
    }

    fn found(&self, settled: bool) -> Found {
        let ranges = self.map().ranges();
        let end = ranges.last().map_or(0, |last| last.range.end);
        let lists_all = ranges.iter().all(|range| range.cell.is_some());
        Found {
            layout: self.layout,
            ranges,
            settled,
            consistent: settled && self.is_whole() && lists_all && end == self.layout.total,
        }
    }

    /// Whether rows that end before the total can be believed to end there.
    fn check_end_of_rows(&self, found: &Found) -> Result<(), ReadError> {
        let total = self.layout.total;
        match found.ranges.last() {
            Some(CellRange { cell: None, range })
                if !is_end_of_rows(range.start, total, self.layout.page_size) =>
            {
                let page = self.layout.page_of(range.start).request();
                Err(ReadError::Empty { page, total })
            }
            _ => Ok(()),
        }
    }
}

fn failed(page: PageNumber, error: PortalError) -> ReadError {
    ReadError::Portal {
        page: page.request(),
        error,
    }
}
