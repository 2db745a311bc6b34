//! Reads pages until every boundary is known, in several passes until two of them show the same boundaries; then the rows that are wanted.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};

use crate::classify::{Classifier, ErrorTally};
use crate::collect::error::{FetchPage, ReadError, total_of};
use crate::collect::layout::{Layout, PageNumber};
use crate::collect::rows_end::is_end_of_rows;
use crate::collect::sorted::map::{CellRange, List, Map, boundary_pages, is_unsorted};
use crate::collect::sorted::page::PageRows;
use crate::collect::sorted::rows::add_up;
use crate::collect::sorted::{FIRST_LOOK_PAGES, Method, SortedRead, plan};
use crate::count::{FolderCount, RowsRead};
use crate::model::{ByStatus, Status};
use crate::portal::{PageBody, Pagination};

/// Passes over the pages that the boundaries depend on, at most.
const PASSES: u32 = 4;

/// Requests of one search, at most: far more than any folder needs that can be counted at all.
const MAX_REQUESTS: u64 = 1_000;

/// More files than any folder has: a larger total is an error of the portal.
const MAX_TOTAL: u64 = 1_000_000_000_000;

pub(super) struct Search<'a, F> {
    fetch: F,
    method: Method<'a>,
    errors: ErrorTally,
    pages: BTreeMap<PageNumber, PageRead>,
    layout: Layout,
    pass: u32,
    /// The page that was read last of all, with no other in flight.
    last_alone: Option<PageNumber>,
    requests: u64,
}

/// The latest read of a page.
struct PageRead {
    rows: PageRows,
    /// Numbers the reads: a later one is newer.
    number: u64,
    /// The latest pass that it belongs to.
    pass: u32,
    /// Whether it has the expected number of rows, and no file twice.
    whole: bool,
}

struct Found {
    list: List,
    /// Whether two passes showed the same boundaries.
    stable: bool,
    consistent: bool,
    /// The list that the last pass was of.
    layout: Layout,
}

impl<'a, F: FetchPage> Search<'a, F> {
    pub fn new(fetch: F, method: Method<'a>, classifier: Arc<Classifier>) -> Self {
        Self {
            fetch,
            method,
            errors: ErrorTally::new(classifier),
            pages: BTreeMap::new(),
            layout: Layout {
                total: 0,
                page_size: 1,
            },
            pass: 0,
            last_alone: None,
            requests: 0,
        }
    }

    pub async fn run(mut self) -> Result<SortedRead, ReadError> {
        let found = self.find().await?;
        check_end_of_rows(&found)?;
        if self.method.first_look {
            self.look(&found).await?;
        }
        let rows_read = self.read_rows(&found).await?;
        Ok(SortedRead {
            stable: found.stable,
            pages: found.layout.last_page().0,
            count: FolderCount {
                rows_read,
                ..self.count(&found)
            },
        })
    }

    /// Finds the boundaries in passes. All reads of a pass follow all reads of the one before, so boundaries that both show held at the moment
    /// between. The total may differ: files between the boundaries came or went, and the later pass counts them.
    async fn find(&mut self) -> Result<Found, ReadError> {
        self.read([PageNumber::FIRST].into()).await?;
        let one_page = self.pages.values().next();
        let is_one_page = one_page.is_some_and(|page| page.rows.rows() >= self.layout.total);
        let mut hints = self.method.hints.in_list_of(self.layout.total);
        let mut before: Option<List> = None;
        loop {
            let ranges = self.explore(&hints).await?;
            if let Some(list) = List::new(ranges, self.layout.total) {
                let stands = before.is_some_and(|before| list.stands_as(&before));
                if is_one_page || stands && self.has_one_total() {
                    self.check_order(&list, [].into())?;
                    return Ok(self.found(list, true));
                }
                hints = list.boundaries().positions;
                before = Some(list);
            }
            if self.pass + 1 >= PASSES {
                let last = before.ok_or(ReadError::Moving)?;
                return Ok(self.found(last, false));
            }
            self.begin_pass();
        }
    }

    /// All other reads were over when the page that was read last and alone was requested: it is on both sides of the moment between two passes.
    fn begin_pass(&mut self) {
        self.pass += 1;
        if let Some(page) = self.last_alone.take()
            && let Some(read) = self.pages.get_mut(&page)
        {
            read.pass = self.pass;
        }
    }

    fn found(&self, list: List, stable: bool) -> Found {
        let layout = self.layout;
        let whole = list.missing_from().is_none() && self.current().all(|(_, read)| read.whole);
        Found {
            consistent: stable && whole && list.end() == layout.total,
            list,
            stable,
            layout,
        }
    }

    /// Reads the pages where boundaries are expected, and those that the plan asks for until it asks for none.
    async fn explore(&mut self, hints: &[u64]) -> Result<Vec<CellRange>, ReadError> {
        let mut wanted = boundary_pages(hints.iter().copied(), self.layout);
        loop {
            let current = self.current().map(|(page, _)| *page).collect();
            wanted = &wanted - &current;
            if wanted.is_empty() {
                let ranges = self.map().ranges();
                let explored = plan::Explored {
                    layout: self.layout,
                    ranges: &ranges,
                    current: &current,
                    hints,
                };
                wanted = explored.next();
                if wanted.is_empty() {
                    return Ok(ranges);
                }
            }
            self.read(std::mem::take(&mut wanted)).await?;
        }
    }

