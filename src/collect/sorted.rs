//! Counts a folder from a list that is sorted by status, by the boundaries between the statuses.
//!
//! Equal statuses are adjacent; their order does not matter. The last page is always read: it shows whether the rows are as many as
//! the total that every page gives.
//!
//! Pages are read at different moments. Therefore every boundary is read in two passes, all reads of the first before all of the second:
//! a boundary that both show was there at the moment between, so the counts are those of one moment. Only a change that another one undid
//! meanwhile is not seen; no count is wrong by more than such changes.
//!
//! The rows of files that are not done are read between two of these searches.
//!
//! `plan` selects the pages to read, `map` computes the boundaries; `search` reads the pages.

mod map;
mod page;
mod pages;
mod plan;
mod search;

use std::sync::Arc;

use crate::classify::Classifier;
use crate::collect::error::{FetchPage, ReadError};
use crate::collect::progress::Progress;
use crate::count::{Boundaries, FolderCount};

pub use plan::{PAGES_OF_A_RUN, Rows};

use search::Search;

/// A folder that was counted by its boundaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortedRead {
    pub count: FolderCount,
    /// Whether every boundary stood as it was in two passes.
    pub stable: bool,
    pub pages: u64,
}

#[derive(Debug, Clone, Copy)]
pub struct Method<'a> {
    pub in_flight: usize,
    /// Where the boundaries were last time.
    pub hints: &'a Boundaries,
    pub rows: Rows,
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
