//! Counts a folder from a list that is sorted by status, by the boundaries between the statuses.
//!
//! Equal statuses are adjacent, in whatever order the portal gives them. What is not done is read from both ends of the list, until the run
//! of done files begins; what remains in the middle is done. The last page is always read: it shows whether the rows are as many as
//! the total that every page gives.
//!
//! A page is seen at one moment, and the next one at another. Therefore whatever the boundaries follow from is read twice, all first reads
//! before all second ones: what is the same twice held at the moment between, so that the counts are those of one moment.
//!
//! `plan` says which pages to read, `boundary_pages` which to read again; `search` reads them.

mod boundaries;
mod boundary_pages;
mod map;
pub(in crate::collect) mod page;
mod plan;
mod rows;
mod search;

use std::future::Future;

use crate::aggregate::Known;
use crate::collect::error::ReadError;
use crate::collect::progress::Progress;
use crate::portal::{PageBody, PageRequest, PortalError};
use crate::reading::Reading;

pub use boundaries::Boundaries;
pub use page::{Layout, PageNumber, PageStatuses, Run};
pub use plan::PAGES_OF_A_RUN;

use rows::Rows;
use search::Search;

/// A folder that was counted by its boundaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sorted {
    /// What was found.
    pub reading: Reading,
    /// Whether every boundary was read the same twice.
    pub settled: bool,
    /// Whether moreover the rows are as many as the total.
    pub consistent: bool,
    /// Where the boundaries are.
    pub boundaries: Boundaries,
    /// A page with a failed file.
    pub failed_page: Option<PageRequest>,
    /// Requests that it took.
    pub requests: u64,
    /// Whether a page showed that the portal sorts by status.
    pub shows_sorting: bool,
}

/// How to count by boundaries.
#[derive(Debug, Clone, Copy)]
pub struct Method<'a> {
    /// Requests in flight at once.
    pub in_flight: usize,
    /// Where the boundaries were last time.
    pub hints: &'a Boundaries,
    /// Whether to look for pages that show that the portal sorts.
    pub prove: bool,
}

/// Counts a folder by its boundaries.
pub async fn count<F, Fut>(
    fetch: F,
    method: Method<'_>,
    known: Known,
    progress: &Progress,
) -> Result<Sorted, ReadError>
where
    F: Fn(PageRequest) -> Fut,
    Fut: Future<Output = Result<PageBody, PortalError>>,
{
    let mut search = Search::new(fetch, method, Rows::new(known));
    let found = search.run().await?;
    let counts = map::counts(&found.ranges);
    progress.read(counts.total());
    Ok(Sorted {
        settled: found.settled,
        consistent: found.consistent,
        boundaries: Boundaries::of(found.ranges, found.layout.page_size),
        failed_page: search.rows.failed_page().map(PageNumber::request),
        requests: search.requests,
        shows_sorting: search.shows_sorting,
        reading: search.rows.finish(counts),
    })
}

#[cfg(test)]
mod tests;
