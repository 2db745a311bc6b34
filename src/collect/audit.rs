//! Audits of folders that are counted by their boundaries: beside the collections every page is read in the order by status, one folder
//! at a time, at a quarter of the rate and without a deadline. They look for rows that refute the portal's sorting, and sum up sizes.
//!
//! The pages of a folder are read spread over it: first both ends, then the middle, the quarters, and so on, so that a mistake of the
//! portal's sorting is found early.

mod pages;
pub(super) mod schedule;

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
use crate::snapshot::{FolderState, Way};

use pages::{Audit, Totals};
use schedule::{Due, SOON_SHARE};

/// How often it is checked whether an audit is due.
const CHECK_EVERY: Duration = Duration::from_secs(1);

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
