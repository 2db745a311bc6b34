//! Audits of folders that are counted by their boundaries: beside the collections every page is read in the order by status, one folder
//! at a time, at a quarter of the rate and without a deadline. They look for rows that refute the portal's sorting, and sum up sizes.
//!
//! The pages of a folder are read spread over it: first both ends, then the middle, the quarters, and so on, so that a mistake of the
//! portal's sorting is found early.

mod pages;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tracing::{debug, warn};

use crate::collect::count::difference;
use crate::collect::error::ReadError;
use crate::collect::folder::Folder;
use crate::collect::sorting::Refutation;
use crate::collect::strategy::choose;
use crate::collect::{Collector, Done, Work};
use crate::config::Strategy;
use crate::history::FullRead;
use crate::model::{ByStatus, FolderId, Moment, Timestamp};
use crate::snapshot::{FolderState, SortingState, Way};

use pages::{Audit, Totals};

/// How often it is checked whether an audit is due.
const CHECK_EVERY: Duration = Duration::from_secs(1);

/// An audit that failed is tried again after this part of `full_every`; while sorting is only assumed, folders that changed are audited
/// again as often.
const SOON_SHARE: u32 = 24;

/// What is known of the audits of one folder.
#[derive(Debug, Default)]
pub(super) struct Audits {
    /// The last one failed, and is not tried again before this.
    not_before: Option<Instant>,
    /// The counts at the last one of this process.
    last: Option<ByStatus<u64>>,
}

/// What an audit depends on beside its folder.
#[derive(Debug, Clone, Copy)]
struct Due {
    every: Duration,
    sorting: SortingState,
    now: Moment,
}

impl Audits {
    /// Whether a folder is to be audited. Due times of folders that were audited at the same time are spread by their ids.
    fn is_due(
        &self,
        folder: FolderId,
        full_read: Option<FullRead>,
        counts: ByStatus<u64>,
        due: Due,
    ) -> bool {
        let Due {
            every,
            sorting,
            now,
        } = due;
        let waits = self.not_before.is_some_and(|time| now.steady < time);
        let older = |age| full_read.is_none_or(|full| now.wall.since(full.at) >= age);
        let unproven = sorting == SortingState::Assumed
            && match self.last {
                None => true,
                Some(last) => last != counts && older(every / SOON_SHARE),
            };
        !waits && (unproven || older(every.mul_f64(share(folder))))
    }
}

/// The part of `full_every` after which a folder is audited: from three quarters to all of it.
fn share(folder: FolderId) -> f64 {
    0.75 + 0.25 * folder.fraction()
}

/// An audit that ended.
#[derive(Debug)]
pub(super) struct Audited {
    /// The counts that the boundaries gave just before; none where there were none.
    before: Option<ByStatus<u64>>,
    result: Result<Option<Totals>, ReadError>,
    ended: Timestamp,
}

impl Collector {
    /// Begins an audit, or checks an old refutation, where that is due and none is under way.
    pub(super) fn audit(&mut self) {
        if self.is_auditing()
            || self.audit_at > Instant::now()
            || self.settings.strategy == Strategy::Full
        {
            return;
        }
        self.audit_at = Instant::now() + CHECK_EVERY;
        if let Some(refutation) = self.sorting.refutation_to_check() {
            self.check_refutation(refutation);
            return;
        }
        let now = Moment::now();
        let due = self.folders.values();
        let due = due.filter(|folder| self.needs_audit(folder, now));
        // Of those that never were audited, small ones come first: most folders are proven soon.
        let next = due.min_by_key(|folder| {
            let last = folder.view.full_read.map(|full| full.at);
            (last, folder.expected().pages(), folder.view.id)
        });
        if let Some(id) = next.map(|folder| folder.view.id) {
            self.begin_audit(id);
        }
    }

    /// Whether an audit takes its share of the rate.
    pub(super) fn is_auditing(&self) -> bool {
        let mut work = self.work.values();
        work.any(|work| matches!(work, Work::Audit { .. } | Work::CheckRefutation))
    }

    fn needs_audit(&self, folder: &Folder, now: Moment) -> bool {
        let view = &folder.view;
        let Some(counts) = view.counts.as_ref() else {
            return false;
        };
        let due = Due {
            every: self.settings.full_every,
            sorting: self.sorting.state(),
            now,
        };
        let expected = folder.expected();
        choose(self.settings.strategy, due.sorting, &expected) == Way::Sorted
            && view.state == FolderState::Counted
            && expected.pages() <= self.settings.scan.max_pages
            && folder
                .audits
                .is_due(view.id, view.full_read, counts.files, due)
    }

