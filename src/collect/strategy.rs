//! The strategy for counting a folder: pure.

use crate::collect::sorted::PAGES_OF_A_RUN;
use crate::config::Strategy;
use crate::model::{ByStatus, Status};
use crate::portal::PAGE_SIZE;
use crate::snapshot::{SortingState, Way};

/// Folders of at most this many pages are always scanned in full.
pub const FEW_PAGES: u64 = 50;

/// Facts about a folder before it is read.
#[derive(Debug, Clone, Copy)]
pub struct Expected {
    /// Files, by the list of folders, the last count or the first page, whichever is most.
    pub files: u64,
    /// Files by status at the last count.
    pub counts: Option<ByStatus<u64>>,
}

impl Expected {
    /// What to expect after a count of the folder, if there was one, when the list reports a `fileCount`. The counted files and what
    /// may have come since are believed, but not any number that the list names.
    pub fn new(counts: Option<ByStatus<u64>>, reported: u64) -> Self {
        const FEW: u64 = 1_000;
        let files = counts.map_or(reported, |counts| {
            let counted = counts.total();
            reported.clamp(counted, counted.saturating_add(FEW.max(counted / 2)))
        });
        Self { files, counts }
    }

    pub fn pages(&self) -> u64 {
        self.files.div_ceil(PAGE_SIZE)
    }

    /// Expected requests of counting by boundaries: the first and the last page, those of each run of files that are not done, and one that is read
    /// again.
    fn sorted_requests(&self) -> u64 {
        const UNKNOWN: u64 = 8;
        let of_runs = self.counts.map_or(UNKNOWN, |counts| {
            let waiting = counts.iter().filter(|(status, _)| *status != Status::Done);
            let runs = waiting.filter(|(_, files)| **files > 0);
            let pages = runs.map(|(_, files)| files.div_ceil(PAGE_SIZE).min(PAGES_OF_A_RUN) + 1);
            pages.sum()
        });
        of_runs + 3
    }
}

/// The way to count a folder. While it is only assumed that the portal sorts, few pages are scanned. `is_vouched`: nothing changed since a full
/// scan of the folder.
pub fn choose(
    strategy: Strategy,
    sorting: SortingState,
    is_vouched: bool,
    expected: &Expected,
) -> Way {
    match (strategy, sorting) {
        (Strategy::Full, _) | (_, SortingState::Refuted) => Way::Full,
        (_, SortingState::Assumed) if !is_vouched && expected.pages() <= FEW_PAGES => Way::Full,
        (Strategy::Auto, _) if expected.pages() <= expected.sorted_requests() => Way::Full,
        (Strategy::Sorted | Strategy::Auto, _) => Way::Sorted,
    }
}

/// Whether the order of these files shows whether a list is sorted by status. Files that wait are the newest of their folder, and stand together in
/// the order of their creation as well.
pub fn shows_order(counts: &ByStatus<u64>) -> bool {
    let waits = |status| matches!(status, Status::Pending | Status::Processing);
    let settled = counts.iter().filter(|(status, _)| !waits(*status));
    settled.filter(|(_, files)| **files > 0).count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(files: u64, failed: Option<u64>) -> Expected {
        let counts = failed.map(|failed| {
            ByStatus::from_fn(|status| match status {
                Status::Failed => failed,
                Status::Done => files - failed,
                _ => 0,
            })
        });
        Expected { files, counts }
    }

    #[test]
    fn the_reported_number_of_files_is_believed_as_far_as_it_can_be_true() {
        for (counted, reported, files) in [
            (500, 0, 500),
            (500, 700, 700),
            (500, u64::MAX, 1_500),
            (100_000, 130_000, 130_000),
            (100_000, 900_000, 150_000),
            (u64::MAX, 3, u64::MAX),
        ] {
            let mut counts = ByStatus::default();
            counts[Status::Done] = counted;
            assert_eq!(Expected::new(Some(counts), reported).files, files);
        }
        assert_eq!(Expected::new(None, 700).files, 700);
    }

    #[test]
    fn auto_takes_the_cheaper_way() {
        for (files, failed, way) in [
            (100, Some(0), Way::Full),
            (300, Some(0), Way::Full),
            (500, Some(0), Way::Sorted),
            (500, Some(50), Way::Full),
            (5_000, Some(4_000), Way::Sorted),
            (2_000, Some(2_000), Way::Full),
            (1_000, None, Way::Full),
            (1_200, None, Way::Sorted),
            (100_000_000, Some(50_000_000), Way::Sorted),
        ] {
            let expected = expected(files, failed);
            let chosen =
                |sorting, is_vouched| choose(Strategy::Auto, sorting, is_vouched, &expected);
            assert_eq!(chosen(SortingState::Shown, false), way, "{expected:?}");
            assert_eq!(chosen(SortingState::Assumed, true), way, "{expected:?}");
        }
    }

    #[test]
    fn few_pages_are_scanned_before_it_is_known_that_the_portal_sorts() {
        for (files, way) in [(5_000, Way::Full), (5_001, Way::Sorted)] {
            let expected = expected(files, Some(0));
            let chosen = choose(Strategy::Auto, SortingState::Assumed, false, &expected);
            assert_eq!(chosen, way, "{files}");
        }
    }

    #[test]
    fn a_portal_that_does_not_sort_is_scanned_in_full_whatever_was_configured() {
        for strategy in [Strategy::Full, Strategy::Sorted, Strategy::Auto] {
            let expected = expected(1_000_000, Some(3));
            assert_eq!(
                choose(strategy, SortingState::Refuted, true, &expected),
                Way::Full
            );
        }
        let few = expected(1, None);
        let shown = choose(Strategy::Sorted, SortingState::Shown, false, &few);
        assert_eq!(shown, Way::Sorted);
    }
}
