//! The state of one folder in its collector.

mod absence;
mod counting;
pub(super) mod stored;
mod under_way;
mod walks;
mod witnesses;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::classify::ErrorRow;
use crate::clock::Moment;
use crate::collect::due::{ReadLog, ReadOutcome};
use crate::collect::queue::Due;
use crate::collect::strategy::Expected;
use crate::count::{Boundaries, Way};
use crate::history::{ListEntry, Look};
use crate::model::{ByStatus, FolderId, FolderName, Status};
use crate::portal::ListedFolder;
use crate::snapshot::{Counts, FolderState, FolderView, SortingState, Unavailable, Unreadable};
use crate::store::StoredFolder;

use stored::Stored;
use walks::Walks;
use witnesses::Witnesses;

pub(super) struct Folder {
    pub view: Arc<FolderView>,
    pub stored: Stored,
    /// Whether a count is queued or under way, or has a refusal that is not explained yet, or a walk is under way.
    pub is_being_read: bool,
    /// Whether the last answer was slow.
    pub slow: bool,
    pub read_log: ReadLog,
    /// Counts since the process was started.
    pub times_counted: u64,
    /// Where the boundaries between statuses are by the latest count.
    pub boundaries: Option<Arc<Boundaries>>,
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
        self.view_mut().reported_files = self.is_there().then_some(listed.file_count);
    }

    /// The list names the folder by another name than before.
    pub fn rename(&mut self, name: &FolderName) {
        self.view_mut().name = name.clone();
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

    /// What the last full scan counted, if the folder's entry in the list shows no change since.
    pub fn scanned(&self) -> Option<ByStatus<u64>> {
        let scanned = self.view.full_read.and_then(|full| full.scanned)?;
        let is_same = |now: ListEntry| !now.differs(scanned.entry);
        let is_unchanged = self.read_log.entry().is_some_and(is_same);
        is_unchanged.then_some(scanned.counts)
    }

    /// Whether its files may change their status by themselves: files wait or are processed, or an attempt to reindex them is open. Otherwise,
    /// failed and flagged files stay as they are until a person acts.
    fn moves(&self, attempt_is_open: bool) -> bool {
        let counts = self.view.counts.as_deref();
        let waits = |counts: &Counts| {
            counts.files.total() > counts.files[Status::Done] + with_reason(counts)
        };
        counts.is_some_and(|counts| attempt_is_open || waits(counts))
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
