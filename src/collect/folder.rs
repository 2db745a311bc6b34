//! The state of one folder in its collector.

mod absence;
mod stored;
mod under_way;
mod witnesses;

use std::collections::HashSet;
use std::sync::Arc;

use tokio::time::Instant;

use crate::classify::{ClassSlots, ErrorRow};
use crate::clock::Moment;
use crate::collect::audit::log::AuditLog;
use crate::collect::error::ReadError;
use crate::collect::folder_read::{FolderRead, ReadStatus};
use crate::collect::persisted_folder::PersistedFolder;
use crate::collect::read_schedule::{ReadLog, ReadOutcome};
use crate::collect::sorted::RowsWanted;
use crate::collect::strategy::Expected;
use crate::collect::unwritten::UnwrittenCount;
use crate::collect::watched::{Watch, findings};
use crate::config::{Mode, Reindex};
use crate::count::{Boundaries, DoneFiles, FolderCount, Way};
use crate::history::{self, DepartureReason, FullRead, apply, limit_rows};
use crate::model::{ByStatus, FileKey, FolderId, FolderName, Status};
use crate::portal::ListedFolder;
use crate::reindex::CountFindings;
use crate::snapshot::{Counts, FolderState, FolderView, Unavailable};
use crate::state::SavedFolder;

pub(super) use under_way::ReadUnderWay;
use witnesses::Witnesses;

#[derive(Debug)]
pub(super) struct Folder {
    pub view: Arc<FolderView>,
    pub persisted: PersistedFolder,
    /// The last count, until it is written.
    unwritten: Option<Box<UnwrittenCount>>,
    /// The read that is under way, or whose refusal is not explained yet.
    pub read: Option<ReadUnderWay>,
    /// Whether the last read took too long.
    pub slow: bool,
    pub read_log: ReadLog,
    /// The state before its portal could not be read.
    state_before: Option<FolderState>,
    /// What the last count found for reindexing.
    pub findings: Option<Arc<CountFindings>>,
    /// Counts since the process was started.
    pub times_counted: u64,
    /// Where the boundaries between statuses are by the latest count.
    pub boundaries: Arc<Boundaries>,
    /// The rows to read next.
    rows_wanted: RowsWanted,
    /// Whether this process looked between the boundaries.
    looked: bool,
    pub audits: AuditLog,
    witnesses: Witnesses,
}

impl Folder {
    /// A folder that the list names. `is_unknown`: the database may have more of it.
    pub fn listed(listed: &ListedFolder, is_unknown: bool) -> Self {
        let persisted = if is_unknown {
            PersistedFolder::unknown()
        } else {
            PersistedFolder::default()
        };
        Self::new(listed.id, listed.name.clone(), persisted)
    }

    pub fn restored(id: FolderId, saved: SavedFolder) -> Self {
        let name = saved.name.clone();
        Self::new(id, name, PersistedFolder::restored(saved))
    }

    fn new(id: FolderId, name: FolderName, persisted: PersistedFolder) -> Self {
        let departed = persisted.departure.map(FolderState::Departed);
        let mut folder = Self {
            view: Arc::new(FolderView {
                state: departed.unwrap_or(FolderState::Unseen),
                ..FolderView::unseen(id, name)
            }),
            persisted,
            unwritten: None,
            read: None,
            slow: false,
            read_log: ReadLog::default(),
            state_before: None,
            findings: None,
            times_counted: 0,
            boundaries: Arc::default(),
            rows_wanted: RowsWanted::default(),
            looked: false,
            audits: AuditLog::default(),
            witnesses: Witnesses::default(),
        };
        folder.show_persisted();
        folder
    }

    /// Whether it is being read, or has a refusal that is not explained yet.
    pub fn is_being_read(&self) -> bool {
        self.read.is_some()
    }

    /// Shows whether a large scan is under way.
    pub fn show_scan(&mut self) {
        let status = self.read.as_ref().and_then(ReadUnderWay::status);
        let pages = status.and_then(ReadStatus::large_scan_pages);
        if self.view.large_scan_pages != pages {
            self.view_mut().large_scan_pages = pages;
        }
    }

