//! The state of one folder in its collector.

mod absence;
pub(super) mod stored;
mod under_way;
mod witnesses;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::classify::{ClassSlots, ErrorRow};
use crate::clock::Moment;
use crate::collect::due::{ReadLog, ReadOutcome};
use crate::collect::error::ReadError;
use crate::collect::queue::Due;
use crate::collect::read_task::{FolderRead, Found};
use crate::collect::strategy::Expected;
use crate::collect::walk::Walks;
use crate::collect::watched::{Watch, failed_files};
use crate::config::Reindex;
use crate::count::{Boundaries, DoneFiles, FolderCount, Way, are_few};
use crate::history::{CompletedRead, DepartureReason, FullRead, Look, classes, oldest};
use crate::model::{ByStatus, FileKey, FolderId, FolderName, Status};
use crate::portal::ListedFolder;
use crate::snapshot::{Counts, FolderState, FolderView, SortingState, Unavailable, Unreadable};
use crate::store::StoredFolder;

use stored::Stored;
use witnesses::{Witnesses, hidden};

pub(super) struct Folder {
    pub view: Arc<FolderView>,
    pub stored: Stored,
    is_being_read: bool,
    /// Whether the last read took too long.
    pub slow: bool,
    pub read_log: ReadLog,
    /// Counts since the process was started.
    pub times_counted: u64,
    /// Where the boundaries between statuses are by the latest count.
    pub boundaries: Option<Arc<Boundaries>>,
    /// When an audit of it ended last in this process.
    pub audited: Option<Instant>,
    witnesses: Witnesses,
    pub walks: Walks,
}

impl Folder {
    /// A folder that the list names, and of which nothing is known.
    pub fn listed(listed: &ListedFolder) -> Self {
        Self::new(listed.id, listed.name.clone(), Stored::default())
    }

    /// A folder as the last process knew it.
    pub fn restored(id: FolderId, stored: StoredFolder, now: Moment) -> Self {
        let document = &stored.document;
        let (name, unreadable) = (document.name.clone(), document.unreadable.clone());
        let counted = document.record.as_ref().map(|record| record.counted);
        let counted = counted.and_then(|counted| now.steady.checked_sub(now.wall.since(counted)));
        let mut folder = Self::new(id, name, Stored::restored(stored));
        let (state, outcome) = match (unreadable, counted) {
            (Some(unreadable), _) => (FolderState::Unavailable(unreadable), ReadOutcome::Failed),
            (None, Some(_)) => (FolderState::Counted, ReadOutcome::Counted),
            (None, None) => (FolderState::Unseen, ReadOutcome::Failed),
        };
        if folder.is_there() {
            folder.view_mut().state = state;
        }
        if let Some(counted) = counted {
            folder.read_log = ReadLog::restored(counted, outcome);
        }
        folder
    }

    fn new(id: FolderId, name: FolderName, stored: Stored) -> Self {
        let look = stored.record.as_ref().map(|record| record.look);
        let mut folder = Self {
            view: Arc::new(FolderView {
                state: FolderState::Unseen,
                ..FolderView::unseen(id, name)
            }),
            stored,
            is_being_read: false,
            slow: false,
            read_log: ReadLog::default(),
            times_counted: 0,
            boundaries: None,
            audited: None,
            witnesses: look.map_or_else(Witnesses::default, Witnesses::restored),
            walks: Walks::default(),
        };
        folder.show_departure();
        folder.show_stored();
        folder
    }

    /// The list names the folder, which is collected.
    pub fn found(&mut self, listed: &ListedFolder) {
        self.come_back();
        self.read_log.listed(listed, Moment::now().steady);
        self.witnesses.reported(listed.file_count);
        self.show_missing();
        let reported_files = self.is_there().then_some(listed.file_count);
        // A view that is published is copied when it changes.
        if self.view.reported_files != reported_files {
            self.view_mut().reported_files = reported_files;
        }
    }

    /// The list names the folder by another name than before.
    pub fn rename(&mut self, name: &FolderName) {
        self.view_mut().name = name.clone();
    }

    /// Shows how many files reads do not find that the list reports.
    fn show_missing(&mut self) {
        let missing = self.witnesses.missing();
        let is_new = |counts: &Arc<Counts>| counts.look.missing_files != missing;
        if self.view.counts.as_ref().is_some_and(is_new)
            && let Some(counts) = &mut self.view_mut().counts
        {
            Arc::make_mut(counts).look.missing_files = missing;
        }
    }

    /// What is known before the next read.
    pub fn expected(&self) -> Expected {
        let record = self.stored.record.as_ref();
        let reported = self.view.reported_files.unwrap_or(0);
        Expected::new(record.map(|record| record.counts), reported)
    }

