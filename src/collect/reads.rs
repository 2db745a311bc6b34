//! The reads of folders in parallel with the collector: how they begin, what they found, and the meaning of refusals.

use std::sync::Arc;

use crate::aggregate::TallyContext;
use crate::classify::ClassSlots;
use crate::clock::Moment;
use crate::collect::collection::Listed;
use crate::collect::due::ReadOutcome;
use crate::collect::error::ReadError;
use crate::collect::folder::Folder;
use crate::collect::queue::{QueuedRead, ReadKind, Walk};
use crate::collect::read_task::{FolderRead, Found, ReadTask};
use crate::collect::sorting;
use crate::collect::{Collector, Event};
use crate::count::{FolderCount, Way};
use crate::model::FolderId;
use crate::portal::{Lane, Session};
use crate::snapshot::SortingState;

impl Collector {
    /// Starts the reads that are next, as many as there is room for; none while the portal cannot be read, or refusals await the list.
    pub(super) fn start_reads(&mut self) {
        let concurrency = self.settings.collect.concurrency.get();
        while self.refused.is_empty()
            && let Some(session) = self.session.clone()
            && let Some((queued, lane)) = self.queue.next(concurrency)
        {
            if let Some(read) = self.read_task(&queued, session, lane) {
                self.tasks.spawn(read.run(), move |read| {
                    let read = read.unwrap_or_else(FolderRead::panicked);
                    Event::FolderRead(queued, Box::new(read))
                });
                continue;
            }
            self.queue.ended(queued.folder, queued.kind);
            if queued.kind.is_count() {
                self.finish(queued.folder, |folder, _| {
                    folder.end_read(ReadOutcome::NothingToCount)
                });
            }
        }
    }

    /// The input of a read; `None` if it is no longer wanted.
    fn read_task(
        &mut self,
        queued: &QueuedRead,
        session: Arc<Session>,
        lane: Arc<Lane>,
    ) -> Option<ReadTask> {
        let (id, kind) = (queued.folder, queued.kind);
        let ledger = self.dependencies.ledger.as_ref();
        let watched = ledger.map(|ledger| ledger.watched(id));
        let watched = Arc::new(watched.unwrap_or_default());
        if let ReadKind::Walk(walk) = kind
            && !self.is_wanted(queued, walk)
        {
            return None;
        }
        let folder = self.folders.get_mut(id)?;
        folder.start(kind).then_some(())?;
        if kind == ReadKind::Walk(Walk::WithReason) {
            // It counts the folder, too.
            self.queue.take_counts(|folder| folder == id);
        }
        if kind == ReadKind::Scan {
            folder.show_scan(Some(folder.expected().pages()));
        }
        Some(ReadTask {
            settings: Arc::clone(&self.settings),
            session,
            folder: id,
            kind,
            began: Moment::now(),
            entry: folder.read_log.entry(),
            sorting: sorting::of_folder(self.sorting, folder.order()),
            scanned: folder.scanned(),
            expected: folder.expected(),
            is_walk: !kind.is_count() || self.runs.is_single(),
            boundaries: folder.boundaries.clone().unwrap_or_default(),
            context: TallyContext {
                history: Arc::clone(&folder.stored.history),
                watched,
                classifier: Arc::clone(&self.settings.classifier),
                clock_ahead: self.list.clock_ahead,
            },
            progress: Arc::clone(&self.dependencies.progress),
            lane,
            requests: queued.requests.into(),
        })
    }

    /// A read ended. The list of folders must show what a refusal means.
    pub(super) fn folder_read(&mut self, queued: &QueuedRead, read: FolderRead) {
        let (id, kind) = (queued.folder, queued.kind);
        self.queue.ended(id, kind);
        if kind == ReadKind::Walk(Walk::AllRows) {
            return self.all_rows_read(id, read.result);
        }
        if let Some(folder) = self.folders.get_mut(id) {
            folder.slow = read.is_slow;
            folder.show_scan(None);
        }
        match &read.result {
            Err(error) if !kind.is_count() => self.walk_failed(id, error),
            Err(error) if error.is_refusal() => self.refused(id, error.clone()),
            Ok(Found::ManyPages) => self.go_on_as(ReadKind::Scan, queued, read.requests),
            Ok(Found::Unsorted) => {
                self.refute(id);
                self.go_on_as(ReadKind::Count, queued, read.requests);
            }
            Ok(Found::Counted(counted)) if self.is_doubtful(id, &counted.count) => {
                self.go_on_as(ReadKind::Count, queued, read.requests);
            }
            _ => {
                let reindex = Arc::clone(&self.settings.reindex);
                self.finish(id, |folder, class_slots| {
                    folder.finish_read(read, class_slots, &reindex)
                });
                if let ReadKind::Walk(walk) = kind
                    && let Some(folder) = self.folders.get_mut(id)
                {
                    folder.walks.ended(walk, Moment::now().steady);
                }
                self.judge_sorting();
                self.queue_walks(id);
            }
        }
    }

    /// Whether the boundaries of a folder were searched while another read found that the portal does not sort.
    fn is_doubtful(&self, id: FolderId, count: &FolderCount) -> bool {
        let sorting = self.folders.get(id).map(|folder| self.sorting_of(folder));
        count.way() == Way::Sorted && sorting == Some(SortingState::Refuted)
    }

    /// A read that has not counted the folder goes on as another one, for which requests were made already, if the portal can be read.
    fn go_on_as(&mut self, kind: ReadKind, read: &QueuedRead, requests: u64) {
        if self.session.is_none() {
            return self.give_up(read.folder);
        }
        self.queue.push(QueuedRead {
            kind,
            requests,
            since: Moment::now().steady,
            ..*read
        });
    }

    /// A folder was refused: the list of folders is asked whether the portal refuses all of them, unless it is known to.
    fn refused(&mut self, folder: FolderId, error: ReadError) {
        if self.list.state.trouble().is_some() {
            return self.give_up(folder);
        }
        let is_first = self.refused.is_empty();
        self.refused.push((folder, error));
        if is_first {
            self.ask_list(Event::RefusalsExplained);
        }
    }

    /// The list is there that was asked for because of refusals.
    pub(super) fn refusals_explained(&mut self, listed: Listed) {
        if self.apply_list(listed) {
            for (folder, error) in std::mem::take(&mut self.refused) {
                self.finish(folder, |folder, _| folder.refused(&error));
            }
        }
    }

    /// A folder is not read, because the portal refuses altogether or cannot be read.
    pub(super) fn give_up(&mut self, folder: FolderId) {
        self.finish(folder, |folder, _| folder.forget_read());
    }

    /// A folder was read, or given up, which changes it.
    fn finish(
        &mut self,
        id: FolderId,
        change: impl FnOnce(&mut Folder, &mut ClassSlots) -> ReadOutcome,
    ) {
        let portal = &self.settings.portal.name;
        let outcome = self.folders.update(id, portal, change);
        self.saver.changed([id]);
        self.runs.folder_done(id, outcome);
    }
}
