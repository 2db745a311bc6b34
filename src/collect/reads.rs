//! The reads of folders in parallel with the collector: how they begin, what they found, and the meaning of refusals.

use std::sync::Arc;

use crate::aggregate::TallyContext;
use crate::classify::ClassSlots;
use crate::clock::Moment;
use crate::collect::collection::Listed;
use crate::collect::due::ReadOutcome;
use crate::collect::error::ReadError;
use crate::collect::folder::Folder;
use crate::collect::queue::{QueuedRead, ReadKind};
use crate::collect::read_task::{FolderRead, Found, ReadTask};
use crate::collect::sorting;
use crate::collect::{Collector, Event};
use crate::count::{FolderCount, Way};
use crate::history::ListEntry;
use crate::model::FolderId;
use crate::portal::Lane;
use crate::snapshot::SortingState;

/// A read that the portal refused, until the list of folders shows what that means.
pub(super) struct Refusal {
    pub folder: FolderId,
    error: ReadError,
}

impl Collector {
    /// Starts the reads that are next, as many as there is room for; none while refusals await the list.
    pub(super) fn start_reads(&mut self) {
        while self.may_read()
            && let Some((read, lane)) = self.queue.next(self.concurrency())
        {
            self.start_read(read, lane);
        }
    }

    /// Whether the portal can be read, and no refusal awaits the list.
    pub(super) fn may_read(&self) -> bool {
        self.refused.is_empty() && self.session.is_some()
    }

    /// How many requests may be in flight.
    pub(super) fn concurrency(&self) -> usize {
        self.settings.collect.concurrency.get()
    }

    /// Starts a read that the queue has begun.
    pub(super) fn start_read(&mut self, queued: QueuedRead, lane: Arc<Lane>) {
        let QueuedRead { folder, kind, .. } = queued;
        let entry = self.folders.get(folder);
        let entry = entry.and_then(|folder| folder.read_log.entry());
        if let Some(read) = self.read_task(&queued, lane) {
            self.tasks.spawn(read.run(), move |read| {
                let read = read.unwrap_or_else(FolderRead::panicked);
                Event::FolderRead(queued, entry, Box::new(read))
            });
        } else {
            self.queue.ended(folder, kind);
            if kind.is_count() {
                self.finish(folder, |_, _| ReadOutcome::NothingToCount);
            }
        }
    }

    /// The input of a read; `None` if it is no longer wanted.
    fn read_task(&mut self, queued: &QueuedRead, lane: Arc<Lane>) -> Option<ReadTask> {
        let session = self.session.clone()?;
        let (id, kind) = (queued.folder, queued.kind);
        let ledger = self.dependencies.ledger.as_ref();
        let watched = ledger.map(|ledger| ledger.watched(id));
        let watched = Arc::new(watched.unwrap_or_default());
        let folder = self.folders.get_mut(id)?;
        folder.start(kind).then_some(())?;
        if kind == ReadKind::Scan {
            folder.show_scan(Some(folder.expected().pages()));
        }
        Some(ReadTask {
            settings: Arc::clone(&self.settings),
            session,
            folder: id,
            kind,
            sorting: sorting::of_folder(self.sorting, folder.order()),
            scanned: folder.scanned(),
            expected: folder.expected(),
            is_walk: kind == ReadKind::Walk || self.runs.is_single(),
            boundaries: folder.boundaries.clone().unwrap_or_default(),
            context: TallyContext {
                history: Arc::clone(&folder.stored.history),
                watched,
                classifier: Arc::clone(&self.settings.classifier),
                clock_ahead: self.list.clock_ahead(),
            },
            progress: Arc::clone(&self.dependencies.progress),
            lane,
            requests: queued.requests.into(),
        })
    }

    /// A read ended. The list of folders must show what a refusal means.
    pub(super) fn folder_read(
        &mut self,
        queued: &QueuedRead,
        entry: Option<ListEntry>,
        read: FolderRead,
    ) {
        let (id, kind) = (queued.folder, queued.kind);
        self.queue.ended(id, kind);
        if kind == ReadKind::Audit {
            return self.audited(id, entry, read);
        }
        if let Some(folder) = self.folders.get_mut(id) {
            folder.show_scan(None);
        }
        match &read.result {
            Err(error) if kind == ReadKind::Walk => self.walk_failed(id, error),
            Err(error) if error.is_refusal() => self.refused(Refusal {
                folder: id,
                error: error.clone(),
            }),
            Ok(Found::ManyPages) => self.go_on_as(ReadKind::Scan, queued, read.requests),
            Ok(Found::Unsorted) => {
                self.refute(id);
                self.go_on_as(ReadKind::Count, queued, read.requests);
            }
            Ok(Found::Counted(count)) if self.is_doubtful(id, count) => {
                self.go_on_as(ReadKind::Count, queued, read.requests);
            }
            _ => {
                let reindex = Arc::clone(&self.settings.reindex);
                self.finish(id, |folder, class_slots| {
                    folder.finish_read(read, class_slots, &reindex)
                });
                if kind == ReadKind::Walk
                    && let Some(folder) = self.folders.get_mut(id)
                {
                    folder.walks.ended(Moment::now().steady);
                }
                self.queue_walk(id);
                self.judge_sorting();
            }
        }
    }

    /// Whether the boundaries of a folder were searched while another read found that the portal does not sort.
    fn is_doubtful(&self, id: FolderId, count: &FolderCount) -> bool {
        let order = self.folders.get(id).map(Folder::order).unwrap_or_default();
        let sorting = sorting::of_folder(self.sorting, order);
        count.way() == Way::Sorted && sorting == SortingState::Refuted
    }

    /// Pages of a folder show that it is not sorted.
    pub(super) fn refute(&mut self, id: FolderId) {
        if let Some(folder) = self.folders.get_mut(id) {
            folder.stored.order = SortingState::Refuted;
            folder.doubt_boundaries();
        }
        self.judge_sorting();
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
    fn refused(&mut self, refusal: Refusal) {
        if self.list.state.trouble().is_some() {
            return self.give_up(refusal.folder);
        }
        let is_first = self.refused.is_empty();
        self.refused.push(refusal);
        if is_first {
            self.ask_list(Event::RefusalsExplained);
        }
    }

    /// The list is there that was asked for because of refusals.
    pub(super) fn refusals_explained(&mut self, listed: Listed) {
        match listed {
            Ok((session, listing)) => {
                self.session = Some(session);
                self.apply_list(&listing);
                for Refusal { folder, error } in std::mem::take(&mut self.refused) {
                    self.finish(folder, |folder, _| folder.refused(&error));
                }
            }
            Err(error) => self.list_failed(&error),
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
