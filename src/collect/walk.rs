//! Walks: reads of the rows that counts leave out. Each follows a count of its folder, and no collection waits for it.
//!
//! One walk reads the rows of all failed and flagged files, where there are more than a count reads. It counts the folder anew. The other one reads
//! all rows of a folder that is counted by boundaries, which shows whether they are in the order of their status, and sums up sizes: every
//! `full_every`, and before that while nothing vouches for the counts. It may take an hour, so the folder is counted meanwhile.

use std::time::Duration;

use tokio::time::Instant;
use tracing::{debug, warn};

use crate::clock::Moment;
use crate::collect::Collector;
use crate::collect::error::ReadError;
use crate::collect::folder::Folder;
use crate::collect::folders::Folders;
use crate::collect::queue::{Due, Need, QueuedRead, ReadKind, Walk};
use crate::collect::read_task::Found;
use crate::collect::strategy::shows_order;
use crate::config::Strategy;
use crate::count::Way;
use crate::history::FullRead;
use crate::model::FolderId;
use crate::snapshot::{FolderState, SortingState};

/// Two walks of all rows of a folder are at least this part of `full_every` apart.
const LEAST_SHARE: u32 = 24;

impl Collector {
    /// Queues the walks of a folder that are due after it was counted.
    pub(super) fn queue_walks(&mut self, id: FolderId) {
        for walk in [Walk::WithReason, Walk::AllRows] {
            let kind = ReadKind::Walk(walk);
            if let Some(due) = self.due_walk(id, walk)
                && !self.queue.has(id, kind)
            {
                self.queue.push(QueuedRead::new(id, kind, due));
            }
        }
    }

    /// Whether a walk that was queued is still due as it was.
    pub(super) fn is_wanted(&self, read: &QueuedRead, walk: Walk) -> bool {
        let due = self.due_walk(read.folder, walk);
        due.is_some_and(|due| due.need == read.due.need)
    }

    /// When a walk is due, if it is.
    pub(super) fn due_walk(&self, id: FolderId, walk: Walk) -> Option<Due> {
        let folder = self.folders.get(id).filter(|_| !self.runs.is_single())?;
        let now = Moment::now();
        match walk {
            Walk::WithReason => folder.walks.are_due(now.steady).then_some(Due {
                need: Need::Pressing,
                at: now.steady,
            }),
            Walk::AllRows => self
                .needs_all_rows(folder, now)
                .then(|| self.due_for_all_rows(folder, now.steady)),
        }
    }

    /// While it is only assumed that the portal sorts, what may show it comes first. Else, whatever is due before a quiet folder would be due again does.
    fn due_for_all_rows(&self, folder: &Folder, now: Instant) -> Due {
        let expected = folder.expected();
        let is_assumed = self.sorting == SortingState::Assumed;
        let shows_order = expected.counts.is_some_and(|counts| shows_order(&counts));
        let wait = if is_assumed && shows_order && expected.pages() > 1 {
            Duration::ZERO
        } else {
            self.settings.collect.quiet_every
        };
        let need = if is_assumed {
            Need::Pressing
        } else {
            Need::Quiet
        };
        // Of several, the one of the fewest pages comes first.
        let at = now + wait + self.time_of_all_pages(folder);
        Due { need, at }
    }

    fn needs_all_rows(&self, folder: &Folder, now: Moment) -> bool {
        let (view, collect) = (&folder.view, &self.settings.collect);
        let counts = view.counts.as_ref();
        let can_be_read = view.state == FolderState::Counted
            && collect.strategy != Strategy::Full
            && counts.is_some_and(|counts| counts.look.way == Way::Sorted)
            && folder.order() != SortingState::Refuted
            && folder.expected().pages() <= collect.max_pages_per_folder.get()
            && !folder.has_unreadable_pages();
        let is_vouched =
            self.sorting_of(folder) == SortingState::Shown || folder.scanned().is_some();
        let is_recent = |read: FullRead| now.wall.since(read.at) < collect.full_every;
        let is_too_soon = |at: Instant| now.steady < at + collect.full_every / LEAST_SHARE;
        can_be_read
            && !(is_vouched
                && view
                    .full_read
                    .is_some_and(|read| is_recent(read) && !read.is_doubtful))
            && !folder.walks.last_of_all.is_some_and(is_too_soon)
    }

    /// All rows were read, or could not be.
    pub(super) fn all_rows_read(&mut self, id: FolderId, result: Result<Found, ReadError>) {
        let reindex = &self.settings.reindex;
        let Folders { by_id, class_slots } = &mut self.folders;
        let Some(folder) = by_id.get_mut(&id).filter(|folder| folder.is_there()) else {
            return;
        };
        folder.walks.ended(Walk::AllRows, Moment::now().steady);
        match result {
            Ok(Found::Counted(read)) => folder.finish_walk_of_all(*read, class_slots, reindex),
            Ok(Found::ManyPages | Found::Unsorted) => {}
            Err(error) => {
                let portal = &self.settings.portal.name;
                warn!(%portal, folder = %folder.view.name, %id, %error, "not every page of the folder could be read");
            }
        }
        self.judge_sorting();
        self.saver.changed([id]);
    }

    /// A walk of failed and flagged files failed, or was refused. What was counted before holds; the next collection counts the folder again, and shows
    /// what is wrong.
    pub(super) fn walk_failed(&mut self, id: FolderId, error: &ReadError) {
        let portal = &self.settings.portal.name;
        debug!(%portal, %id, %error, "not all failed and flagged files of a folder were read");
        if let Some(folder) = self.folders.get_mut(id) {
            folder.walks.ended(Walk::WithReason, Moment::now().steady);
        }
        self.give_up(id);
    }
}
