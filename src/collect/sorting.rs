//! Whether a portal sorts by status: assumed, because the portal's interface says so (docs/portal.md, File list), until audits show it, or rows or
//! an audit refute it.

pub mod contradiction;

use std::fmt;
use std::time::Duration;

use tokio::time::Instant;
use tracing::{info, warn};

use crate::clock::Moment;
use crate::model::{FolderId, PortalName};
use crate::snapshot::SortingState;
pub use crate::store::Refutation;

/// How long after a refutation it is checked: the portal may have been repaired. Doubled with each check that confirms it.
const FIRST_CHECK: Duration = Duration::from_hours(1);

impl fmt::Display for Refutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let folder = self.folder;
        if self.pages.is_empty() {
            return write!(
                f,
                "in folder {folder}, two full scans found other counts than the boundaries between statuses"
            );
        }
        let numbers: Vec<_> = self.pages.iter().map(u64::to_string).collect();
        write!(
            f,
            "in folder {folder}, two reads of the pages {} by status showed a status again after another one",
            numbers.join(", ")
        )
    }
}

/// A refutation, and when it is checked.
#[derive(Debug)]
struct Refuted {
    refutation: Refutation,
    /// When it was found, or checked last.
    checked: Instant,
    /// The time to the next check.
    wait: Duration,
}

/// A portal's sorting.
#[derive(Debug)]
pub struct Sorting {
    portal: PortalName,
    refuted: Option<Refuted>,
    /// Whether audits show that it sorts.
    is_shown: bool,
}

impl Sorting {
    pub fn new(portal: PortalName) -> Self {
        Self {
            portal,
            refuted: None,
            is_shown: false,
        }
    }

    pub fn state(&self) -> SortingState {
        match (&self.refuted, self.is_shown) {
            (Some(_), _) => SortingState::Refuted,
            (None, true) => SortingState::Shown,
            (None, false) => SortingState::Assumed,
        }
    }

    /// The same for one folder: where another one refuted it, a folder is believed that an audit showed to be sorted.
    pub fn of_folder(&self, is_shown: bool) -> SortingState {
        match self.state() {
            SortingState::Refuted if is_shown => SortingState::Shown,
            state => state,
        }
    }

    /// The refutation, if there is one.
    pub fn refutation(&self) -> Option<&Refutation> {
        self.refuted.as_ref().map(|refuted| &refuted.refutation)
    }

    /// Whether audits show that the portal sorts. A refutation stays until it is retracted.
    pub fn audited(&mut self, is_shown: bool) {
        let is_shown = is_shown && self.refuted.is_none();
        if is_shown && !self.is_shown {
            info!(portal = %self.portal, "audits show that the portal sorts by status");
        }
        self.is_shown = is_shown;
    }

    /// Rows or an audit refuted that the portal sorts; returns whether nothing had refuted it before.
    pub fn refute(&mut self, refutation: Refutation) -> bool {
        if self.refutation().is_some() {
            return false;
        }
        warn!(portal = %self.portal, %refutation, "the portal does not sort by status: from now on, every page is read of all folders that were not shown to be sorted");
        self.refuted = Some(Refuted {
            refutation,
            checked: Moment::now().steady,
            wait: FIRST_CHECK,
        });
        true
    }

    /// The folder that refuted it, when it is time to check whether it still does: each time after twice as long, up to `longest`.
    pub fn folder_to_check(&mut self, now: Instant, longest: Duration) -> Option<FolderId> {
        let refuted = self.refuted.as_mut()?;
        let waited = now.saturating_duration_since(refuted.checked);
        if waited < refuted.wait.min(longest) {
            return None;
        }
        refuted.wait = refuted.wait.saturating_mul(2);
        refuted.checked = now;
        Some(refuted.refutation.folder)
    }

    /// A folder does not refute any more that the portal sorts.
    pub fn retract(&mut self, folder: FolderId) {
        let is_own = |refuted: &mut Refuted| refuted.refutation.folder == folder;
        if self.refuted.take_if(is_own).is_some() {
            info!(portal = %self.portal, "the folder that refuted sorting by status is sorted now: sorting is assumed again");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_hours(24);

    fn sorting() -> Sorting {
        Sorting::new(PortalName::new("main").unwrap())
    }

    fn refutation(page: u64) -> Refutation {
        Refutation {
            folder: uuid::Uuid::nil().into(),
            pages: vec![page],
        }
    }

    #[test]
    fn what_was_refuted_is_not_shown_by_audits_before_it() {
        let mut sorting = sorting();
        assert_eq!(sorting.state(), SortingState::Assumed);
        sorting.audited(true);
        assert_eq!(sorting.state(), SortingState::Shown);
        sorting.audited(false);
        assert_eq!(sorting.state(), SortingState::Assumed);
        sorting.refute(refutation(1));
        sorting.audited(true);
        sorting.refute(refutation(2));
        assert_eq!(sorting.refutation(), Some(&refutation(1)));
        assert_eq!(sorting.of_folder(false), SortingState::Refuted);
        assert_eq!(sorting.of_folder(true), SortingState::Shown);
    }

    #[test]
    fn a_refutation_is_checked_after_an_hour_and_less_often_while_it_holds() {
        let mut sorting = sorting();
        sorting.refute(refutation(1));
        let mut at = Moment::now().steady;
        assert_eq!(sorting.folder_to_check(at, DAY), None);
        for hours in [1, 2, 4, 8, 16, 24, 24] {
            at += Duration::from_hours(hours);
            let just_before = at.checked_sub(Duration::from_mins(1)).unwrap();
            assert_eq!(sorting.folder_to_check(just_before, DAY), None);
            assert_eq!(sorting.folder_to_check(at, DAY), Some(refutation(1).folder));
        }
    }

    #[test]
    fn a_refutation_is_retracted_only_by_its_own_check() {
        let mut sorting = sorting();
        sorting.refute(refutation(1));
        sorting.retract(uuid::Uuid::max().into());
        assert_eq!(sorting.state(), SortingState::Refuted);
        sorting.retract(refutation(1).folder);
        assert_eq!(sorting.state(), SortingState::Assumed);
    }
}
