//! Counts a folder from a list that is sorted by status, by the boundaries between the statuses.
//!
//! Equal statuses are adjacent; their order does not matter. Files that are not done are read from both ends of the list, until the run
//! of done files begins; the files in the middle are done. The last page is always read: it shows whether the rows are as many as
//! the total that every page gives.
//!
//! Pages are read at different moments. Therefore every page that the boundaries depend on is read twice, all first reads before all
//! second ones: a page that is the same twice was the same at the moment between, so the counts are those of one moment.
//!
//! `plan` selects the pages to read, `map` those to read again; `search` reads them.

mod map;
pub(in crate::collect) mod page;
mod plan;
mod rows;
mod search;

use std::sync::Arc;

use crate::classify::Classifier;
use crate::collect::error::{FetchPage, ReadError};
use crate::collect::progress::Progress;
use crate::count::{Boundaries, FolderCount};

pub use page::{Layout, PageNumber, PageStatuses, StatusRun};
pub use plan::PAGES_OF_A_RUN;

use search::Search;

/// A folder that was counted by its boundaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortedRead {
    pub count: FolderCount,
    /// Whether every boundary was the same in both passes.
    pub stable: bool,
    pub pages: u64,
    /// Whether a page showed that the portal sorts by status.
    pub shows_sorting: bool,
}

#[derive(Debug, Clone, Copy)]
pub struct Method<'a> {
    pub in_flight: usize,
    /// Where the boundaries were last time.
    pub hints: &'a Boundaries,
    /// Whether to search for pages that show that the portal sorts.
    pub prove: bool,
    /// How far the portal's clock is ahead of ours, in milliseconds.
    pub clock_ahead: i64,
}

/// Counts a folder by its boundaries.
pub async fn count(
    fetch: impl FetchPage,
    method: Method<'_>,
    classifier: Arc<Classifier>,
    progress: &Progress,
) -> Result<SortedRead, ReadError> {
    let sorted = Search::new(fetch, method, classifier).run().await?;
    progress.read(sorted.count.files.total());
    Ok(sorted)
}

#[cfg(test)]
mod tests;
