//! Audits: full scans that show whether the rows of a folder are in the order of their status. One is made at a time. They sum up sizes as well.
//!
//! A folder that is counted by boundaries is audited every `full_every`, and before that while nothing vouches for its counts.

use tokio::time::Instant;
use tracing::{info, warn};

use crate::clock::Moment;
use crate::collect::Collector;
use crate::collect::error::ReadError;
use crate::collect::folder::Folder;
use crate::collect::folders::Folders;
use crate::collect::queue::{Due, Need, QueuedRead, ReadKind};
use crate::collect::read_task::Found;
use crate::collect::sorting;
use crate::collect::strategy::shows_order;
use crate::config::Strategy;
use crate::count::Way;
use crate::model::{FolderId, Timestamp};
use crate::snapshot::{FolderState, SortingState};

/// Two audits of a folder are at least this part of `full_every` apart.
const LEAST_SHARE: u32 = 24;

impl Collector {
    /// Queues the audit that is due, unless one waits or is under way.
    pub(super) fn queue_audit(&mut self) {
        let collect = &self.settings.collect;
        let is_wanted = collect.strategy != Strategy::Full && !self.runs.is_single();
        if !is_wanted || self.queue.has(|_, kind| kind == ReadKind::Audit) {
            return;
        }
        let now = Moment::now();
        let due = self.folders.iter();
        let due = due.filter(|folder| self.needs_audit(folder, now));
        // What may show the order first, and then what was audited longest ago; of these the small ones first.
        let next = due.min_by_key(|folder| {
            let last = folder.view.full_read.map(|full| full.at);
            let pages = folder.expected().pages();
            (!may_show_order(folder), last, pages, folder.view.id)
        });
        let Some(folder) = next.map(|folder| folder.view.id) else {
            return;
        };
        // Where the portal is known to sort, whatever is due before a quiet folder would be due again is read first.
        let (need, at) = match self.sorting {
            SortingState::Assumed => (Need::Pressing, now.steady),
            _ => (Need::Quiet, now.steady + collect.quiet_every),
        };
        let due = Due { need, at };
        self.queue
            .push(QueuedRead::new(folder, ReadKind::Audit, due));
    }

    fn needs_audit(&self, folder: &Folder, now: Moment) -> bool {
        let (view, collect) = (&folder.view, &self.settings.collect);
        let counts = view.counts.as_ref();
        let can_be_audited = view.state == FolderState::Counted
            && counts.is_some_and(|counts| counts.look.way == Way::Sorted)
            && folder.order() != SortingState::Refuted
            && folder.expected().pages() <= collect.max_pages_per_folder.get()
            && !folder.has_unreadable_pages();
        let is_vouched =
            self.sorting_of(folder) == SortingState::Shown || folder.scanned().is_some();
        let is_recent = |full_read: Timestamp| now.wall.since(full_read) < collect.full_every;
        let is_too_soon = |at: Instant| now.steady < at + collect.full_every / LEAST_SHARE;
        can_be_audited
            && !(is_vouched && view.full_read.is_some_and(|full| is_recent(full.at)))
            && !folder.audited.is_some_and(is_too_soon)
    }

    /// An audit ended.
    pub(super) fn audited(&mut self, id: FolderId, result: Result<Found, ReadError>) {
        let portal = &self.settings.portal.name;
        let reindex = &self.settings.reindex;
        let Folders { by_id, class_slots } = &mut self.folders;
        let Some(folder) = by_id.get_mut(&id).filter(|folder| folder.is_there()) else {
            return;
        };
        folder.audited = Some(Moment::now().steady);
        match result {
            Ok(Found::Counted(read)) => folder.finish_audit(*read, class_slots, reindex),
            Ok(Found::ManyPages | Found::Unsorted) => {}
            Err(error) => {
                warn!(%portal, folder = %folder.view.name, %id, %error, "audit failed: not every page of the folder could be read");
            }
        }
        self.judge_sorting();
        self.saver.changed([id]);
    }

    /// Notes what the folders show about the portal's sorting, and says what is new.
    pub(super) fn judge_sorting(&mut self) {
        let there = self.folders.iter().filter(|folder| folder.is_there());
        let state = sorting::of_portal(there.map(Folder::order));
        let before = std::mem::replace(&mut self.sorting, state);
        if state == before {
            return;
        }
        let portal = &self.settings.portal.name;
        if state == SortingState::Refuted {
            let others = self.folders.iter_mut();
            let others = others.filter(|folder| folder.order() == SortingState::Assumed);
            others.for_each(Folder::doubt_boundaries);
            if let Some(unsorted) = self.unsorted() {
                warn!(%portal, "{unsorted}");
            }
        } else {
            info!(%portal, sorting = state.as_str(), "what is known of the order of its lists changed");
        }
        self.publish_soon();
    }
}

/// Whether the rows of a folder show their order: on one page they show nothing.
fn may_show_order(folder: &Folder) -> bool {
    let counts = folder.view.counts.as_ref();
    counts.is_some_and(|counts| shows_order(&counts.files)) && folder.expected().pages() > 1
}
