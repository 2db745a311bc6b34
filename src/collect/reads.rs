//! The reads of folders in parallel with the collector: how they begin, the meaning of refusals, and audits.

use std::sync::Arc;

use tracing::{debug, warn};

use crate::aggregate::TallyContext;
use crate::classify::ClassSlots;
use crate::clock::Moment;
use crate::collect::audit::{AuditJob, AuditTask, FinishedAudit};
use crate::collect::collection::{Listed, no_list};
use crate::collect::error::ReadError;
use crate::collect::folder::Folder;
use crate::collect::folder_read::{FolderRead, ReadTask};
use crate::collect::read_schedule::ReadOutcome;
use crate::collect::refusals::Refusal;
use crate::collect::runs::RunId;
use crate::collect::sorting::Refutation;
use crate::collect::{Collector, Event};
use crate::model::FolderId;
use crate::portal::Lane;

impl Collector {
    /// A folder is to be read.
    pub(super) fn queue_read(&mut self, run: RunId, id: FolderId) {
        if let Some(folder) = self.folders.get_mut(id) {
            folder.begin(Moment::now().steady);
            self.reads.push(run, id);
        }
    }

    /// Starts the next reads, as many as there are places.
    pub(super) async fn start_reads(&mut self) {
        while let Some((run, id, place)) = self.reads.next(&self.slots) {
            if self.runs.deadline(run) <= Moment::now().steady {
                let limit = self.settings.collect.timeout;
                let read = FolderRead::not_made(ReadError::Deadline(limit));
                self.folder_read(run, id, read).await;
            } else if let Some(read) = self.read_task(run, id) {
                self.tasks.spawn(read.run(place), move |read| {
                    let read = read.unwrap_or_else(|| FolderRead::not_made(ReadError::Panicked));
                    Event::FolderRead(run, id, read)
                });
            } else {
                self.finish(run, id, |_, _| ReadOutcome::NothingToCount)
                    .await;
            }
        }
        if self.reads.asks() {
            let place = self.slots.clone().wait_for_place();
            self.tasks.spawn(place, |_| Event::PlaceFree);
        }
    }

    /// The input of a read; `None` if it is no longer wanted.
    fn read_task(&mut self, run: RunId, id: FolderId) -> Option<ReadTask> {
        let session = Arc::clone(self.runs.get(run)?.session.as_ref()?);
        let reindexing = self.dependencies.reindexing.as_ref();
        let watched = reindexing.map(|reindexing| reindexing.watched(id));
        let watched = watched.unwrap_or_default();
        let folder = self.folders.get_mut(id)?;
        let status = folder.start(&watched)?;
        Some(ReadTask {
            settings: Arc::clone(&self.settings),
            session,
            folder: id,
            name: folder.view.name.clone(),
            sorting: Arc::clone(&self.sorting),
            expected: folder.expected(),
            boundaries: Arc::clone(&folder.boundaries),
            context: TallyContext {
                history: Arc::clone(&folder.persisted.history),
                watched,
                classifier: Arc::clone(&self.settings.classifier),
            },
            progress: Arc::clone(&self.dependencies.progress),
            slots: self.slots.clone(),
            lane: if folder.slow {
                Lane::slow()
            } else {
                Lane::default()
            },
            deadline: self.runs.deadline(run),
            status,
        })
    }

    /// A read ended. The list of folders must show what a refusal means.
    pub(super) async fn folder_read(&mut self, run: RunId, id: FolderId, read: FolderRead) {
        if let Err(error) = &read.result
            && error.is_refusal()
        {
            self.refusals.add(Refusal {
                run,
                folder: id,
                error: error.clone(),
            });
            self.ask_about_refusals().await;
            return;
        }
        if let Some(session) = self.runs.session(run) {
            session.go_on_without(id);
        }
        let reindex = Arc::clone(&self.settings.reindex);
        self.finish(run, id, |folder, class_slots| {
            folder.finish_read(read, class_slots, &reindex)
        })
        .await;
        let folder = self.folders.get_mut(id);
        if folder.is_some_and(|folder| folder.audits.take_wrong()) {
            let (folder, pages) = (id, Vec::new());
            self.sorting.refute(Refutation { folder, pages });
        }
    }