    /// What its rows showed about their order.
    pub fn order(&self) -> SortingState {
        self.stored.order
    }

    /// Whether the portal refuses some of its pages, so that no scan can read all.
    pub fn has_unreadable_pages(&self) -> bool {
        let boundaries = self.boundaries.as_ref();
        boundaries.is_some_and(|boundaries| boundaries.from_both_ends)
    }

    /// What a full scan counted, if nothing has changed since.
    pub fn scanned(&self) -> Option<ByStatus<u64>> {
        self.stored.scanned(self.read_log.entry())
    }

    /// Whether its files may change their status by themselves: files wait or are processed, or an attempt to reindex them is open. Otherwise,
    /// failed and flagged files stay as they are until a person acts.
    pub fn moves(&self, attempt_is_open: bool) -> bool {
        let Some(counts) = self.view.counts.as_deref() else {
            return false;
        };
        let settled = counts.files[Status::Done] + with_reason(counts);
        attempt_is_open || counts.files.total() > settled
    }

    /// Whether another read must confirm the last count: it is marked, or the list of folders reports more files. A count that is marked
    /// because nothing shows yet that the portal sorts needs a full scan, and no other read.
    fn is_doubtful(&self, sorting: SortingState) -> bool {
        let is_assumed = sorting == SortingState::Assumed;
        let is_unshown = |look: Look| is_assumed && look.way == Way::Sorted;
        let is_marked = |look: Look| !(look.consistent || is_unshown(look));
        let counts = self.view.counts.as_ref();
        self.witnesses.contradict() || counts.is_some_and(|counts| is_marked(counts.look))
    }

    /// Whether files failed or were flagged at the last count.
    fn has_reasons(&self) -> bool {
        self.view.counts.as_deref().map_or(0, with_reason) > 0
    }

    /// When the folder is due, or was. Of files with a reason, the first read of a process shows what is not stored.
    pub fn due(
        &self,
        attempt_is_open: bool,
        sorting: SortingState,
        quiet_every: Duration,
        now: Instant,
    ) -> Due {
        let presses = self.moves(attempt_is_open)
            || self.is_doubtful(sorting)
            || self.walks.are_owed()
            || self.times_counted == 0 && self.has_reasons();
        self.read_log.due(presses, quiet_every, now)
    }

    /// Applies a read that was not refused.
    pub fn finish_read(
        &mut self,
        read: FolderRead,
        class_slots: &mut ClassSlots,
        reindex: &Reindex,
    ) -> ReadOutcome {
        self.slow = matches!(&read.result, Err(error) if error.is_slow());
        let outcome = match read.result {
            _ if !self.is_collected() => ReadOutcome::NothingToCount,
            Ok(Found::ManyPages | Found::Unsorted) => ReadOutcome::Failed,
            Ok(Found::Counted(count)) => {
                self.finish_count(*count, &read.watched, class_slots, reindex);
                ReadOutcome::Counted
            }
            Err(error) if error.is_gone() => {
                self.leave(DepartureReason::Gone, Moment::now().wall);
                ReadOutcome::NothingToCount
            }
            Err(error) => {
                self.unavailable(Unavailable::Error, error.to_string());
                ReadOutcome::Failed
            }
        };
        self.end_read(outcome)
    }

    /// Applies a count. The list of folders, and the last full read, may contradict it.
    pub fn finish_count(
        &mut self,
        mut read: CompletedRead,
        watched: &HashSet<FileKey>,
        class_slots: &mut ClassSlots,
        reindex: &Reindex,
    ) {
        let count = &mut read.count;
        self.stored.order = count.order.unwrap_or(self.stored.order);
        self.walks.counted(count, read.ended.steady);
        let files = count.files.total();
        self.witnesses
            .counted(files, read.entry.map_or(0, |entry| entry.file_count));
        read.missing_files = self.witnesses.missing();
        // What the list reported long before the read may have been deleted since.
        let recent = self.read_log.reported_recently();
        let reported = recent.unwrap_or(0);
        // No row shows whether the total is right where the list does not end on a page that was read.
        count.consistent &= !count.is_from_both_ends() || recent == Some(files);
        let (hidden, on_no_page) = (hidden(files, reported), self.missing_rows(count));
        count.consistent &= read.missing_files == 0 && are_few(hidden, reported) && on_no_page == 0;
        let left_out = hidden.max(on_no_page);
        count.left_out = count.left_out.map(|files| files.max(left_out));
        let (finished, whole) = self.count(&read, class_slots);
        let watch = Watch {
            files: watched,
            finished: &finished,
            whole,
            before: self.view.failed_files.as_deref(),
        };
        let name = self.view.name.label();
        let mode = reindex.for_folder(self.view.id, name).mode;
        let failed = failed_files(mode, &watch, &read.count, &self.stored, read.began.wall);
        self.view_mut().failed_files = failed;
        self.times_counted = self.times_counted.saturating_add(1);
    }

