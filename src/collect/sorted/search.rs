//! Reads pages until every boundary is known, in several passes until two of them show the same boundaries. The rows that are wanted are read after
//! the first.

use std::collections::BTreeSet;

use futures_util::{StreamExt, TryStreamExt, stream};

use crate::collect::error::{FetchPage, ReadError};
use crate::collect::layout::may_end_at;
use crate::collect::sorted::map::{CellRange, List, boundary_pages, is_unsorted};
use crate::collect::sorted::pages::Pages;
use crate::collect::sorted::{Method, SortedRead, plan};
use crate::count::FolderCount;
use crate::model::ByStatus;
use crate::portal::{PageRequest, Sort};

/// Passes over the pages that the boundaries depend on, at most: one before the rows are read, and four after it.
const PASSES: u32 = 5;

/// Requests for the boundaries of one folder, at most: far more than any folder needs that can be counted at all.
const MAX_REQUESTS: usize = 1_000;

/// Counts a folder by its boundaries.
pub async fn count(fetch: impl FetchPage, method: Method<'_>) -> Result<SortedRead, ReadError> {
    let from_both_ends = method.hints.from_both_ends;
    let search = Search {
        fetch,
        pages: Pages::new(from_both_ends, method.context),
        method,
        last_alone: None,
        requests: 0,
        opening: None,
    };
    search.run().await
}

struct Search<'a, F> {
    fetch: F,
    method: Method<'a>,
    pages: Pages<'a>,
    /// The page that was read last of all, with no other in flight.
    last_alone: Option<PageRequest>,
    /// Pages that were asked for to find boundaries.
    requests: usize,
    /// Files by status before the rows were read, where all rows were.
    opening: Option<ByStatus<Option<u64>>>,
}

impl<F: FetchPage> Search<'_, F> {
    async fn run(mut self) -> Result<SortedRead, ReadError> {
        let (list, is_stable) = match self.find().await {
            Err(refused) if refused.is_of_deep_page() => self.find_from_both_ends(refused).await?,
            found => found?,
        };
        let layout = self.pages.layout;
        let missing_from = list.missing_from();
        if let Some(rows) = missing_from
            && !may_end_at(rows, layout.total, layout.page_size)
        {
            return Err(ReadError::Empty {
                page: layout.page_of(rows),
                total: layout.total,
            });
        }
        let is_exact = is_stable && !list.is_estimated;
        let has_all_rows = missing_from.is_none() && list.end() == layout.total;
        let consistent = is_exact && has_all_rows && self.pages.are_whole();
        let shows_all = is_exact && self.pages.are_distinct();
        let left_out = layout.total.saturating_sub(list.counts().total());
        let whole = self.whole(&list);
        let count = FolderCount {
            consistent,
            left_out: shows_all.then_some(left_out),
            ..self.pages.add_up(&list, whole)
        };
        Ok(SortedRead { count, is_stable })
    }

    /// Finds the boundaries from both ends, as a page is refused that is far from the start; unless the portal ignores the order that is asked for.
    async fn find_from_both_ends(&mut self, refused: ReadError) -> Result<(List, bool), ReadError> {
        if self.pages.layout.from_both_ends {
            return Err(refused);
        }
        self.pages.restart_from_both_ends();
        (self.last_alone, self.opening) = (None, None);
        let found = self.find().await?;
        if self.pages.begin_alike() {
            return Err(refused);
        }
        Ok(found)
    }

    /// Finds the boundaries in passes, and whether two of them showed the same. All reads of a pass follow all reads of the one before, so boundaries
    /// that both show held at the moment between. The total may differ: files between the boundaries came or went, and the later pass counts them.
    async fn find(&mut self) -> Result<(List, bool), ReadError> {
        self.read([Sort::Status.page(1)].into()).await?;
        let is_one_page = self.pages.is_one();
        let mut hints = self.method.hints.in_list_of(self.pages.layout.total);
        let mut before: Option<List> = None;
        loop {
            let ranges = self.explore(&hints).await?;
            if let Some(list) = List::new(ranges, self.pages.layout) {
                let stands = before.is_some_and(|before| list.stands_as(&before));
                self.read_rows(&list).await?;
                if is_one_page || stands && self.pages.has_one_total() {
                    self.check_order(&list)?;
                    return Ok((list, true));
                }
                hints = list.boundaries().positions;
                before = Some(list);
            }
            if self.pages.pass + 1 >= PASSES {
                return before.map(|last| (last, false)).ok_or(ReadError::Moving);
            }
            // All other reads were over when the page that was read last and alone was requested: it is on both sides of the moment between.
            self.pages.begin_pass(self.last_alone.take());
        }
    }

    /// Reads the pages where boundaries are expected, and those that the plan asks for until it asks for none.
    async fn explore(&mut self, hints: &[u64]) -> Result<Vec<CellRange>, ReadError> {
        let mut wanted = boundary_pages(hints.iter().copied(), self.pages.layout);
        loop {
            wanted = &wanted - &self.pages.current();
            self.requests += wanted.len();
            if self.requests > MAX_REQUESTS {
                return Err(ReadError::Moving);
            }
            self.read(wanted).await?;
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
        let (pages, are_all) = plan::rows(list, self.pages.layout, self.method.is_walk);
        let counts = list.counts();
        self.opening = Some(ByStatus::from_fn(|status| {
            are_all[status].then_some(counts[status])
        }));
        self.read(&pages - &self.pages.all()).await
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
        Err(ReadError::Unsorted {
            pages: pages.into_iter().collect(),
        })
    }

    /// Reads pages. One that is not sorted is read once more: a file may have changed its status while the portal put the page together.
    async fn read(&mut self, pages: BTreeSet<PageRequest>) -> Result<(), ReadError> {
        let mut unsorted = self.read_once(pages).await?;
        if !unsorted.is_empty() {
            unsorted = self.read_once(unsorted.into_iter().collect()).await?;
        }
        if unsorted.is_empty() {
            return Ok(());
        }
        Err(ReadError::Unsorted { pages: unsorted })
    }

    /// Reads pages, several at once; returns those that are not sorted.
    async fn read_once(
        &mut self,
        pages: BTreeSet<PageRequest>,
    ) -> Result<Vec<PageRequest>, ReadError> {
        if let Some(page) = pages.first() {
            self.last_alone = (pages.len() == 1).then_some(*page);
        }
        let fetches: Vec<_> = pages.into_iter().map(&self.fetch).collect();
        let mut answers = stream::iter(fetches).buffer_unordered(self.method.in_flight);
        let mut unsorted = Vec::new();
        while let Some((page, body)) = answers.try_next().await? {
            if !self.pages.add(page, &body)? {
                unsorted.push(page);
            }
        }
        unsorted.sort_unstable();
        Ok(unsorted)
    }
}
