//! Which way a folder is counted: pure.

use crate::collect::sorted::PAGES_OF_A_RUN;
use crate::collect::sorting::Trust;
use crate::config::Strategy;
use crate::model::{ByStatus, Status};
use crate::portal::PAGE_SIZE;
use crate::snapshot::Way;

/// Until sorting was shown, larger folders than this are counted by their borders all the same, and checked with samples: reading
/// every page of them would take too long.
pub const MAX_PAGES_UNTRUSTED: u64 = 5_000;

/// Folders of at most this many pages are read in full without much ado.
pub const FEW_PAGES: u64 = 50;

/// What is known of a folder before it is looked at.
#[derive(Debug, Clone, Copy)]
pub struct Expected {
    /// Files, by the last count or by the list of folders.
    pub files: u64,
    /// Files by status at the last count.
    pub counts: Option<ByStatus<u64>>,
}

impl Expected {
    /// Pages of the folder.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.files.div_ceil(PAGE_SIZE)
    }

    /// The largest total that is believed as it is: a portal that names a larger one must show its last page.
    #[must_use]
    pub fn plausible_total(&self) -> u64 {
        self.files.saturating_add(1_000.max(self.files / 2))
    }

    /// Requests that counting by borders is going to take: what is read once, and what is read again.
    fn sorted_requests(&self) -> u64 {
        const ENDS: u64 = 2;
        const AGAIN: u64 = 1;
        const UNKNOWN: u64 = 8;
        let Some(counts) = &self.counts else {
            return ENDS + AGAIN + UNKNOWN;
        };
        let waiting = counts.iter().filter(|(status, _)| *status != Status::Done);
        let runs = waiting.filter(|(_, files)| **files > 0);
        runs.map(|(_, files)| files.div_ceil(PAGE_SIZE).min(PAGES_OF_A_RUN) + 1)
            .sum::<u64>()
            + ENDS
            + AGAIN
    }
}

/// The way to count a folder.
#[must_use]
pub fn choose(strategy: Strategy, trust: Trust, expected: &Expected) -> Way {
    match (strategy, trust) {
        (Strategy::Full, _) | (_, Trust::Disproven(_)) => Way::Full,
        (Strategy::Auto, _) if expected.pages() <= expected.sorted_requests() => Way::Full,
        (Strategy::Sorted | Strategy::Auto, _) => Way::Sorted,
    }
}

/// Requests that a look is going to take.
#[must_use]
pub fn requests(strategy: Strategy, trust: Trust, expected: &Expected) -> u64 {
    let (pages, sorted) = (expected.pages(), expected.sorted_requests());
    match choose(strategy, trust, expected) {
        Way::Full => pages,
        Way::Sorted if trust == Trust::Shown || pages > MAX_PAGES_UNTRUSTED => sorted,
        Way::Sorted => pages + sorted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::sorting::Disproof;

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
            assert_eq!(
                choose(Strategy::Auto, Trust::Shown, &expected),
                way,
                "{expected:?}"
            );
        }
    }

    #[test]
    fn a_portal_that_does_not_sort_is_read_in_full_whatever_was_configured() {
        for strategy in [Strategy::Full, Strategy::Sorted, Strategy::Auto] {
            let trust = Trust::Disproven(Disproof::Sample);
            assert_eq!(
                choose(strategy, trust, &expected(1_000_000, Some(3))),
                Way::Full
            );
        }
        let open = choose(Strategy::Sorted, Trust::Open, &expected(1, None));
        assert_eq!(open, Way::Sorted);
    }
}
