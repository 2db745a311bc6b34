//! Audits: full scans that show whether the rows of a folder are in the order of their status. One is made at a time. They sum up sizes as well.
//!
//! A portal of which nothing is known is audited first, then each folder that is counted by boundaries every `full_every`. A folder that is known
//! not to be sorted needs none: each of its counts is such a scan.

use std::time::Duration;

use tracing::{info, warn};

use crate::clock::Moment;
use crate::collect::Collector;
use crate::collect::folder::Folder;
use crate::collect::queue::{Due, Need, QueuedRead, ReadKind};
use crate::collect::read_task::{FolderRead, Found};
use crate::collect::sorting;
use crate::collect::strategy::shows_order;
use crate::config::Strategy;
use crate::count::{Order, Way};
use crate::history::ListEntry;
use crate::model::{FolderId, Timestamp};
use crate::snapshot::{FolderState, FolderView, SortingState};

/// Interval between checks whether an audit is due.
pub(super) const CHECK_EVERY: Duration = Duration::from_secs(1);

/// An audit that failed is made again after this part of `full_every`, and one that did not show the order of the rows.
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
        let due = self.folders.iter();
        let due = due.filter(|folder| self.needs_audit(folder, now));
        // What may show the order first, and then what was never audited; of these the small ones first.
        let next = due.min_by_key(|folder| {
            let last = folder.view.full_read.map(|full| full.at);
            let pages = folder.expected().pages();
            (!may_show_order(folder), last, pages, folder.view.id)
        });
        let Some(folder) = next.map(|folder| folder.view.id) else {
            return;
        };
        // Where the portal is known to sort, whatever is due before a quiet folder would be due again is read first.
        let due = match self.sorting {
            SortingState::Assumed => Due {
                need: Need::Pressing,
                at: now.steady,
            },
            SortingState::Shown | SortingState::Refuted => Due {
                need: Need::Quiet,
                at: now.steady + collect.quiet_every,
            },
        };
        self.queue.push(QueuedRead {
            due,
            folder,
            kind: ReadKind::Audit,
            is_slow: false,
            since: now.steady,
            requests: 0,
        });
    }

    fn needs_audit(&self, folder: &Folder, now: Moment) -> bool {
        let (view, collect) = (&folder.view, &self.settings.collect);
        let Some(counts) = view.counts.as_ref() else {
            return false;
        };
        let may_begin = view.state == FolderState::Counted
            && folder.order() != Order::Unsorted
            && folder.expected().pages() <= collect.max_pages_per_folder.get()
            && !folder.has_unreadable_pages();
        if !may_begin {
            return false;
        }
        let is_by_boundaries = counts.look.way == Way::Sorted;
        match folder.audit_again_at {
            Some(at) => at <= now.steady,
            None if sorting::of_folder(self.sorting, folder.order()) == SortingState::Shown => {
                is_by_boundaries && is_due(view, collect.full_every, now.wall)
            }
            None => {
                let is_new = folder.scanned().is_none();
                may_show_order(folder) && folder.order() == Order::Unknown
                    || is_by_boundaries && is_new
            }
        }
    }

    /// An audit ended, which began with an entry of the list.
    pub(super) fn audited(&mut self, id: FolderId, entry: Option<ListEntry>, read: FolderRead) {
        let portal = &self.settings.portal.name;
        let reindex = &self.settings.reindex;
        let (class_slots, folder) = self.folders.with_class_slots(id);
        let Some(folder) = folder.filter(|folder| folder.is_there()) else {
            return;
        };
        let shown = match read.result {
            Ok(Found::Counted(count)) => {
                let order = count.order;
                let read = (read.began, read.ended, *count);
                folder.finish_audit(read, entry, class_slots, reindex);
                order.is_some_and(|order| order != Order::Unknown)
            }
            Ok(Found::ManyPages | Found::Unsorted) => false,
            Err(error) => {
                warn!(%portal, folder = %folder.view.name, %id, %error, "audit failed: not every page of the folder could be read");
                false
            }
        };
        let soon = Moment::now().steady + self.settings.collect.full_every / SOON_SHARE;
        folder.audit_again_at = (!shown).then_some(soon);
        self.judge_sorting();
        self.save([id]);
    }

    /// Notes what the folders show about the portal's sorting, and says what is new.
    pub(super) fn judge_sorting(&mut self) {
        let there = self.folders.iter().filter(|folder| folder.is_there());
        let state = sorting::of_portal(there.map(Folder::order));
        let before = std::mem::replace(&mut self.sorting, state);
        if state == before {
            return;
        }
        let portal = &self.settings.portal.name;
        match state {
            SortingState::Assumed => {
                info!(%portal, "it is not known any more whether the portal sorts by status");
            }
            SortingState::Shown => {
                info!(%portal, "the rows of a full scan show that the portal sorts by status");
                self.folders
                    .iter_mut()
                    .for_each(Folder::count_again_if_marked);
            }
            SortingState::Refuted => {
                warn!(%portal, folders = self.unsorted(), "the portal does not sort by status: every page is read of folders that were not shown to be sorted");
                let others = self.folders.iter_mut();
                let others = others.filter(|folder| folder.order() == Order::Unknown);
                others.for_each(Folder::doubt_boundaries);
            }
        }
        self.publish_soon();
    }
}

/// Whether the rows of a folder show their order: on one page they show nothing.
fn may_show_order(folder: &Folder) -> bool {
    let counts = folder.view.counts.as_ref();
    counts.is_some_and(|counts| shows_order(&counts.files)) && folder.expected().pages() > 1
}

/// Whether a folder is to be audited. Due times of folders that were audited at the same time are spread by their ids.
fn is_due(view: &FolderView, every: Duration, now: Timestamp) -> bool {
    view.full_read
        .is_none_or(|full_read| now.since(full_read.at) >= every.mul_f64(share(view.id)))
}

/// The part of `full_every` after which a folder is audited: from three quarters to all of it.
fn share(folder: FolderId) -> f64 {
    LEAST_SHARE + (1.0 - LEAST_SHARE) * folder.fraction()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::FullRead;
    use crate::model::{ByStatus, FolderName};

    const DAY: Duration = Duration::from_hours(24);

    /// Whether a folder is due that was audited last so long ago.
    fn due(id: u128, ago: Option<Duration>) -> bool {
        let now = Moment::now().wall;
        let id = uuid::Uuid::from_u128(id).into();
        let mut view = FolderView::unseen(id, FolderName::new("Inbox"));
        view.full_read = ago.map(|ago| FullRead {
            at: now.before(ago),
            sizes: ByStatus::default(),
            missing_rows: 0,
            repeated_rows: 0,
            scanned: None,
        });
        is_due(&view, DAY, now)
    }

    #[test]
    fn a_folder_is_audited_when_it_never_was_and_every_day_before_the_day_is_over() {
        for id in [0, u128::MAX / 3, u128::MAX] {
            assert!(due(id, None));
            assert!(due(id, Some(DAY)));
            assert!(!due(id, Some(DAY / 2)));
        }
        let late = Some(DAY * 7 / 8);
        assert!(due(0, late) && !due(u128::MAX, late));
    }
}
