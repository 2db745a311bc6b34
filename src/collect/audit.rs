//! Audits of folders that are counted by their boundaries: in parallel with the collections, every page is read, one folder at a time, at a
//! quarter of the rate and without a deadline. An audit is a full scan whose counts are compared with those of the boundaries. It sums up sizes as well.

mod comparison;
pub(super) mod log;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::aggregate::TallyContext;
use crate::clock::Moment;
use crate::collect::error::ReadError;
use crate::collect::folder::Folder;
use crate::collect::full_scan::scan_pages;
use crate::collect::progress::Progress;
use crate::collect::settings::Settings;
use crate::collect::sorted::{self, Method};
use crate::collect::sorting::{Refutation, Sorting};
use crate::collect::strategy::choose;
use crate::config::Strategy;
use crate::count::{Boundaries, DoneFiles, FolderCount, Way};
use crate::history::FullRead;
use crate::model::{FolderId, Timestamp};
use crate::portal::{Client, Files, Lane, PageRequest, Session};
use crate::snapshot::FolderState;

use log::{SOON_SHARE, needs_proof};

/// Interval between checks whether an audit is due.
const CHECK_EVERY: Duration = Duration::from_secs(1);

const FIRST: PageRequest = PageRequest::by_name(1);

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
    /// The folder that refuted the portal's sorting is read again.
    Recheck(Refutation),
}

/// An audit of a folder that ended.
#[derive(Debug)]
pub(super) struct FinishedAudit {
    pub result: Result<FolderCount, ReadError>,
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
        let job = sorting.refutation_to_check(now.steady);
        let job = job.map(AuditJob::Recheck).or_else(|| {
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
    let counts = view.counts.as_ref();
    let expected = folder.expected();
    choose(collect.strategy, sorting.state(), &expected) == Way::Sorted
        && view.state == FolderState::Counted
        && expected.pages() <= collect.max_pages_per_folder.get()
        && counts.is_some_and(|counts| {
            let (last, every) = (view.full_read, collect.full_every);
            let audits = &folder.audits;
            counts.way == Way::Sorted && audits.is_due(view.id, last, &counts.files, every, now)
        })
}

/// Whether audits show that a portal sorts: every folder that is counted by its boundaries was audited and agreed, and some have several
/// statuses.
pub(super) fn show_sorting<'a>(folders: impl Iterator<Item = &'a Folder>) -> bool {
    let mut is_shown = false;
    for folder in folders.filter(|folder| folder.is_there()) {
        let counts = folder.view.counts.as_ref();
        let Some(counts) = counts.filter(|counts| counts.way == Way::Sorted) else {
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

impl Folder {
    /// An audit begins.
    pub fn begin_audit(&mut self) {
        if let Some(counts) = &self.view.counts {
            self.audits.begin(counts.files);
        }
    }

    /// Applies an audit; `None` if a panic ended it. Returns its error, if it failed.
    pub fn apply_audit(
        &mut self,
        audit: Option<FinishedAudit>,
        full_every: Duration,
    ) -> Result<(), ReadError> {
        let retry_at = Moment::now().steady + full_every / SOON_SHARE;
        let Some(FinishedAudit { result, ended }) = audit else {
            self.audits.failed(retry_at);
            return Ok(());
        };
        let count = result.inspect_err(|_| self.audits.failed(retry_at))?;
        if let DoneFiles::Read { sizes, .. } = &count.done {
            let difference = self.audits.ended((&count).into());
            let before = self.view.full_read;
            let full_read = FullRead {
                at: ended,
                sizes: *sizes,
                missing_rows: count.missing_rows,
                shows_sorting: before.is_some_and(|before| before.shows_sorting),
            };
            self.finish_audit(full_read, difference);
        }
        Ok(())
    }
}

/// Reads a folder in the background.
pub(super) struct AuditTask {
    pub client: Arc<Client>,
    pub folder: FolderId,
    pub settings: Arc<Settings>,
}

impl AuditTask {
    /// Scans the folder.
    pub async fn run(&self) -> Result<FolderCount, ReadError> {
        let lane = Lane::background();
        let session = Session::open(&self.client).await;
        let session = session.map_err(ReadError::at(FIRST))?;
        self.scan(&session.files(self.folder, &lane)).await
    }

    async fn scan(&self, files: &Files<'_>) -> Result<FolderCount, ReadError> {
        let fetch = |page| files.page(page);
        let first = fetch(FIRST).await.map_err(ReadError::at(FIRST))?;
        let context = TallyContext {
            classifier: Arc::clone(&self.settings.classifier),
            ..TallyContext::default()
        };
        let (collect, progress) = (&self.settings.collect, Progress::default());
        scan_pages(&first, fetch, collect, context, None, &progress).await
    }

    /// Retracts a refutation if its folder is counted the same by boundaries and by a full scan, or cannot be read any more.
    pub async fn check(&self, refutation: &Refutation, sorting: &Sorting) {
        let holds = match self.boundaries_are_right().await {
            Ok(is_right) => !is_right,
            Err(error) => !error.is_final(),
        };
        if !holds {
            sorting.retract(refutation);
        }
    }

    async fn boundaries_are_right(&self) -> Result<bool, ReadError> {
        let lane = Lane::background();
        let session = Session::open(&self.client).await;
        let session = session.map_err(ReadError::at(FIRST))?;
        let files = session.files(self.folder, &lane);
        let method = Method {
            in_flight: 1,
            hints: &Boundaries::default(),
            first_look: true,
            rows: None,
        };
        let classifier = Arc::clone(&self.settings.classifier);
        let fetch = |page| files.page(page);
        let sorted = sorted::count(fetch, method, classifier, &Progress::default()).await?;
        let scanned = self.scan(&files).await?;
        Ok(sorted.stable && scanned.consistent && sorted.count.files == scanned.files)
    }
}