    /// The list names the folder, perhaps by another name than before.
    pub fn found(&mut self, listed: &ListedFolder) {
        if self.is_unlisted() {
            self.persisted.departure = None;
            self.view_mut().state = FolderState::Unseen;
            self.show_persisted();
        }
        let reported_files = self.is_there().then_some(listed.file_count);
        self.witnesses.reported(listed.file_count);
        if self.view.missing_files != self.witnesses.missing() {
            self.view_mut().missing_files = self.witnesses.missing();
        }
        // A view that is published is copied when it changes.
        if self.view.name != listed.name || self.view.reported_files != reported_files {
            let view = self.view_mut();
            view.name = listed.name.clone();
            view.reported_files = reported_files;
        }
    }

    /// Whether the latest read found nothing to count, or failed.
    pub fn is_unreadable(&self) -> bool {
        self.view.state.unavailable().is_some()
    }

    /// What is known before the next read.
    pub fn expected(&self) -> Expected {
        let record = self.persisted.record.as_ref();
        let reported = self.view.reported_files.unwrap_or(0);
        Expected {
            rows_beyond: self.witnesses.want_rows_beyond(),
            first_look: !self.looked && record.is_none_or(|record| record.full_read.is_none()),
            rows: self.rows_wanted,
            ..Expected::new(record.map(|record| record.counts), reported)
        }
    }

    /// Whether its files may change their status by themselves: files wait or are processed, or failed ones may be reindexed. Otherwise,
    /// failed and flagged files stay as they are until a person acts.
    pub fn moves(&self, reindex: &Reindex) -> bool {
        let Some(counts) = self.view.counts.as_deref() else {
            return false;
        };
        let settled = if reindex
            .for_folder(self.view.id, self.view.name.label())
            .mode
            == Mode::Off
        {
            Status::WITH_REASON
                .map(|status| counts.files[status])
                .iter()
                .sum()
        } else {
            0
        };
        counts.files.total() > counts.files[Status::Done] + settled
    }

    /// The folder cannot be read, because its portal cannot. A read under way may still succeed.
    pub fn portal_failed(&mut self) {
        if self.is_there() && !self.is_being_read() {
            let state = &self.view.state;
            self.state_before.get_or_insert_with(|| state.clone());
            self.unavailable(Unavailable::Error, "the portal cannot be read".to_owned());
        }
    }

    /// The folder could be read, and is not due: the result of its last read stays valid (docs/metrics.md, Stale counts).
    pub fn skipped(&mut self) {
        if let Some(state) = self.state_before.take() {
            self.view_mut().state = state;
        }
    }

    /// A read begins: it waits for its turn.
    pub fn begin(&mut self, now: Instant) {
        self.read = Some(ReadUnderWay::Queued);
        self.state_before = None;
        self.read_log.begin(now);
    }

    /// It is the turn of the read, if there is one.
    pub fn start(&mut self, watched: &Arc<HashSet<FileKey>>) -> Option<Arc<ReadStatus>> {
        let status = Arc::<ReadStatus>::default();
        *self.read.as_mut()? = ReadUnderWay::Started {
            watched: Arc::clone(watched),
            status: Arc::clone(&status),
        };
        Some(status)
    }

    /// Applies a read that was not refused.
    pub fn finish_read(
        &mut self,
        read: FolderRead,
        class_slots: &mut ClassSlots,
        reindex: &Reindex,
    ) -> ReadOutcome {
        let under_way = self.read.take();
        self.slow = matches!(&read.result, Err(error) if error.is_slow());
        if let Some(ending) = read.ending() {
            let same = self.counted_the_same(&read);
            self.read_log.end(ending, same);
        }
        match read.result {
            _ if !self.is_collected() => ReadOutcome::NothingToCount,
            Ok(mut count) => {
                limit_rows(&mut count, &self.persisted.history);
                let is_shown = self.compare_with_full_read(&mut count);
                let reported = self.view.reported_files.unwrap_or(0);
                let files = count.files.total();
                self.witnesses.counted(files, reported, count.rows_beyond);
                count.consistent &= self.witnesses.missing() == 0;
                let errors = class_slots.count(self.view.id, &count.errors, read.ended.wall);
                let watched = match under_way {
                    Some(ReadUnderWay::Started { watched, .. }) => Some(watched),
                    Some(ReadUnderWay::Queued) | None => None,
                };
                let finished = self.count(read.began, read.ended, &count, errors);
                if is_shown {
                    self.persisted.shows_sorting();
                }
                let watch = Watch {
                    files: &watched.unwrap_or_default(),
                    finished: &finished,
                    before: self.findings.as_deref(),
                };
                let name = self.view.name.label();
                let mode = reindex.for_folder(self.view.id, name).mode;
                let began = read.began.wall;
                self.findings = findings(mode, &watch, &count, &self.persisted, began);
                self.times_counted = self.times_counted.saturating_add(1);
                self.unwritten = Some(Box::new(UnwrittenCount {
                    began: read.began,
                    ended: read.ended,
                    count,
                }));
                ReadOutcome::Counted
            }
            Err(error) if error.is_gone() => {
                self.leave(DepartureReason::Gone, read.ended.wall);
                ReadOutcome::NothingToCount
            }
            Err(error) => {
                self.unavailable(Unavailable::Error, error.to_string());
                ReadOutcome::Failed
            }
        }
    }

