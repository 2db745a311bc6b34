//! Audits of folders that are counted by their boundaries: in parallel with the collections, every page is read in the order by status, one folder
//! at a time, at a quarter of the rate and without a deadline. They search for rows that refute the portal's sorting, and sum up sizes.

mod pages;
pub(super) mod schedule;

use std::time::Duration;

use tokio::time::Instant;

use crate::clock::Moment;
use crate::collect::error::ReadError;
use crate::collect::folder::Folder;
use crate::collect::settings::Settings;
use crate::collect::sorting::{Refutation, Sorting};
use crate::collect::strategy::choose;
use crate::config::Strategy;
use crate::count::Way;
use crate::history::FullRead;
use crate::model::{ByStatus, FolderId, Timestamp};
use crate::snapshot::FolderState;

pub(super) use pages::{AuditTask, Totals};
use schedule::{AuditConditions, SOON_SHARE};

/// Interval between checks whether an audit is due.
const CHECK_EVERY: Duration = Duration::from_secs(1);

/// Decides what is audited, and when.
#[derive(Debug)]
pub(super) struct Auditor {
    next_check: Instant,
    busy: bool,
}

#[derive(Debug)]
pub(super) enum AuditJob {
    /// A folder is read in full.
    Folder(FolderId),
    /// The pages that refuted the portal's sorting long ago are read again.
    Recheck(Refutation),
}

/// An audit of a folder that ended.
#[derive(Debug)]
pub(super) struct FinishedAudit {
    /// The counts that the boundaries gave just before; `None` if there were none.
    pub before: Option<ByStatus<u64>>,
    /// Nothing if the portal turned out not to sort.
    pub result: Result<Option<Totals>, ReadError>,
    pub ended: Timestamp,
}

impl Auditor {
    pub fn new(now: Instant) -> Self {
        Self {
            next_check: now,
            busy: false,
        }
    }

    /// Whether an audit is under way, which uses its share of the rate.
    pub fn is_busy(&self) -> bool {
        self.busy
    }

    pub fn finished(&mut self) {
        self.busy = false;
    }

    /// What to audit now, if something is due and no audit is under way.
    pub fn next<'a>(
        &mut self,
        folders: impl Iterator<Item = &'a Folder>,
        sorting: &Sorting,
        settings: &Settings,
        now: Moment,
    ) -> Option<AuditJob> {
        let full = settings.collect.strategy == Strategy::Full;
        if full || self.busy || now.steady < self.next_check {
            return None;
        }
        self.next_check = now.steady + CHECK_EVERY;
        let job = sorting.refutation_to_check().map(AuditJob::Recheck);
        let job = job.or_else(|| {
            let due = folders.filter(|folder| needs_audit(folder, sorting, settings, now));
            // Of those that never were audited, small ones come first: most folders are proven soon.
            let next = due.min_by_key(|folder| {
                let last = folder.view.full_read.map(|full| full.at);
                (last, folder.expected().pages(), folder.view.id)
            });
            next.map(|folder| AuditJob::Folder(folder.view.id))
        });
        self.busy = job.is_some();
        job
    }
}

fn needs_audit(folder: &Folder, sorting: &Sorting, settings: &Settings, now: Moment) -> bool {
    let (view, collect) = (&folder.view, &settings.collect);
    let Some(counts) = view.counts.as_ref() else {
        return false;
    };
    let conditions = AuditConditions {
        every: collect.full_every,
        sorting: sorting.state(),
        now,
    };
    let expected = folder.expected();
    choose(collect.strategy, conditions.sorting, &expected) == Way::Sorted
        && view.state == FolderState::Counted
        && expected.pages() <= collect.max_pages_per_folder.get()
        && folder
            .audits
            .is_due(view.id, view.full_read, counts.files, conditions)
}

impl Folder {
    /// An audit begins; returns the counts that the boundaries gave last.
    pub fn begin_audit(&mut self) -> Option<ByStatus<u64>> {
        let counts = self.view.counts.as_deref()?;
        self.audits.counts_at_last = Some(counts.files);
        (counts.look.way == Way::Sorted).then_some(counts.files)
    }

    /// Applies an audit; `None` if a panic ended it. Returns its error, if it failed.
    pub fn apply_audit(
        &mut self,
        audit: Option<FinishedAudit>,
        full_every: Duration,
    ) -> Result<(), ReadError> {
        self.audits.retry_at = Some(Moment::now().steady + full_every / SOON_SHARE);
        let Some(audit) = audit else {
            return Ok(());
        };
        if let Some(totals) = audit.result? {
            let full_read = FullRead {
                at: audit.ended,
                sizes: totals.sizes,
            };
            let before = audit.before.as_ref();
            let difference = before.map(|before| difference(&totals.counts, before));
            self.finish_audit(full_read, totals.missing_rows > 0, difference);
        }
        self.audits.retry_at = None;
        Ok(())
    }
}

/// The counts of a full read less those that the boundaries gave.
fn difference(full: &ByStatus<u64>, sorted: &ByStatus<u64>) -> ByStatus<i64> {
    ByStatus::from_fn(|status| {
        let of = |counts: &ByStatus<u64>| i64::try_from(counts[status]).unwrap_or(i64::MAX);
        of(full).saturating_sub(of(sorted))
    })
}