    fn begin_audit(&mut self, id: FolderId) {
        let Some(folder) = self.folders.get_mut(&id) else {
            return;
        };
        let Some(counts) = folder.view.counts.clone() else {
            return;
        };
        folder.audits.last = Some(counts.files);
        let audit = Audit {
            client: Arc::clone(&self.dependencies.client),
            folder: id,
            sorting: Arc::clone(&self.sorting),
            max_pages: self.settings.scan.max_pages,
        };
        debug!(portal = %self.settings.portal, %id, "audit begins: every page is read beside the collections");
        self.spawn(Work::Audit { folder: id }, async move {
            Done::Audited(Box::new(Audited {
                before: (counts.way == Way::Sorted).then_some(counts.files),
                result: audit.run().await,
                ended: Moment::now().wall,
            }))
        });
    }

    /// Takes in an audit.
    pub(super) async fn audited(&mut self, id: FolderId, audited: Option<Audited>) {
        let try_again = Instant::now() + self.settings.full_every / SOON_SHARE;
        let portal = &self.settings.portal;
        let Some(folder) = self.folders.get_mut(&id).filter(|folder| folder.is_there()) else {
            return;
        };
        folder.audits.not_before = None;
        match audited.map(|audited| (audited.before, audited.ended, audited.result)) {
            Some((before, ended, Ok(Some(totals)))) => {
                folder.audited(before, ended, &totals);
                self.save(id).await;
            }
            Some((_, _, Ok(None))) => {}
            Some((_, _, Err(error))) => {
                warn!(%portal, folder = %folder.view.name, %id, %error, "audit failed: not every page of the folder could be read beside the collections");
                folder.audits.not_before = Some(try_again);
            }
            None => folder.audits.not_before = Some(try_again),
        }
    }

    /// Reads the pages again that refuted the portal's sorting long ago.
    fn check_refutation(&mut self, refutation: Refutation) {
        let audit = Audit {
            client: Arc::clone(&self.dependencies.client),
            folder: refutation.folder,
            sorting: Arc::clone(&self.sorting),
            max_pages: self.settings.scan.max_pages,
        };
        self.spawn(Work::CheckRefutation, async move {
            audit.check(&refutation).await;
            Done::RefutationChecked
        });
    }
}

impl Folder {
    /// Takes in what only an audit tells. Its counts are older than those of the reads that were made meanwhile.
    fn audited(&mut self, before: Option<ByStatus<u64>>, ended: Timestamp, totals: &Totals) {
        self.persisted.read_in_full(FullRead {
            at: ended,
            sizes: totals.sizes,
        });
        self.lacks_rows = totals.missing_rows > 0;
        if let Some(before) = before {
            self.show_difference(difference(&totals.counts, &before));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Status;

    const DAY: Duration = Duration::from_hours(24);

    fn id(number: u128) -> FolderId {
        uuid::Uuid::from_u128(number).into()
    }

    fn counts(done: u64) -> ByStatus<u64> {
        ByStatus::from_fn(|status| if status == Status::Done { done } else { 0 })
    }

    fn due(sorting: SortingState) -> Due {
        Due {
            every: DAY,
            sorting,
            now: Moment::now(),
        }
    }

    fn read(before: Duration, due: Due) -> FullRead {
        FullRead {
            at: due.now.wall.before(before),
            sizes: ByStatus::default(),
        }
    }

    #[test]
    fn a_folder_is_audited_when_it_never_was_and_every_day_before_the_day_is_over() {
        let (due, audits) = (due(SortingState::Shown), Audits::default());
        for number in [0, u128::MAX / 3, u128::MAX] {
            let is_due = |before: Option<Duration>| {
                let last = before.map(|before| read(before, due));
                audits.is_due(id(number), last, counts(1), due)
            };
            assert!(is_due(None) && is_due(Some(DAY)));
            assert!(!is_due(Some(DAY / 2)));
        }
        let spread = |number| {
            let last = Some(read(DAY * 7 / 8, due));
            audits.is_due(id(number), last, counts(1), due)
        };
        assert!(spread(0) && !spread(u128::MAX));
    }

    #[test]
    fn while_sorting_is_assumed_each_process_audits_and_audits_again_what_changed() {
        let due = due(SortingState::Assumed);
        let is_due = |last: Option<u64>, ago: Duration| {
            let audits = Audits {
                last: last.map(counts),
                ..Audits::default()
            };
            audits.is_due(id(1), Some(read(ago, due)), counts(5), due)
        };
        assert!(is_due(None, Duration::ZERO));
        assert!(is_due(Some(4), DAY / 24));
        assert!(!is_due(Some(4), DAY / 25));
        assert!(!is_due(Some(5), DAY / 2));
    }

    #[test]
    fn an_audit_that_failed_is_not_tried_again_at_once() {
        let audits = Audits {
            not_before: Some(Instant::now() + DAY),
            ..Audits::default()
        };
        assert!(!audits.is_due(id(1), None, counts(1), due(SortingState::Assumed)));
    }
}
