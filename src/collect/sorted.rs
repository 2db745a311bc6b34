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
mod pages;
mod plan;
mod search;

use crate::aggregate::TallyContext;
use crate::count::{Boundaries, FolderCount};

pub use plan::PAGES_OF_A_RUN;
pub use search::count;

#[derive(Debug, Clone, Copy)]
pub struct Method<'a> {
    pub in_flight: usize,
    /// Where the boundaries were last time.
    pub hints: &'a Boundaries,
    /// Whether all rows of failed and flagged files are read, and not only a few of each status.
    pub is_walk: bool,
    pub context: &'a TallyContext,
}

/// A folder that was counted by its boundaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortedRead {
    pub count: FolderCount,
    /// Whether every boundary stood as it was in two passes.
    pub is_stable: bool,
}

#[cfg(test)]
mod tests;
