//! Reads pages until every boundary is known, in several passes until two of them show the same boundaries. The rows that are wanted are read after
//! the first.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};

use crate::classify::{Classifier, ReasonReader};
use crate::collect::error::{FetchPage, ReadError, total_of};
use crate::collect::layout::{Layout, PageNumber};
use crate::collect::sorted::map::{CellRange, List, boundary_pages, is_unsorted};
use crate::collect::sorted::page::PageRows;
use crate::collect::sorted::pages::Pages;
use crate::collect::sorted::{Method, SortedRead, plan};
use crate::count::{FolderCount, MAX_FILES};
use crate::model::ByStatus;
use crate::portal::PageBody;

/// Passes over the pages that the boundaries depend on, at most: one before the rows are read, and four after it.
const PASSES: u32 = 5;

/// Requests for the boundaries of one folder, at most: far more than any folder needs that can be counted at all.
const MAX_REQUESTS: u64 = 1_000;

pub(super) struct Search<'a, F> {
    fetch: F,
    method: Method<'a>,
    reasons: ReasonReader,
    pages: Pages,
    /// The page that was read last of all, with no other in flight.
    last_alone: Option<PageNumber>,
    requests: u64,
    /// Those of the requests that are not for boundaries.
    row_requests: u64,
    /// Files by status before the rows were read, where all rows were.
    opening: Option<ByStatus<Option<u64>>>,
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
            reasons: ReasonReader::new(classifier),
            pages: Pages::new(method.hints.from_both_ends),
            last_alone: None,
            requests: 0,
            row_requests: 0,
            opening: None,
            method,
        }
    }

    pub async fn run(mut self) -> Result<SortedRead, ReadError> {
        let found = match self.find().await {
            Err(refused) if refused.is_of_deep_page() => self.find_from_both_ends(refused).await?,
            found => found?,
        };
        check_end_of_rows(&found)?;
        let whole = self.whole(&found.list);
        let shows_all = found.stable && !found.list.is_estimated && self.pages.are_distinct();
        let examples = self.reasons.finish();
        let count = self.pages.add_up(&found.list, whole, examples);
        let left_out = found.layout.total.saturating_sub(count.files.total());
        Ok(SortedRead {
            stable: found.stable,
            pages: found.layout.total.div_ceil(found.layout.page_size),
            count: FolderCount {
                consistent: found.consistent,
                left_out: shows_all.then_some(left_out),
                requests: self.requests,
                ..count
            },
        })
    }

    /// Finds the boundaries from both ends, as a page is refused that is far from the start; unless the portal ignores the order that is asked for.
    async fn find_from_both_ends(&mut self, refused: ReadError) -> Result<Found, ReadError> {
        if self.pages.layout.from_both_ends {
            return Err(refused);
        }
        self.pages = Pages::new(true);
        (self.last_alone, self.opening) = (None, None);
        let found = self.find().await?;
        if self.pages.begin_alike() {
            return Err(refused);
        }
        Ok(found)
    }

    /// Finds the boundaries in passes. All reads of a pass follow all reads of the one before, so boundaries that both show held at the moment
    /// between. The total may differ: files between the boundaries came or went, and the later pass counts them.
    async fn find(&mut self) -> Result<Found, ReadError> {
        self.read([PageNumber::FIRST].into()).await?;
        let is_one_page = self.pages.holds_all();
        let mut hints = self.method.hints.in_list_of(self.pages.layout.total);
        let mut before: Option<List> = None;
        loop {
            let ranges = self.explore(&hints).await?;
            if let Some(list) = List::new(ranges, self.pages.layout) {
                let stands = before.is_some_and(|before| list.stands_as(&before));
                self.read_rows(&list).await?;
                if is_one_page || stands && self.pages.has_one_total() {
                    self.check_order(&list)?;
                    return Ok(self.found(list, true));
                }
                hints = list.boundaries().positions;
                before = Some(list);
            }
            if self.pages.pass + 1 >= PASSES {
                let last = before.ok_or(ReadError::Moving)?;
                return Ok(self.found(last, false));
            }
            // All other reads were over when the page that was read last and alone was requested: it is on both sides of the moment between.
            self.pages.begin_pass(self.last_alone.take());
        }
    }

    fn found(&self, list: List, stable: bool) -> Found {
        let layout = self.pages.layout;
        let whole = list.missing_from().is_none() && self.pages.are_whole() && !list.is_estimated;
        Found {
            consistent: stable && whole && list.end() == layout.total,
            list,
            stable,
            layout,
        }
    }

    /// Reads the pages where boundaries are expected, and those that the plan asks for until it asks for none.
    async fn explore(&mut self, hints: &[u64]) -> Result<Vec<CellRange>, ReadError> {
        let mut wanted = boundary_pages(hints.iter().copied(), self.pages.layout);
        loop {
            self.read(&wanted - &self.pages.current()).await?;
            let ranges = self.pages.ranges();
            wanted = plan::next(self.pages.layout, &ranges, &self.pages.current(), hints);
            if wanted.is_empty() {
                return Ok(ranges);
            }
        }
    }

    /// Reads the rows that are wanted, but for pages that were read already; once, after the first search that found every boundary.
    async fn read_rows(&mut self, list: &List) -> Result<(), ReadError> {
        if self.opening.is_some() {
            return Ok(());
        }
        let (pages, are_all) = plan::rows(list, self.pages.layout, self.method.rows);
        let counts = list.counts();
        self.opening = Some(ByStatus::from_fn(|status| {
            are_all[status].then_some(counts[status])
        }));
        let pages = &pages - &self.pages.all();
        self.row_requests = pages.len() as u64;
        self.read(pages).await
    }

    /// The statuses of which all rows were read, between two searches that found as many files.
    fn whole(&self, list: &List) -> ByStatus<bool> {
        let counts = list.counts();
        let opening = self.opening.unwrap_or_default();
        ByStatus::from_fn(|status| opening[status] == Some(counts[status]))
    }

    /// Checks that the pages of the last pass belong to one sorted list.
    fn check_order(&self, list: &List) -> Result<(), ReadError> {
        if !is_unsorted(&self.pages.ranges()) {
            return Ok(());
        }
        let pages = boundary_pages(list.boundaries().positions, self.pages.layout);
        Err(unsorted(pages))
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
        if self.requests - self.row_requests > MAX_REQUESTS {
            return Err(ReadError::Moving);
        }
        match pages.len() {
            0 => {}
            1 => self.last_alone = pages.first().copied(),
            _ => self.last_alone = None,
        }
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
        let total = total_of(page.request(), &rows.pagination)?;
        if total > MAX_FILES {
            return Err(ReadError::ImplausibleTotal { total });
        }
        let unsorted = rows.is_unsorted();
        self.pages.add(page, rows);
        Ok(unsorted)
    }
}

/// Whether rows that end before the total can be believed to end there.
fn check_end_of_rows(found: &Found) -> Result<(), ReadError> {
    match found.list.missing_from() {
        Some(rows) if !found.layout.may_end_at(rows) => Err(ReadError::Empty {
            page: found.layout.page_of(rows).request(),
            total: found.layout.total,
        }),
        _ => Ok(()),
    }
}

fn unsorted(pages: BTreeSet<PageNumber>) -> ReadError {
    let pages = pages.into_iter().collect();
    ReadError::Unsorted { pages }
}