    /// Files that boundaries may count and that are on no page, as the last full read found.
    fn missing_rows(&self, count: &FolderCount) -> u64 {
        let record = self.stored.record.as_ref();
        let full_read = record.and_then(|record| record.full_read);
        match count.way() {
            Way::Full => 0,
            Way::Sorted => full_read.map_or(0, |full_read| full_read.missing_rows),
        }
    }

    /// The list of folders was read after a refused read: the folder is no longer in it, or it is forbidden.
    pub fn refused(&mut self, error: &ReadError) -> ReadOutcome {
        if self.is_collected() {
            let message = error.of_folder(self.view.id);
            self.unavailable(Unavailable::Forbidden, message);
        }
        self.end_read(ReadOutcome::NothingToCount)
    }

    /// Shows and stores a count; returns the files that are done since the one before, and whether others that it does not show are not there.
    fn count(
        &mut self,
        read: &CompletedRead,
        class_slots: &mut ClassSlots,
    ) -> (Vec<FileKey>, bool) {
        let (count, ended) = (&read.count, read.ended);
        let before = self.stored.record.as_ref();
        if before.is_some_and(|before| before.counts != count.files) {
            self.read_log.saw_change();
        }
        let interval = before.map(|before| ended.wall.since(before.counted));
        let shown = self.stored.apply(read);
        let (id, history) = (self.view.id, &self.stored.history);
        let is_listed = |key: &FileKey| count.unfinished.contains_key(key);
        let classes = classes(history, &count.files, is_listed);
        let (record, reasons) = (self.stored.record.as_ref(), &count.reasons);
        let counts = Counts {
            files: count.files,
            errors: class_slots.count(id, &classes, reasons, ended.wall, interval.is_none()),
            oldest: oldest(history, is_listed),
            look: record.map(|record| record.look).unwrap_or_default(),
            counted: ended,
            interval,
        };
        if let DoneFiles::Counted(boundaries) = &count.done {
            self.boundaries = Some(Arc::new(boundaries.clone()));
        }
        let view = self.view_mut();
        view.counts = Some(Arc::new(counts));
        view.state = FolderState::Counted;
        self.show_stored();
        shown
    }

    /// Applies an audit. Its counts are older than those by boundaries that were made meanwhile, and are the count where these are wrong.
    pub fn finish_audit(
        &mut self,
        read: CompletedRead,
        class_slots: &mut ClassSlots,
        reindex: &Reindex,
    ) {
        let order = read.count.order.unwrap_or_default();
        if order == SortingState::Refuted {
            self.doubt_boundaries();
            return self.finish_count(read, &HashSet::new(), class_slots, reindex);
        }
        self.stored.order = order;
        if let Some(record) = &mut self.stored.record {
            let full_read = FullRead::of(&read.count, read.entry, read.ended.wall);
            record.full_read = full_read.or(record.full_read);
        }
        self.show_stored();
    }

    /// The folder is not sorted: counts by boundaries are no base for what follows.
    pub fn doubt_boundaries(&mut self) {
        let is_sorted = |counts: &Arc<Counts>| counts.look.way == Way::Sorted;
        if self.view.counts.as_ref().is_some_and(is_sorted) {
            self.stored.forget_base();
            if let Some(counts) = &mut self.view_mut().counts {
                Arc::make_mut(counts).look.consistent = false;
            }
        }
    }

    /// Shows the classes of the last count with other class slots.
    pub fn show_errors(&mut self, errors: Vec<ErrorRow>) {
        if let Some(counts) = &mut self.view_mut().counts {
            Arc::make_mut(counts).errors = errors;
        }
    }

    /// Shows a full scan of many pages that is under way, if one is.
    pub fn show_scan(&mut self, pages: Option<u64>) {
        if self.view.large_scan_pages != pages {
            self.view_mut().large_scan_pages = pages;
        }
    }

    pub fn unavailable(&mut self, reason: Unavailable, message: String) {
        self.view_mut().state = FolderState::Unavailable(Unreadable { reason, message });
    }

    fn view_mut(&mut self) -> &mut FolderView {
        Arc::make_mut(&mut self.view)
    }
}

/// Files that failed or were flagged.
fn with_reason(counts: &Counts) -> u64 {
    let files = Status::WITH_REASON.map(|status| counts.files[status]);
    files.iter().sum()
}
