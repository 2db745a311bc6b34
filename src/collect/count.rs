//! What a look that counted a folder brings, however it counted.

use crate::aggregate::Reading;
use crate::collect::sorted::{Borders, Sorted};
use crate::collect::walk::Walked;
use crate::model::ByStatus;
use crate::portal::PageRequest;
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
    /// Where the borders between statuses are, where they were looked for.
    pub borders: Option<Borders>,
    /// Whether pages on which nothing hangs were read as well.
    pub sampled: bool,
    /// The counts of a full read less those of the borders, where both were made.
    pub difference: Option<ByStatus<i64>>,
}

impl From<Walked> for Count {
    fn from(walked: Walked) -> Self {
        Self {
            reading: walked.reading,
            consistent: walked.consistent,
            failed_page: walked.failed_page,
            requests: walked.requests,
            way: Way::Full,
            borders: None,
            sampled: false,
            difference: None,
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
            borders: Some(sorted.borders),
            sampled: sorted.evidence.samples_agree.is_some(),
            difference: None,
        }
    }
}

/// The counts of a full read less those that the borders gave.
#[must_use]
pub fn difference(full: &ByStatus<u64>, sorted: &ByStatus<u64>) -> ByStatus<i64> {
    ByStatus::from_fn(|status| {
        let of = |counts: &ByStatus<u64>| i64::try_from(counts[status]).unwrap_or(i64::MAX);
        of(full).saturating_sub(of(sorted))
    })
}
