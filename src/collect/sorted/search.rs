//! Reads pages until every boundary is known, and reads the pages that the boundaries depend on again until they are the same twice.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};

use crate::classify::{Classifier, ReasonReader};
use crate::collect::error::{FetchPage, ReadError, total_of};
use crate::collect::rows_end::is_end_of_rows;
use crate::collect::sorted::map::{self, CellRange, Map, boundary_pages};
use crate::collect::sorted::page::{Layout, PageNumber, PageStatuses};
use crate::collect::sorted::rows::{PageRows, add_up};
use crate::collect::sorted::{Method, SortedRead, plan};
use crate::collect::sorting::evidence;
use crate::count::{Boundaries, FolderCount, Unfinished};
use crate::model::{FileKey, Status};
use crate::portal::{PageBody, Pagination};

/// Maximum number of searches after reads that differ.
const ATTEMPTS: u32 = 3;

/// Requests of one search, at most: far more than any folder needs that can be counted at all.
const MAX_REQUESTS: u64 = 1_000;

/// More files than any folder has: a larger total is an error of the portal.
const MAX_TOTAL: u64 = 1_000_000_000_000;

pub(super) struct Search<'a, F> {
    fetch: F,
    method: Method<'a>,
    reasons: ReasonReader,
    pages: BTreeMap<PageNumber, PageRead>,
    layout: Layout,
    attempt: u32,
    /// The page that was read last of all, with no other in flight.
    last_alone: Option<PageNumber>,
    requests: u64,
    shows_sorting: bool,
}

/// The latest read of a page.
struct PageRead {
    statuses: PageStatuses,
    /// The files that are not done.
    files: Vec<(FileKey, Unfinished)>,
    /// Numbers the reads: a later one is newer.
    number: u64,
    /// The attempt from which on it is valid.
    attempt: u32,
    /// Whether it has the expected number of rows, and no file twice.
    whole: bool,
}

struct Found {
    /// The whole list.
    ranges: Vec<CellRange>,
    /// Whether every boundary was the same in both passes.
    stable: bool,
}

