//! Full reads of folders that are counted by their borders: they run beside the collections, one at a time, at a quarter of the rate
//! and without a deadline, so that sizes become known and no mistake of the portal's sorting stays unseen for long.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tracing::{debug, warn};

use crate::aggregate::{DoneFiles, Known};
use crate::collect::count::difference;
use crate::collect::error::ReadError;
use crate::collect::folder::Folder;
use crate::collect::progress::Progress;
use crate::collect::sorting::Disproof;
use crate::collect::walk::{WalkLimits, Walked, walk};
use crate::collect::{Collector, Done, Work};
use crate::config::Strategy;
use crate::memory::FullRead;
use crate::model::{ByStatus, FolderId, Moment, Timestamp};
use crate::portal::{Client, Lane, PageRequest, PortalError};
use crate::snapshot::{FolderState, Way};

/// How often it is looked whether a full read is due.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A full read that failed is tried again after this part of `full_every`.
const TRY_AGAIN_SHARE: u32 = 24;

/// Differences in a row that disprove that the portal sorts: one alone may be files that went and came back in between.
const DIFFERENCES: u32 = 2;

/// What full reads of one folder told so far.
#[derive(Debug, Default)]
pub(super) struct Verified {
    /// The last full read failed, and is not tried again before this.
    not_before: Option<Instant>,
    /// A full read to be held against the next count.
    open: Option<Compared>,
    /// How often in a row a full read differed while nothing moved.
    differences: u32,
}

/// Counts of the borders before a full read, and its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Compared {
    before: ByStatus<u64>,
    full: ByStatus<u64>,
}

impl Verified {
    /// Whether a folder is to be read in full. Due times of folders that were read at the same time are spread by their ids.
    fn is_due(
        &self,
        folder: FolderId,
        last: Option<FullRead>,
        every: Duration,
        now: Moment,
    ) -> bool {
        let waits = self
            .not_before
            .is_some_and(|not_before| now.steady < not_before);
        let doubted = self.differences > 0 && self.open.is_none();
        let old = last.is_none_or(|last| now.wall.since(last.at) >= every.mul_f64(share(folder)));
        !waits && (old || doubted)
    }

    /// Holds a count by borders against the full read before it: where the borders have not moved, and the full read
    /// differs, one of the two is wrong. True when that came often enough to be no accident.
    pub fn disproves(&mut self, after: &ByStatus<u64>) -> bool {
        let Some(Compared { before, full }) = self.open.take() else {
            return false;
        };
        if before == full {
            self.differences = 0;
        } else if before == *after {
            self.differences += 1;
        }
        self.differences >= DIFFERENCES
    }
}

/// The part of `full_every` after which a folder is read in full: from three quarters to all of it.
fn share(folder: FolderId) -> f64 {
    0.75 + 0.25 * folder.fraction()
}

/// A full read that ended.
#[derive(Debug)]
pub(super) struct FullyRead {
    /// The counts that the borders gave just before.
    before: ByStatus<u64>,
    before_consistent: bool,
    result: Result<Walked, ReadError>,
    ended: Timestamp,
}

impl Collector {
    /// Begins a full read beside the collections, where one is due and none is under way.
    pub(super) fn verify(&mut self) {
        let under_way = self.verifying().is_some();
        if under_way || self.verify_at > Instant::now() || self.settings.strategy == Strategy::Full
        {
            return;
        }
        self.verify_at = Instant::now() + LOOK_EVERY;
        let now = Moment::now();
        let due = self
            .folders
            .values()
            .filter(|folder| self.needs_full_read(folder, now));
        let longest = due.min_by_key(|folder| folder.view.full_read.map(|full| full.at));
        if let Some(id) = longest.map(|folder| folder.view.id) {
            self.read_in_full(id);
        }
    }

    /// The folder that is being read in full beside the collections.
    pub(super) fn verifying(&self) -> Option<FolderId> {
        self.work.values().find_map(|work| match work {
            Work::Verify { folder } => Some(*folder),
            _ => None,
        })
    }

    fn needs_full_read(&self, folder: &Folder, now: Moment) -> bool {
        let view = &folder.view;
        let by_borders = view
            .counts
            .as_ref()
            .is_some_and(|counts| counts.way == Way::Sorted);
        let fits = folder.expected().pages() <= self.settings.walk.max_pages;
        let every = self.settings.full_every;
        by_borders
            && fits
            && view.state == FolderState::Counted
            && folder.verified.is_due(view.id, view.full_read, every, now)
    }

    fn read_in_full(&mut self, id: FolderId) {
        let Some(counts) = self
            .folders
            .get(&id)
            .and_then(|folder| folder.view.counts.clone())
        else {
            return;
        };
        let client = Arc::clone(&self.tools.client);
        let max_pages = self.settings.walk.max_pages;
        let classifier = Arc::clone(&self.settings.classifier);
        debug!(portal = %self.settings.portal, %id, "reading every page beside the collections");
        self.spawn(Work::Verify { folder: id }, async move {
            let known = Known {
                classifier,
                ..Known::default()
            };
            Done::Verified(Box::new(FullyRead {
                before: counts.files,
                before_consistent: counts.consistent,
                result: every_page(&client, id, known, max_pages).await,
                ended: Moment::now().wall,
            }))
        });
    }