    /// Holds a count by boundaries against what full reads found. Returns whether it completes an audit that shows that the folder is
    /// sorted.
    fn compare_with_full_read(&mut self, count: &mut FolderCount) -> bool {
        if count.way() != Way::Sorted {
            return false;
        }
        let is_shown = self.audits.counted(&count.files, count.consistent);
        let record = self.persisted.record.as_ref();
        let full_read = record.and_then(|record| record.full_read);
        // If pages lack rows, boundaries count rows that do not exist.
        count.consistent &= full_read.is_none_or(|full_read| full_read.missing_rows == 0);
        is_shown
    }

    /// Whether a read was consistent and counted the same as the last one.
    fn counted_the_same(&self, read: &FolderRead) -> bool {
        let count = read.result.as_ref().ok();
        let count = count.filter(|count| count.consistent);
        let before = self.view.counts.as_ref();
        before
            .zip(count)
            .is_some_and(|(before, count)| before.files == count.files)
    }

    /// The list of folders was read after a refused read: the folder is no longer in it, or it is forbidden.
    pub fn refused(&mut self, error: &ReadError) -> ReadOutcome {
        self.read = None;
        self.read_log.end(ReadOutcome::NothingToCount, true);
        if self.is_collected() {
            self.unavailable(Unavailable::Forbidden, error.to_string());
        }
        ReadOutcome::NothingToCount
    }

    /// Shows and stores a count; returns the files that are done since the one before.
    fn count(
        &mut self,
        began: Moment,
        ended: Moment,
        count: &FolderCount,
        errors: Vec<ErrorRow>,
    ) -> Vec<FileKey> {
        let read = history::CompletedRead {
            began: began.wall,
            ended: ended.wall,
            count,
        };
        let before = self.persisted.record.as_ref();
        let interval = before.map(|before| read.ended.since(before.counted));
        let mut update = apply(before, &self.persisted.history, &read);
        let finished = std::mem::take(&mut update.finished);
        let counts = Counts {
            files: count.files,
            errors,
            oldest: update.oldest,
            consistent: count.consistent,
            counted: ended,
            duration: ended.elapsed_since(began),
            requests: count.requests,
            way: count.way(),
            interval,
        };
        if let DoneFiles::Counted(boundaries) = &count.done {
            self.boundaries = Arc::new(boundaries.clone());
            self.looked = true;
        }
        self.rows_wanted = self.rows_wanted.after(count);
        self.persisted.update(update);
        let view = self.view_mut();
        view.counts = Some(Arc::new(counts));
        view.state = FolderState::Counted;
        finished
    }

    /// Applies the result of an audit. Its counts are older than those of the reads that were made meanwhile; `difference` is how
    /// much they differ from the count just before it.
    pub fn finish_audit(&mut self, full_read: FullRead, difference: Option<ByStatus<i64>>) {
        self.persisted.read_in_full(full_read);
        if difference.is_some() {
            self.view_mut().full_read_difference = difference;
        }
    }

    /// Shows the classes of the last count with other class slots.
    pub fn show_errors(&mut self, errors: Vec<ErrorRow>) {
        if let Some(counts) = &mut self.view_mut().counts {
            Arc::make_mut(counts).errors = errors;
        }
    }

    fn unavailable(&mut self, reason: Unavailable, message: String) {
        self.view_mut().state = FolderState::Unavailable { reason, message };
    }

    fn view_mut(&mut self) -> &mut FolderView {
        Arc::make_mut(&mut self.view)
    }
}
