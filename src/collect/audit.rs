//! Audits of folders that are counted by their boundaries: every page is read, one folder at a time, as the reads that are needed least. An
//! audit is a full scan between two counts by boundaries, which it is compared with. It sums up sizes as well.
//!
//! Where the portal is known not to sort, the same shows which of its folders are sorted all the same, and when it sorts again.

pub(super) mod comparison;

use std::time::Duration;

use tracing::warn;

use crate::clock::Moment;
use crate::collect::Collector;
use crate::collect::folder::Folder;
use crate::collect::persisted_folder::MAX_BEHIND;
use crate::collect::queue::{Due, Need, ReadKind, Turn};
use crate::collect::read_task::{FolderRead, Found};
use crate::collect::sorting::Refutation;
use crate::collect::strategy::choose;
use crate::config::Strategy;
use crate::count::Way;
use crate::history::FullRead;
use crate::model::{ByStatus, FolderId, Timestamp};
use crate::snapshot::{FolderState, FolderView, SortingState};

use comparison::{Verdict, has_several_statuses};

/// Interval between checks whether an audit is due.
pub(super) const CHECK_EVERY: Duration = Duration::from_secs(1);

/// An audit that failed is tried again after this part of `full_every`, and one that did not show that the folder is sorted.
const SOON_SHARE: u32 = 24;

/// Shortest time between two audits of a folder, as a part of `full_every`.
const LEAST_SHARE: f64 = 0.75;

impl Collector {
    /// Queues the audit that is due, unless one waits or is under way.
    pub(super) fn queue_audit(&mut self) {
        let now = Moment::now();
        let collect = &self.settings.collect;
        let is_single = self.log.is_single();
        if is_single || self.queue.is_auditing() || collect.strategy == Strategy::Full {
            return;
        }
        let checked = self.sorting.folder_to_check(now.steady, collect.full_every);
        let audit = checked.or_else(|| {
            let folders = self.folders.iter();
            let due = folders.filter(|folder| self.needs_audit(folder, now));
            // Of those that never were audited, small ones come first: most folders are proven soon.
            let next = due.min_by_key(|folder| {
                let last = folder.view.full_read.map(|full| full.at);
                (last, folder.expected().pages(), folder.view.id)
            });
            next.map(|folder| folder.view.id)
        });
        if let Some(folder) = audit {
            // Whatever is due before a quiet folder would be due again is read first.
            let due = Due {
                need: Need::Quiet,
                at: now.steady + self.settings.collect.quiet_every,
            };
            self.queue.push(Turn {
                due,
                folder,
                kind: ReadKind::Audit,
                is_slow: false,
            });
        }
    }

    fn needs_audit(&self, folder: &Folder, now: Moment) -> bool {
        let (view, collect, expected) = (&folder.view, &self.settings.collect, folder.expected());
        let Some(counts) = view.counts.as_ref() else {
            return false;
        };
        let is_by_boundaries =
            choose(collect.strategy, SortingState::Assumed, &expected) == Way::Sorted;
        let may_begin = view.state == FolderState::Counted
            && is_by_boundaries
            && expected.pages() <= collect.max_pages_per_folder.get()
            && folder.audit_again_at.is_none_or(|at| at <= now.steady);
        let is_wanted = match self.sorting.refutation() {
            Some(refuted) if !folder.shows_sorting() => {
                has_several_statuses(&counts.files) && refuted.folder != view.id
            }
            _ => {
                let is_awaited = folder.audit_again_at.is_some();
                let is_due = is_due(view, &counts.files, collect.full_every, now.wall);
                counts.look.way == Way::Sorted && (is_awaited || is_due)
            }
        };
        may_begin && is_wanted
    }

    /// An audit ended.
    pub(super) fn audited(&mut self, id: FolderId, read: FolderRead) {
        let ended = read.ended.wall;
        let audit = match read.result {
            Ok(Found::Audited(audit)) => Ok(audit),
            Ok(_) => return,
            Err(error) => Err(error),
        };
        let verdict = audit.as_ref().ok().map(|audit| audit.1);
        let is_gone = matches!(&audit, Err(error) if error.is_refusal() || error.is_gone());
        if is_gone || verdict == Some(Verdict::Sorted) {
            self.sorting.retract(id);
        }
        let is_refuted = self.sorting.refutation().is_some();
        let folder = self.folders.get_mut(id);
        let Some(folder) = folder.filter(|folder| folder.is_there()) else {
            return;
        };
        match &audit {
            Ok(audit) => folder.finish_audit(&audit.0, audit.1, ended),
            Err(error) => {
                warn!(portal = %self.settings.portal.name, folder = %folder.view.name, %id, %error, "audit failed: not every page of the folder could be read");
            }
        }
        let again = audit.is_err() || is_refuted && !folder.shows_sorting();
        let soon = Moment::now().steady + self.settings.collect.full_every / SOON_SHARE;
        folder.audit_again_at = again.then_some(soon);
        if matches!(verdict, Some(Verdict::Wrong { .. })) {
            let (folder, pages) = (id, Vec::new());
            self.refute(Refutation { folder, pages });
        }
        self.save([id], MAX_BEHIND);
    }
}

/// Whether audits show that a portal sorts: every folder that is counted by its boundaries was audited and agreed, and some have several
/// statuses.
pub(super) fn show_sorting<'a>(folders: impl Iterator<Item = &'a Folder>) -> bool {
    let mut is_shown = false;
    for folder in folders.filter(|folder| folder.is_there()) {
        let counts = folder.view.counts.as_ref();
        let Some(counts) = counts.filter(|counts| counts.look.way == Way::Sorted) else {
            continue;
        };
        let audited = folder.view.full_read;
        if audited.is_none_or(|audited| needs_proof(audited, &counts.files)) {
            return false;
        }
        is_shown |= audited.is_some_and(|audited| audited.shows_sorting);
    }
    is_shown
}

/// Whether a folder with these counts is to be audited. Due times of folders that were audited at the same time are spread by their ids.
fn is_due(view: &FolderView, counts: &ByStatus<u64>, every: Duration, now: Timestamp) -> bool {
    let Some(full_read) = view.full_read else {
        return true;
    };
    let age = now.since(full_read.at);
    let unproven = needs_proof(full_read, counts) && full_read.missing_rows == 0;
    unproven && age >= every / SOON_SHARE || age >= every.mul_f64(share(view.id))
}

/// Whether no audit showed that a folder with these counts is sorted. A list of one status is sorted in any order.
fn needs_proof(full_read: FullRead, counts: &ByStatus<u64>) -> bool {
    !full_read.shows_sorting && has_several_statuses(counts)
}

/// The part of `full_every` after which a folder is audited: from three quarters to all of it.
fn share(folder: FolderId) -> f64 {
    LEAST_SHARE + (1.0 - LEAST_SHARE) * folder.fraction()
}

#[cfg(test)]
mod tests {
    use super::*;
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
            repeated_rows: 0,
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
