//! Audits of folders that are counted by their boundaries: every page is read, one folder at a time, as the reads that are needed least. An
//! audit is a full scan whose counts are compared with those that the boundaries give meanwhile. It sums up sizes as well.

mod comparison;
pub(super) mod log;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tracing::{debug, warn};

use crate::aggregate::TallyContext;
use crate::clock::Moment;
use crate::collect::error::ReadError;
use crate::collect::folder::Folder;
use crate::collect::full_scan::scan_pages;
use crate::collect::persisted_folder::MAX_BEHIND;
use crate::collect::progress::Progress;
use crate::collect::queue::{Due, Need, ReadKind};
use crate::collect::settings::Settings;
use crate::collect::sorted::{self, Method};
use crate::collect::strategy::choose;
use crate::collect::{Collector, Event};
use crate::config::Strategy;
use crate::count::{Boundaries, DoneFiles, FolderCount, Way};
use crate::history::FullRead;
use crate::model::{FolderId, Timestamp};
use crate::portal::{Client, Files, Lane, PageRequest, Session};
use crate::snapshot::{FolderState, SortingState};

use log::{SOON_SHARE, has_several_statuses, needs_proof};

/// Interval between checks whether an audit is due.
pub(super) const CHECK_EVERY: Duration = Duration::from_secs(1);

/// An audit of a folder that ended.
#[derive(Debug)]
pub(super) struct FinishedAudit {
    pub result: Result<FolderCount, ReadError>,
    pub ended: Timestamp,
}

impl Collector {
    /// Queues the audit that is due, unless one waits or is under way. When it is due, a refutation is checked instead.
    pub(super) fn queue_audit(&mut self) {
        let now = Moment::now();
        let collect = &self.settings.collect;
        let is_single = self.log.intervals(collect).is_none();
        if is_single || self.queue.is_auditing() || collect.strategy == Strategy::Full {
            return;
        }
        let checked = self.sorting.folder_to_check(now.steady, collect.full_every);
        let refuted = self.sorting.refutation().map(|refuted| refuted.folder);
        let audit = checked.or_else(|| {
            let is_due = |folder: &&Folder| self.needs_audit(folder, refuted, now);
            // A doubt is settled first. Of those that never were audited, small ones come first: most folders are proven soon.
            let next = self.folders.iter().filter(is_due).min_by_key(|folder| {
                let last = folder.view.full_read.map(|full| full.at);
                let is_sure = !folder.audits.is_in_doubt();
                (is_sure, last, folder.expected().pages(), folder.view.id)
            });
            next.map(|folder| folder.view.id)
        });
        if let Some(folder) = audit {
            // Whatever is due before a quiet folder would be due again is read first.
            let due = Due {
                need: Need::Quiet,
                at: now.steady + self.settings.collect.quiet_every,
            };
            self.queue.push(folder, ReadKind::Audit, due);
        }
    }

    /// Whether a folder is to be audited, or its boundaries checked, while the folder `refuted` refutes that the portal sorts.
    fn needs_audit(&self, folder: &Folder, refuted: Option<FolderId>, now: Moment) -> bool {
        let (view, collect, expected) = (&folder.view, &self.settings.collect, folder.expected());
        let is_counted = view.state == FolderState::Counted;
        let is_small = expected.pages() <= collect.max_pages_per_folder.get();
        let counts = view.counts.as_ref().filter(|_| is_counted && is_small);
        counts.is_some_and(|counts| {
            let (files, last) = (&counts.files, view.full_read);
            if let Some(refuted) = refuted.filter(|_| !folder.shows_sorting()) {
                let way = choose(collect.strategy, SortingState::Assumed, &expected);
                let is_refuted = refuted == view.id;
                let may_show = way == Way::Sorted && has_several_statuses(files);
                return may_show && !is_refuted && folder.audits.may_begin(now);
            }
            let sorting = self.sorting.of_folder(folder.shows_sorting());
            choose(collect.strategy, sorting, &expected) == Way::Sorted
                && counts.look.way == Way::Sorted
                && folder
                    .audits
                    .is_due(view.id, last, files, collect.full_every, now)
        })
    }

