//! What a read that counted a folder returns, however it counted.

use crate::collect::full_scan::FullScan;
use crate::collect::sorted::{Boundaries, Sorted};
use crate::model::ByStatus;
use crate::portal::PageRequest;
use crate::reading::Reading;
use crate::snapshot::Way;

/// A folder that was counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// What was read.
    pub reading: Reading,
    /// Whether the counts are those of one moment, as far as that can be told.
    pub consistent: bool,
    /// A page on which a failed file stood.
    pub failed_page: Option<PageRequest>,
    /// Requests that it took.
    pub requests: u64,
    /// How it was counted.
    pub way: Way,
    /// Where the boundaries between statuses are, where they were searched for.
    pub boundaries: Option<Boundaries>,
}

impl From<FullScan> for Count {
    fn from(scanned: FullScan) -> Self {
        Self {
            reading: scanned.reading,
            consistent: scanned.consistent,
            failed_page: scanned.failed_page,
            requests: scanned.requests,
            way: Way::Full,
            boundaries: None,
        }
    }
}

impl From<Sorted> for Count {
    fn from(sorted: Sorted) -> Self {
        Self {
            reading: sorted.reading,
            consistent: sorted.consistent,
            failed_page: sorted.failed_page,
            requests: sorted.requests,
            way: Way::Sorted,
            boundaries: Some(sorted.boundaries),
        }
    }
}

/// The counts of a full read less those that the boundaries gave.
#[must_use]
pub fn difference(full: &ByStatus<u64>, sorted: &ByStatus<u64>) -> ByStatus<i64> {
    ByStatus::from_fn(|status| {
        let of = |counts: &ByStatus<u64>| i64::try_from(counts[status]).unwrap_or(i64::MAX);
        of(full).saturating_sub(of(sorted))
    })
}
