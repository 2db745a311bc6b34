//! Whether a portal can be trusted to sort by status: not until it was shown, and not any more once it was disproven.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tracing::{info, warn};

use crate::collect::sorted::Evidence;
use crate::model::PortalName;

/// What is known of a portal's sorting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Nothing yet.
    Open,
    /// It sorts by status, in both directions.
    Shown,
    /// It does not.
    Disproven(Disproof),
}

/// What disproved it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disproof {
    /// On one page a status came again after another.
    Returns,
    /// Pages that showed the same twice cannot belong to one sorted list.
    Contradiction,
    /// A page on which nothing hung showed something else than it should have, twice.
    Sample,
    /// Every page was read, and the counts were others, while nothing moved.
    Counts,
}

impl fmt::Display for Disproof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Returns => "a status came again after another on one page",
            Self::Contradiction => "pages contradicted each other while nothing moved",
            Self::Sample => {
                "a page amid files of one status, or the last one, showed another status"
            }
            Self::Counts => "reading every page gave other counts while nothing moved",
        })
    }
}

/// A portal's sorting, shared by all looks at its folders.
#[derive(Debug)]
pub struct Sorting {
    portal: PortalName,
    /// How long a disproof holds: a portal may have been mended.
    disproof_holds: Duration,
    state: Mutex<(Trust, Instant)>,
}

impl Sorting {
    /// Begins with nothing known.
    #[must_use]
    pub fn new(portal: PortalName, disproof_holds: Duration) -> Self {
        Self {
            portal,
            disproof_holds,
            state: Mutex::new((Trust::Open, Instant::now())),
        }
    }

    /// What is known now.
    #[must_use]
    pub fn trust(&self) -> Trust {
        let (trust, since) = *self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match trust {
            Trust::Disproven(_) if since.elapsed() >= self.disproof_holds => Trust::Open,
            trust => trust,
        }
    }

    /// It was shown that the portal sorts.
    pub fn show(&self) {
        if self.trust() == Trust::Open {
            info!(portal = %self.portal, "the portal sorts by status: folders are counted by the borders between statuses where that is cheaper");
            self.set(Trust::Shown);
        }
    }

    /// It was disproven.
    pub fn disprove(&self, disproof: Disproof) {
        if !matches!(self.trust(), Trust::Disproven(_)) {
            warn!(portal = %self.portal, %disproof, "the portal does not sort by status, so every page is read");
            self.set(Trust::Disproven(disproof));
        }
    }

    fn set(&self, trust: Trust) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = (trust, Instant::now());
    }
}

impl Evidence {
    /// Whether a look shows by itself that the list is sorted by status, and in both directions: its ends differ, its runs are
    /// unbroken, it is not sorted by name, and pages on which nothing hung showed what they should.
    #[must_use]
    pub fn shows_sorting(&self) -> bool {
        self.ends_differ && self.names_break && self.samples_agree == Some(true)
    }

    /// Whether equal counts of a full read show it: only where files were counted that were not seen, and the list is not sorted by name
    /// with statuses that happen to lie together.
    #[must_use]
    pub fn can_be_shown_by_counts(&self) -> bool {
        self.inferred && self.names_break
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorting(disproof_holds: Duration) -> Sorting {
        Sorting::new(PortalName::new("main").unwrap(), disproof_holds)
    }

    #[test]
    fn what_was_disproven_is_not_shown_by_a_look_that_was_still_under_way() {
        let sorting = sorting(Duration::MAX);
        assert_eq!(sorting.trust(), Trust::Open);
        sorting.show();
        assert_eq!(sorting.trust(), Trust::Shown);
        sorting.disprove(Disproof::Returns);
        sorting.show();
        sorting.disprove(Disproof::Counts);
        assert_eq!(sorting.trust(), Trust::Disproven(Disproof::Returns));
    }

    #[test]
    fn a_disproof_is_forgotten_in_time() {
        let sorting = sorting(Duration::ZERO);
        sorting.disprove(Disproof::Sample);
        assert_eq!(sorting.trust(), Trust::Open);
    }
}