impl<'a, F: FetchPage> Search<'a, F> {
    pub fn new(fetch: F, method: Method<'a>, classifier: Arc<Classifier>) -> Self {
        Self {
            fetch,
            method,
            reasons: ReasonReader::new(classifier),
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

    pub async fn run(mut self) -> Result<SortedRead, ReadError> {
        let found = self.find().await?;
        self.check_end_of_rows(&found.ranges)?;
        let stable = found.stable;
        Ok(SortedRead {
            stable,
            pages: self.layout.last_page().0,
            shows_sorting: self.shows_sorting,
            count: self.count(found),
        })
    }

    async fn find(&mut self) -> Result<Found, ReadError> {
        self.read(BTreeSet::from([PageNumber::FIRST])).await?;
        let first = self.pages.get(&PageNumber::FIRST);
        if first.is_none_or(|page| page.statuses.rows() >= self.layout.total) {
            let ranges = self.map().ranges();
            return Ok(Found {
                ranges,
                stable: true,
            });
        }
        loop {
            let explored = self.explore().await?;
            if self.attempt >= ATTEMPTS {
                return Ok(Found {
                    ranges: explored,
                    stable: false,
                });
            }
            if self.read_boundaries_again(&explored).await? {
                let ranges = self.map().ranges();
                if map::is_unsorted(&ranges) {
                    return Err(self.unsorted(boundary_pages(&ranges, self.layout)));
                }
                return Ok(Found {
                    ranges,
                    stable: true,
                });
            }
        }
    }

    /// Reads the pages that the plan asks for until it asks for none. Returns the whole list, without gaps.
    async fn explore(&mut self) -> Result<Vec<CellRange>, ReadError> {
        loop {
            let ranges = self.map().ranges();
            let wanted = plan::next(&plan::Explored {
                layout: self.layout,
                ranges: &ranges,
                current: &self.current().map(|(page, _)| *page).collect(),
                read: &self.pages.keys().copied().collect(),
                hints: &self.method.hints.in_list_of(self.layout.total),
            });
            if wanted.is_empty() {
                let is_whole = map::is_whole(&ranges, self.layout.total);
                return Some(ranges).filter(|_| is_whole).ok_or(ReadError::Moving);
            }
            self.read(wanted).await?;
        }
    }

    /// Reads the pages that the boundaries depend on again. Whether all are unchanged, with one total.
    async fn read_boundaries_again(&mut self, ranges: &[CellRange]) -> Result<bool, ReadError> {
        let mut again = boundary_pages(ranges, self.layout);
        self.attempt += 1;
        if let Some(page) = self.last_alone.filter(|page| again.remove(page))
            && let Some(read) = self.pages.get_mut(&page)
        {
            // All other reads were over when this one began: it is on both sides of the moment between.
            read.attempt = self.attempt;
        }
        let statuses = |search: &Self| -> Vec<_> {
            let pages = again.iter().map(|page| search.pages.get(page));
            pages.map(|read| Some(read?.statuses.clone())).collect()
        };
        // The second reads belong to the list of this total; with another total, the last page may be another one.
        let (before, total) = (statuses(self), self.layout.total);
        self.read(again.clone()).await?;
        let one_total = self.layout.total == total
            && self.current().all(|(_, read)| read.statuses.total == total);
        Ok(one_total && before == statuses(self))
    }

    /// Reads pages, several at once. A page that is not sorted is read once more: a file may have changed its status while the portal
    /// put the page together.
    async fn read(&mut self, pages: BTreeSet<PageNumber>) -> Result<(), ReadError> {
        let mut unsorted = self.read_once(pages).await?;
        if !unsorted.is_empty() {
            unsorted = self.read_once(unsorted).await?;
        }
        if unsorted.is_empty() {
            return Ok(());
        }
        Err(self.unsorted(unsorted))
    }

    fn unsorted(&self, pages: BTreeSet<PageNumber>) -> ReadError {
        ReadError::Unsorted {
            pages: pages.into_iter().collect(),
            layout: self.layout,
        }
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
        let fetches = pages.into_iter().map(|page| {
            let answer = (self.fetch)(page.request());
            async move {
                let body = answer.await.map_err(ReadError::at(page.request()))?;
                Ok::<_, ReadError>((page, body))
            }
        });
        let fetches: Vec<_> = fetches.collect();
        let mut bodies = stream::iter(fetches).buffer_unordered(self.method.in_flight);
        let mut unsorted = BTreeSet::new();
        while let Some((page, body)) = bodies.try_next().await? {
            if self.add(page, &body)? {
                unsorted.insert(page);
            }
        }
        Ok(unsorted)
    }

    /// Adds a page; returns whether it is not sorted.
    fn add(&mut self, page: PageNumber, body: &PageBody) -> Result<bool, ReadError> {
        let rows = PageRows::read(body, &mut self.reasons, self.method.clock_ahead);
        let rows = rows.map_err(ReadError::at(page.request()))?;
        let total = rows.statuses.total;
        if total > MAX_TOTAL {
            return Err(ReadError::ImplausibleTotal { total });
        }
        self.layout.total = total_of(page.request(), &rows.pagination)?;
        if self.method.prove && !self.shows_sorting {
            self.shows_sorting = evidence::shows_sorting(&rows.statuses, body);
        }
        let unsorted = rows.statuses.is_unsorted();
        let expected = self.rows_expected(page, &rows.pagination);
        if self.pages.is_empty() {
            self.layout.page_size = rows.statuses.rows().max(1);
        }
        let latest = self.pages.values().map(|read| read.number).max();
        let read = PageRead {
            whole: rows.distinct && expected.is_none_or(|rows_of| rows_of == rows.statuses.rows()),
            statuses: rows.statuses,
            files: rows.files,
            number: latest.unwrap_or(0) + 1,
            attempt: self.attempt,
        };
        self.pages.insert(page, read);
        Ok(unsorted)
    }

    /// Expected number of rows of a page, if known.
    fn rows_expected(&self, page: PageNumber, pagination: &Pagination) -> Option<u64> {
        let page_size = if self.pages.is_empty() {
            pagination.page_size?.0
        } else {
            self.layout.page_size
        };
        let before = page.0.saturating_sub(1).saturating_mul(page_size);
        Some(page_size.min(self.layout.total.saturating_sub(before)))
    }

    /// The pages whose latest read belongs to this attempt.
    fn current(&self) -> impl Iterator<Item = (&PageNumber, &PageRead)> {
        let attempt = self.attempt;
        let pages = self.pages.iter();
        pages.filter(move |(_, read)| read.attempt >= attempt)
    }

    fn map(&self) -> Map {
        let mut latest_first: Vec<_> = self.current().collect();
        latest_first.sort_unstable_by_key(|(_, read)| Reverse(read.number));
        let mut map = Map::default();
        for (page, read) in &latest_first {
            // Rows behind the current end of the list are gone.
            let is_shorter = read.statuses.total > self.layout.total;
            let end = if is_shorter {
                self.layout.total
            } else {
                u64::MAX
            };
            for (range, word) in self.layout.positions(**page, &read.statuses) {
                map.add(range.start..range.end.min(end), Some(word));
            }
        }
        self.add_missing_rows(&mut map);
        map
    }

    /// Adds the positions behind the last row that was seen where pages had no row, although the total says that there is one.
    fn add_missing_rows(&self, map: &mut Map) {
        let rows_end = map.ranges().last().map_or(0, |last| last.range.end);
        for (page, read) in self.current() {
            let span = self.layout.span(*page);
            let missing = span.start.saturating_add(read.statuses.rows());
            map.add(missing.max(rows_end)..span.end, None);
        }
    }

    /// The sums over the pages, with the statuses by position.
    fn count(self, found: Found) -> FolderCount {
        let Found { ranges, stable } = found;
        let end = ranges.last().map_or(0, |last| last.range.end);
        let lists_all = ranges.iter().all(|range| range.cell.is_some());
        let whole = lists_all && self.current().all(|(_, read)| read.whole);
        let consistent = stable && whole && end == self.layout.total;
        let boundaries = Boundaries {
            positions: ranges.iter().skip(1).map(|next| next.range.start).collect(),
            total: end,
        };
        let shows_failed = |(_, read): &(&PageNumber, &PageRead)| {
            let mut files = read.files.iter();
            files.any(|(_, file)| file.status == Status::Failed)
        };
        let failed_page = self.pages.iter().find(shows_failed);
        let failed_page = failed_page.map(|(page, _)| page.request());
        let mut pages: Vec<_> = self.pages.into_values().collect();
        pages.sort_unstable_by_key(|read| read.number);
        let files = pages.into_iter().flat_map(|read| read.files).collect();
        FolderCount {
            consistent,
            failed_page,
            requests: self.requests,
            ..add_up(
                files,
                self.reasons.finish(),
                map::counts(&ranges),
                boundaries,
            )
        }
    }

    /// Whether rows that end before the total can be believed to end there.
    fn check_end_of_rows(&self, ranges: &[CellRange]) -> Result<(), ReadError> {
        let total = self.layout.total;
        match ranges.last() {
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
