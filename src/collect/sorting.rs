//! Whether a portal sorts by status: assumed, because the portal's interface says so (docs/portal.md, File list), until rows show it or refute it.
//!
//! Rows alone decide. [`evidence`] decides when a page shows sorting, [`contradiction`] when pages refute it; audits
//! (`collect::audit`) search for either in every folder that is counted by its boundaries.

pub mod contradiction;
pub mod evidence;

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tracing::{info, warn};

use crate::clock::Moment;
use crate::collect::sorted::PageNumber;
use crate::model::{FolderId, PortalName};
use crate::snapshot::SortingState;

/// Pages of a folder that cannot belong to one list that is sorted by status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refutation {
    pub folder: FolderId,
    pub pages: Vec<PageNumber>,
}

impl fmt::Display for Refutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<_> = self.pages.iter().map(|page| page.0.to_string()).collect();
        write!(
            f,
            "in folder {}, two reads of the pages {} by status showed a status between rows of another one",
            self.folder,
            numbers.join(", ")
        )
    }
}

/// Whether a portal sorts by status.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Known {
    Assumed,
    Shown,
    Refuted {
        refutation: Refutation,
        checked: Instant,
    },
}

/// A portal's sorting, shared by all that read its folders.
#[derive(Debug)]
pub struct Sorting {
    portal: PortalName,
    /// Interval between checks of a refutation: a portal may have been repaired.
    check_every: Duration,
    known: Mutex<Known>,
}

impl Sorting {
    pub fn new(portal: PortalName, check_every: Duration) -> Self {
        Self {
            portal,
            check_every,
            known: Mutex::new(Known::Assumed),
        }
    }

    pub fn state(&self) -> SortingState {
        self.with(|known| match known {
            Known::Assumed => SortingState::Assumed,
            Known::Shown => SortingState::Shown,
            Known::Refuted { .. } => SortingState::Refuted,
        })
    }

    /// The refutation, if there is one.
    pub fn refutation(&self) -> Option<Refutation> {
        self.with(|known| match known {
            Known::Refuted { refutation, .. } => Some(refutation.clone()),
            Known::Assumed | Known::Shown => None,
        })
    }

    /// Rows showed that the portal sorts. A refutation stays: the rows may have been read before it.
    pub fn show(&self) {
        self.with(|known| {
            if *known == Known::Assumed {
                info!(portal = %self.portal, "rows show that the portal sorts by status");
                *known = Known::Shown;
            }
        });
    }

    /// Rows refuted that the portal sorts.
    pub fn refute(&self, refutation: Refutation) {
        self.with(|known| {
            if !matches!(known, Known::Refuted { .. }) {
                warn!(portal = %self.portal, %refutation, "the portal does not sort by status: every page is read from now on");
                *known = Known::Refuted {
                    refutation,
                    checked: Moment::now().steady,
                };
            }
        });
    }

    /// The refutation, when it is time to check whether it still holds.
    pub fn refutation_to_check(&self) -> Option<Refutation> {
        self.with(|known| match known {
            Known::Refuted {
                refutation,
                checked,
            } if checked.elapsed() >= self.check_every => {
                *checked = Moment::now().steady;
                Some(refutation.clone())
            }
            _ => None,
        })
    }

    /// A refutation was checked and does not hold any more.
    pub fn retract(&self, refutation: &Refutation) {
        self.with(|known| {
            if matches!(known, Known::Refuted { refutation: held, .. } if held == refutation) {
                info!(portal = %self.portal, "the pages that refuted sorting by status are sorted now: sorting is assumed again");
                *known = Known::Assumed;
            }
        });
    }

    fn with<T>(&self, act: impl FnOnce(&mut Known) -> T) -> T {
        act(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorting(check_every: Duration) -> Sorting {
        Sorting::new(PortalName::new("main").unwrap(), check_every)
    }

    fn refutation(page: u64) -> Refutation {
        Refutation {
            folder: uuid::Uuid::nil().into(),
            pages: vec![PageNumber(page)],
        }
    }

    #[test]
    fn what_was_refuted_is_not_shown_by_a_read_that_was_still_under_way() {
        let sorting = sorting(Duration::MAX);
        assert_eq!(sorting.state(), SortingState::Assumed);
        sorting.show();
        assert_eq!(sorting.state(), SortingState::Shown);
        sorting.refute(refutation(1));
        sorting.show();
        sorting.refute(refutation(2));
        assert_eq!(sorting.refutation(), Some(refutation(1)));
        assert_eq!(sorting.refutation_to_check(), None);
    }

    #[test]
    fn a_refutation_is_checked_in_time_and_retracted_only_by_its_own_check() {
        let sorting = sorting(Duration::ZERO);
        sorting.refute(refutation(1));
        assert_eq!(sorting.refutation_to_check(), Some(refutation(1)));
        sorting.retract(&refutation(2));
        assert_eq!(sorting.state(), SortingState::Refuted);
        sorting.retract(&refutation(1));
        assert_eq!(sorting.state(), SortingState::Assumed);
    }
}
