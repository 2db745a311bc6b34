//! Counts a folder from a list that is sorted by status, by the borders between the statuses.
//!
//! Equal statuses lie together, in whatever order the portal gives them, and the list can be read from both ends: so what is not done
//! is read from there, until the run of done files begins. The total stands on every page; what is left in the middle is done.
//!
//! A page is seen at one moment, and the next one at another. Therefore whatever the borders hang on is read twice, all first looks
//! before all second ones: what is the same twice held at the moment between, so that the counts are those of one moment.
//!
//! `plan` says which pages to read, `pins` which to read again; `search` reads them.

mod borders;
mod found;
mod map;
mod names;
mod page;
mod pins;
mod plan;
mod rows;
mod search;

use std::future::Future;

use crate::aggregate::{Known, Reading};
use crate::collect::error::ReadError;
use crate::collect::progress::Progress;
use crate::model::Status;
use crate::portal::{PageBody, PageRequest, PortalError};

pub use borders::Borders;
pub use plan::PAGES_OF_A_RUN;

use page::PageId;
use search::Search;

/// A folder that was counted by its borders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sorted {
    /// What was found.
    pub reading: Reading,
    /// Whether every border was read the same twice.
    pub consistent: bool,
    /// Where the borders are.
    pub borders: Borders,
    /// A page on which a failed file stood.
    pub failed_page: Option<PageRequest>,
    /// Requests that it took.
    pub requests: u64,
    /// What it tells about the portal's sorting.
    pub evidence: Evidence,
}

/// What a look tells about a portal's sorting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evidence {
    /// Whether some files were counted without being seen.
    pub inferred: bool,
    /// Whether both ends begin with different statuses.
    pub ends_differ: bool,
    /// Whether the file names did not go on in their order at a border, so that the list is not sorted by them.
    pub names_break: bool,
    /// Whether pages on which nothing hangs showed what was expected; none where they were not asked for.
    pub samples_agree: Option<bool>,
}

/// How to count by borders.
#[derive(Debug, Clone, Copy)]
pub struct Method<'a> {
    /// Requests in flight at once.
    pub in_flight: usize,
    /// Where the borders were last time.
    pub hints: &'a Borders,
    /// Whether to read pages on which nothing hangs, too.
    pub samples: bool,
    /// The largest total that is believed without such pages.
    pub plausible: u64,
}

/// Counts a folder by its borders.
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
    let mut search = Search::new(fetch, method.in_flight, known, method.hints);
    let found = search.run().await?;
    progress.read(found.layout.total);
    let unseen = found.largest_unseen();
    let (first, last) = (found.stretches.first(), found.stretches.last());
    let ends_differ = first.map(|run| run.word) != last.map(|run| run.word);
    // A folder in which nothing is done is rare, and a list that is not sorted may look like one.
    let unlikely = !ends_differ && first.is_some_and(|run| run.word.status != Status::Done);
    let implausible = found.layout.total > method.plausible;
    let samples = method.samples || unlikely || implausible;
    let samples_agree = if samples && found.consistent && unseen.is_some() {
        Some(search.agrees_with_samples(&found).await?)
    } else {
        None
    };
    let counts = found.counts();
    Ok(Sorted {
        consistent: found.consistent,
        borders: Borders::of(&found.stretches),
        failed_page: search.rows.failed_page().map(PageId::request),
        requests: search.requests,
        evidence: Evidence {
            inferred: unseen.is_some(),
            ends_differ,
            names_break: found.names_break,
            samples_agree,
        },
        reading: search.rows.finish(counts),
    })
}

#[cfg(test)]
mod tests;