    /// Reads a few pages spread over the list: files that are not where the boundaries allow them show that it is not sorted.
    async fn look(&mut self, found: &Found) -> Result<(), ReadError> {
        let read = self.pages.keys().copied().collect();
        let pages = plan::spread(&read, found.layout.last_page(), FIRST_LOOK_PAGES);
        self.read(pages.clone()).await?;
        self.check_order(&found.list, pages)
    }

    /// Reads the rows that are wanted, but for pages that were read already.
    async fn read_rows(&mut self, found: &Found) -> Result<ByStatus<RowsRead>, ReadError> {
        let Some(wanted) = &self.method.rows else {
            return Ok(ByStatus::default());
        };
        let (mut pages, read) = plan::rows(&found.list, found.layout, wanted);
        pages.retain(|page| !self.pages.contains_key(page));
        self.read(pages).await?;
        Ok(read)
    }

    /// Checks that the pages of the last pass belong to one sorted list.
    fn check_order(&self, list: &List, others: BTreeSet<PageNumber>) -> Result<(), ReadError> {
        if !is_unsorted(&self.map().ranges()) {
            return Ok(());
        }
        let pages = boundary_pages(list.boundaries().positions, self.layout);
        Err(unsorted(&pages | &others))
    }

    fn has_one_total(&self) -> bool {
        let total = self.layout.total;
        self.current().all(|(_, read)| read.rows.total() == total)
    }

    /// Reads pages, several at once. A page that is not sorted is read once more: a file may have changed its status while the portal
    /// put the page together.
    async fn read(&mut self, pages: BTreeSet<PageNumber>) -> Result<(), ReadError> {
        let mut again = self.read_once(pages).await?;
        if !again.is_empty() {
            again = self.read_once(again).await?;
        }
        if again.is_empty() {
            return Ok(());
        }
        Err(unsorted(again))
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
        let rows = PageRows::read(body, &mut self.errors);
        let rows = rows.map_err(ReadError::at(page.request()))?;
        let total = total_of(page.request(), &rows.pagination)?;
        if total > MAX_TOTAL {
            return Err(ReadError::ImplausibleTotal { total });
        }
        self.layout.total = total;
        let unsorted = rows.is_unsorted();
        let expected = self.rows_expected(page, &rows.pagination);
        if self.pages.is_empty() {
            self.layout.page_size = rows.rows().max(1);
        }
        let latest = self.pages.values().map(|read| read.number).max();
        let read = PageRead {
            whole: rows.distinct && expected.is_none_or(|expected| expected == rows.rows()),
            rows,
            number: latest.unwrap_or(0) + 1,
            pass: self.pass,
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

    /// The pages whose latest read belongs to this pass.
    fn current(&self) -> impl Iterator<Item = (&PageNumber, &PageRead)> {
        let pages = self.pages.iter();
        pages.filter(|(_, read)| read.pass == self.pass)
    }

    fn map(&self) -> Map {
        let mut latest_first: Vec<_> = self.current().collect();
        latest_first.sort_unstable_by_key(|(_, read)| Reverse(read.number));
        let mut map = Map::default();
        for (page, PageRead { rows, .. }) in &latest_first {
            // Rows behind the current end of the list are gone.
            let is_shorter = rows.total() > self.layout.total;
            let end = if is_shorter {
                self.layout.total
            } else {
                u64::MAX
            };
            for (range, word) in rows.positions(self.layout.start_of(**page)) {
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
            let missing = span.start.saturating_add(read.rows.rows());
            map.add(missing.max(rows_end)..span.end, None);
        }
    }

    /// The sums over the pages, with the counts of the list.
    fn count(self, found: &Found) -> FolderCount {
        let shows_failed = |(_, read): &(&PageNumber, &PageRead)| {
            let mut files = read.rows.files.iter();
            files.any(|(_, file)| file.status == Status::Failed)
        };
        let failed_page = self.pages.iter().find(shows_failed);
        let failed_page = failed_page.map(|(page, _)| page.request());
        let mut pages: Vec<_> = self.pages.into_values().collect();
        pages.sort_unstable_by_key(|read| read.number);
        let files = pages.into_iter().flat_map(|read| read.rows.files);
        let (counts, boundaries) = (found.list.counts(), found.list.boundaries());
        FolderCount {
            consistent: found.consistent,
            failed_page,
            requests: self.requests,
            ..add_up(files.collect(), self.errors, counts, boundaries)
        }
    }
}

/// Whether rows that end before the total can be believed to end there.
fn check_end_of_rows(found: &Found) -> Result<(), ReadError> {
    let Layout { total, page_size } = found.layout;
    match found.list.missing_from() {
        Some(rows) if !is_end_of_rows(rows, total, page_size) => Err(ReadError::Empty {
            page: found.layout.page_of(rows).request(),
            total,
        }),
        _ => Ok(()),
    }
}

fn unsorted(pages: BTreeSet<PageNumber>) -> ReadError {
    let pages = pages.into_iter().collect();
    ReadError::Unsorted { pages }
}