    /// It is the turn of an audit, or of a check of boundaries.
    pub(super) fn start_audit(&mut self, id: FolderId) {
        let task = AuditTask {
            client: Arc::clone(&self.dependencies.client),
            folder: id,
            settings: Arc::clone(&self.settings),
        };
        let refuted = self.sorting.refutation();
        let folder = self.folders.get_mut(id).filter(|folder| folder.is_there());
        let is_proven = folder.as_ref().is_some_and(|folder| folder.shows_sorting());
        let is_refuted = refuted.is_some_and(|refuted| refuted.folder == id);
        if is_refuted || refuted.is_some() && folder.is_some() && !is_proven {
            let check = async move { task.boundaries_are_right().await };
            self.tasks
                .spawn(check, move |result| Event::BoundariesChecked(id, result));
            return;
        }
        let Some(folder) = folder else {
            self.queue.ended(id, ReadKind::Audit);
            return;
        };
        debug!(portal = %self.settings.portal.name, %id, "audit begins: every page is read in parallel with the collections");
        folder.begin_audit();
        let clock = self.storage.clock();
        let audit = async move {
            Box::new(FinishedAudit {
                result: task.run().await,
                ended: clock.now().wall,
            })
        };
        self.tasks
            .spawn(audit, move |audit| Event::Audited(id, audit));
    }

    /// An audit ended; `None` if a panic ended it.
    pub(super) fn audited(&mut self, id: FolderId, audit: Option<Box<FinishedAudit>>) {
        self.queue.ended(id, ReadKind::Audit);
        let folder = self.folders.get_mut(id);
        let Some(folder) = folder.filter(|folder| folder.is_there()) else {
            return;
        };
        if let Err(error) = folder.apply_audit(audit, retry_at(&self.settings)) {
            warn!(portal = %self.settings.portal.name, folder = %folder.view.name, %id, %error, "audit failed: not every page of the folder could be read");
        } else {
            self.save([id], MAX_BEHIND);
        }
    }

    /// The boundaries of a folder were checked; `None` if a panic ended the check. Retracts a refutation by the folder if they are right, or if
    /// it cannot be read any more.
    pub(super) fn boundaries_checked(
        &mut self,
        id: FolderId,
        result: Option<Result<bool, ReadError>>,
    ) {
        self.queue.ended(id, ReadKind::Audit);
        let is_right = matches!(result, Some(Ok(true)));
        let is_gone = matches!(result, Some(Err(error)) if error.is_final());
        if is_right || is_gone {
            self.sorting.retract(id);
        }
        let Some(folder) = self.folders.get_mut(id) else {
            return;
        };
        folder.audits.failed(retry_at(&self.settings));
        if is_right {
            folder.persisted.set_shows_sorting(true);
            self.save([id], MAX_BEHIND);
        }
    }
}

/// When an audit is tried again that did not show what it should.
fn retry_at(settings: &Settings) -> Instant {
    Moment::now().steady + settings.collect.full_every / SOON_SHARE
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
        audit: Option<Box<FinishedAudit>>,
        retry_at: Instant,
    ) -> Result<(), ReadError> {
        let Some(audit) = audit else {
            self.audits.failed(retry_at);
            return Ok(());
        };
        let FinishedAudit { result, ended } = *audit;
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

/// Reads every page of a folder, with a key of its own.
pub(super) struct AuditTask {
    pub client: Arc<Client>,
    pub folder: FolderId,
    pub settings: Arc<Settings>,
}

impl AuditTask {
    /// Scans the folder.
    pub async fn run(&self) -> Result<FolderCount, ReadError> {
        let (session, lane) = (self.session().await?, Lane::large());
        self.scan(&session.files(self.folder, &lane)).await
    }

    async fn session(&self) -> Result<Session, ReadError> {
        let session = Session::open(&self.client).await;
        session.map_err(ReadError::at(PageRequest::FIRST))
    }

    async fn scan(&self, files: &Files<'_>) -> Result<FolderCount, ReadError> {
        let fetch = |page| files.page(page);
        let first = fetch(PageRequest::FIRST).await;
        let first = first.map_err(ReadError::at(PageRequest::FIRST))?;
        let context = TallyContext {
            classifier: Arc::clone(&self.settings.classifier),
            ..TallyContext::default()
        };
        let (collect, progress) = (&self.settings.collect, Progress::default());
        scan_pages(&first, fetch, collect, context, None, &progress).await
    }

    /// Whether the folder is counted the same by boundaries and by a full scan.
    pub async fn boundaries_are_right(&self) -> Result<bool, ReadError> {
        let (session, lane) = (self.session().await?, Lane::large());
        let files = session.files(self.folder, &lane);
        let method = Method {
            in_flight: 1,
            hints: &Boundaries::default(),
            first_look: true,
            rows: None,
            clock_ahead: 0,
        };
        let classifier = Arc::clone(&self.settings.classifier);
        let fetch = |page| files.page(page);
        let sorted = sorted::count(fetch, method, classifier, &Progress::default()).await?;
        let scanned = self.scan(&files).await?;
        Ok(sorted.stable && scanned.consistent && sorted.count.files == scanned.files)
    }
}
