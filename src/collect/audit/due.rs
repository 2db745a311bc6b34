//! When a folder is audited next: pure.

use std::time::Duration;

use crate::history::FullRead;
use crate::model::{ByStatus, FolderId, Timestamp};
use crate::snapshot::FolderView;

use super::comparison::has_several_statuses;

/// An audit that failed is tried again after this part of `full_every`, and one that did not show that the folder is sorted.
pub(super) const SOON_SHARE: u32 = 24;

/// Shortest time between two audits of a folder, as a part of `full_every`.
const LEAST_SHARE: f64 = 0.75;

/// Whether a folder with these counts is to be audited. Due times of folders that were audited at the same time are spread by their ids.
pub(super) fn is_due(
    view: &FolderView,
    counts: &ByStatus<u64>,
    every: Duration,
    now: Timestamp,
) -> bool {
    let Some(full_read) = view.full_read else {
        return true;
    };
    let age = now.since(full_read.at);
    let unproven = needs_proof(full_read, counts) && full_read.missing_rows == 0;
    unproven && age >= every / SOON_SHARE || age >= every.mul_f64(share(view.id))
}

/// Whether no audit showed that a folder with these counts is sorted. A list of one status is sorted in any order.
pub(super) fn needs_proof(full_read: FullRead, counts: &ByStatus<u64>) -> bool {
    !full_read.shows_sorting && has_several_statuses(counts)
}

/// The part of `full_every` after which a folder is audited: from three quarters to all of it.
fn share(folder: FolderId) -> f64 {
    LEAST_SHARE + (1.0 - LEAST_SHARE) * folder.fraction()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use crate::model::{FolderName, Status};

    const DAY: Duration = Duration::from_hours(24);

    /// Whether a folder is due that was audited last so long ago.
    fn due(id: u128, ago: Option<Duration>, failed: u64, last: FullRead) -> bool {
        let now = Moment::now().wall;
        let counts = ByStatus::from_fn(|status| match status {
            Status::Done => 5,
            Status::Failed => failed,
            _ => 0,
        });
        let id = uuid::Uuid::from_u128(id).into();
        let mut view = FolderView::unseen(id, FolderName::new("Inbox"));
        view.full_read = ago.map(|ago| FullRead {
            at: now.before(ago),
            ..last
        });
        is_due(&view, &counts, DAY, now)
    }

    fn read(missing_rows: u64, shows_sorting: bool) -> FullRead {
        FullRead {
            at: Timestamp::default(),
            sizes: ByStatus::default(),
            missing_rows,
            shows_sorting,
        }
    }

    #[test]
    fn a_folder_is_audited_when_it_never_was_and_every_day_before_the_day_is_over() {
        let is_due = |id, ago| due(id, ago, 1, read(0, true));
        for id in [0, u128::MAX / 3, u128::MAX] {
            assert!(is_due(id, None));
            assert!(is_due(id, Some(DAY)));
            assert!(!is_due(id, Some(DAY / 2)));
        }
        let late = Some(DAY * 7 / 8);
        assert!(is_due(0, late) && !is_due(u128::MAX, late));
    }

    #[test]
    fn until_an_audit_showed_that_a_folder_of_several_statuses_is_sorted_the_next_comes_soon() {
        let is_due = |ago, failed, missing| due(1, Some(ago), failed, read(missing, false));
        assert!(is_due(DAY / 24, 1, 0));
        assert!(!is_due(DAY / 25, 1, 0));
        assert!(!is_due(DAY / 2, 0, 0));
        assert!(!is_due(DAY / 2, 1, 3));
    }
}