    /// Asks for the list that explains refusals; while the portal refuses the list as well, there is nothing to ask.
    async fn ask_about_refusals(&mut self) {
        if self.list.state.trouble().is_some() {
            for refusal in self.refusals.take_waiting() {
                self.refused_with_portal(refusal).await;
            }
            return;
        }
        let deadlines = self.refusals.ask().into_iter();
        let deadlines = deadlines.map(|run| self.runs.deadline(run));
        if let Some(deadline) = deadlines.max() {
            let list = self.request_list(deadline);
            self.tasks.spawn(list, |listed| {
                Event::RefusalsExplained(listed.unwrap_or_else(no_list))
            });
        }
    }

    /// The list that explains refusals is there.
    pub(super) async fn refusals_explained(&mut self, listed: Listed) {
        let refusals = self.refusals.take_asked();
        match listed {
            Ok((_, listing)) => {
                self.apply_list(listing).await;
                for Refusal { run, folder, error } in refusals {
                    if let Some(session) = self.runs.session(run) {
                        session.go_on();
                    }
                    self.finish(run, folder, |folder, _| folder.refused(&error))
                        .await;
                }
            }
            Err(error) => {
                self.list_failed(&error);
                for refusal in refusals {
                    self.refused_with_portal(refusal).await;
                }
            }
        }
        self.ask_about_refusals().await;
    }

    /// The portal refuses altogether: nothing more is sent in this collection.
    async fn refused_with_portal(&mut self, refusal: Refusal) {
        let Refusal { run, folder, .. } = refusal;
        if let Some(session) = self.runs.session(run) {
            session.end();
        }
        self.finish(run, folder, |folder, _| {
            folder.read = None;
            folder.portal_failed();
            ReadOutcome::Failed
        })
        .await;
    }

    /// One folder of a collection was read, or given up, which changes it.
    async fn finish(
        &mut self,
        run: RunId,
        id: FolderId,
        change: impl FnOnce(&mut Folder, &mut ClassSlots) -> ReadOutcome,
    ) {
        let portal = &self.settings.portal.name;
        let outcome = self.folders.update(id, portal, change);
        let folder = self.folders.get(id);
        let is_unsaved = folder.is_some_and(|folder| folder.persisted.is_absence_unsaved());
        if outcome == ReadOutcome::Counted || is_unsaved {
            self.counted.insert(id);
        }
        if let Some(run) = self.runs.get_mut(run) {
            run.folder_done(outcome);
        }
        self.end_when_done(run).await;
    }

    /// Begins an audit, or checks an old refutation, if that is due and none is under way.
    pub(super) fn audit(&mut self) {
        let now = Moment::now();
        let (folders, sorting) = (self.folders.iter(), &*self.sorting);
        let Some(job) = self.auditor.next(folders, sorting, &self.settings, now) else {
            return;
        };
        let task = |folder| AuditTask {
            client: Arc::clone(&self.dependencies.client),
            folder,
            settings: Arc::clone(&self.settings),
        };
        match job {
            AuditJob::Recheck(refutation) => {
                let task = task(refutation.folder);
                let sorting = Arc::clone(&self.sorting);
                let check = async move { task.check(&refutation, &sorting).await };
                self.tasks.spawn(check, |_| Event::RefutationChecked);
            }
            AuditJob::Folder(id) => {
                debug!(portal = %self.settings.portal.name, %id, "audit begins: every page is read in parallel with the collections");
                let task = task(id);
                if let Some(folder) = self.folders.get_mut(id) {
                    folder.begin_audit();
                }
                let audit = async move {
                    FinishedAudit {
                        result: task.run().await,
                        ended: Moment::now().wall,
                    }
                };
                self.tasks
                    .spawn(audit, move |audit| Event::Audited(id, audit));
            }
        }
    }

    /// An audit ended; `None` if a panic ended it.
    pub(super) async fn audited(&mut self, id: FolderId, audit: Option<FinishedAudit>) {
        self.auditor.finished();
        let folder = self.folders.get_mut(id);
        let Some(folder) = folder.filter(|folder| folder.is_there()) else {
            return;
        };
        let full_every = self.settings.collect.full_every;
        if let Err(error) = folder.apply_audit(audit, full_every) {
            warn!(portal = %self.settings.portal.name, folder = %folder.view.name, %id, %error, "audit failed: not every page of the folder could be read");
        } else {
            self.save(&[id]).await;
        }
    }
}