    /// Takes in a full read.
    pub(super) async fn verified(&mut self, id: FolderId, read: Option<FullyRead>) {
        let try_again = Instant::now() + self.settings.full_every / TRY_AGAIN_SHARE;
        let portal = &self.settings.portal;
        let Some(folder) = self.folders.get_mut(&id).filter(|folder| folder.is_there()) else {
            return;
        };
        folder.verified.not_before = None;
        match read.map(|read| (read.before, read.before_consistent, read.ended, read.result)) {
            Some((before, before_consistent, ended, Ok(walked))) => {
                folder.read_in_full(before, before_consistent, ended, &walked);
                self.save(id).await;
            }
            Some((_, _, _, Err(error))) => {
                warn!(%portal, folder = %folder.view.name, %id, %error, "the folder could not be read in full beside the collections");
                folder.verified.not_before = Some(try_again);
            }
            None => folder.verified.not_before = Some(try_again),
        }
    }

    /// Holds a count by borders against the last full read.
    pub(super) fn hold_against_full_read(&mut self, id: FolderId) {
        let Some(folder) = self.folders.get_mut(&id) else {
            return;
        };
        let counts = folder.view.counts.as_ref();
        let by_borders = counts.filter(|counts| counts.way == Way::Sorted && counts.consistent);
        if by_borders.is_some_and(|counts| folder.verified.disproves(&counts.files)) {
            self.sorting.disprove(Disproof::Counts);
        }
    }
}

impl Folder {
    /// Takes in what only a full read tells. Its counts are older than those of the looks that were taken meanwhile.
    fn read_in_full(
        &mut self,
        before: ByStatus<u64>,
        before_consistent: bool,
        ended: Timestamp,
        walked: &Walked,
    ) {
        let reading = &walked.reading;
        if let DoneFiles::Read { sizes, .. } = &reading.done {
            self.kept.read_in_full(FullRead {
                at: ended,
                sizes: *sizes,
            });
        }
        let full = reading.counts;
        self.verified.open =
            (walked.consistent && before_consistent).then_some(Compared { before, full });
        self.show_difference(difference(&full, &before));
    }
}

async fn every_page(
    client: &Arc<Client>,
    folder: FolderId,
    known: Known,
    max_pages: u64,
) -> Result<Walked, ReadError> {
    let lane = Lane::background();
    let limits = WalkLimits {
        in_flight: 1,
        max_pages,
    };
    let failed = |error: PortalError| ReadError::Portal {
        page: PageRequest::by_name(1),
        error,
    };
    let session = client.open().await.map_err(failed)?;
    let files = session.files(folder, &lane);
    let fetch = |page| files.page(PageRequest::by_name(page));
    walk(fetch, limits, known, &Progress::default()).await
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

    fn read(before: Duration, now: Moment) -> FullRead {
        FullRead {
            at: now.wall.before(before),
            sizes: ByStatus::default(),
        }
    }

    #[test]
    fn a_folder_is_read_in_full_when_it_never_was_and_every_day_before_the_day_is_over() {
        let (now, verified) = (Moment::now(), Verified::default());
        for number in [0, u128::MAX / 3, u128::MAX] {
            let due = |before: Option<Duration>| {
                verified.is_due(id(number), before.map(|before| read(before, now)), DAY, now)
            };
            assert!(due(None) && due(Some(DAY)));
            assert!(!due(Some(DAY / 2)));
        }
        let spread = |number| verified.is_due(id(number), Some(read(DAY * 7 / 8, now)), DAY, now);
        assert!(spread(0) && !spread(u128::MAX));
    }

    #[test]
    fn a_full_read_that_failed_is_not_tried_again_at_once() {
        let now = Moment::now();
        let verified = Verified {
            not_before: Some(Instant::now() + DAY),
            ..Verified::default()
        };
        assert!(!verified.is_due(id(1), None, DAY, now));
    }

    #[test]
    fn a_difference_disproves_only_when_nothing_moved_and_it_comes_again() {
        let compared = |before, full| {
            Some(Compared {
                before: counts(before),
                full: counts(full),
            })
        };
        let mut verified = Verified::default();
        for (open, after, disproves, differences) in [
            (None, 1, false, 0),
            (compared(5, 6), 7, false, 0),
            (compared(5, 6), 5, false, 1),
            (compared(5, 5), 5, false, 0),
            (compared(5, 6), 5, false, 1),
            (None, 5, false, 1),
            (compared(5, 6), 5, true, 2),
        ] {
            verified.open = open;
            assert_eq!(
                verified.disproves(&counts(after)),
                disproves,
                "{open:?} {after}"
            );
            assert_eq!(verified.differences, differences, "{open:?} {after}");
        }
    }
}
