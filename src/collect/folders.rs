//! Reads folders: which are due, what they bring, and what a refusal means.

use std::sync::Arc;

use tokio::time::Instant;
use tracing::{debug, info, warn};

use crate::aggregate::Known;
use crate::classify::ClassSlots;
use crate::collect::folder::{Folder, Outcome};
use crate::collect::folder_read::{FolderRead, FolderReadError, ReadTask};
use crate::collect::{Collector, Done, Work};
use crate::model::{FolderId, Moment, PortalName};
use crate::portal::{Lane, Listing, PortalError, Session};
use crate::snapshot::{FolderState, FolderView};

/// A read that the portal refused, until the list of folders tells what that means.
#[derive(Debug)]
pub(super) struct Refusal {
    run: u64,
    folder: FolderId,
    error: FolderReadError,
}

impl Collector {
    /// Starts reading the folders that are due.
    pub(super) async fn read_due_folders(&mut self, run: u64, session: Arc<Session>) {
        self.choose_classes().await;
        let due = self.due(run);
        let reading = self.folders.values().any(|folder| folder.reading);
        if due.folders.is_empty() && due.resting == 0 && reading {
            self.runs.remove(&run);
            self.skip();
            return;
        }
        if let Some(run) = self.runs.get_mut(&run) {
            run.outstanding = due.folders.len();
            run.session = Some(Arc::clone(&session));
        }
        for id in due.folders {
            self.read_folder(run, id, Arc::clone(&session));
        }
        self.end_when_done(run).await;
    }

    fn read_folder(&mut self, run: u64, id: FolderId, session: Arc<Session>) {
        let deadline = self.deadline_of(run);
        let watched = self.watched(id);
        let Some(folder) = self.folders.get_mut(&id) else {
            return;
        };
        let has_place = folder.begin(Arc::clone(&watched), Moment::now().steady);
        let read = ReadTask {
            session,
            folder: id,
            limits: self.settings.scan,
            strategy: self.settings.strategy,
            sorting: Arc::clone(&self.sorting),
            expected: folder.expected(),
            boundaries: Arc::clone(&folder.boundaries),
            known: Known {
                history: Arc::clone(&folder.persisted.history),
                watched,
                classifier: Arc::clone(&self.settings.classifier),
            },
            progress: Arc::clone(&self.dependencies.progress),
            slots: self.slots.clone(),
            lane: if folder.slow {
                Lane::side()
            } else {
                Lane::default()
            },
            deadline,
            timeout: self.settings.timeout,
            rate: self.settings.rate,
            has_place,
            large_scan: Arc::clone(&folder.large_scan),
        };
        self.spawn(Work::Read { run, folder: id }, async move {
            Done::Read(Box::new(read.take().await))
        });
    }

    fn session_of(&self, run: u64) -> Option<&Session> {
        self.runs.get(&run)?.session.as_deref()
    }

    fn deadline_of(&self, run: u64) -> Instant {
        let run = self.runs.get(&run);
        run.map_or_else(Instant::now, |run| run.deadline)
    }

    /// Takes in a read.
    pub(super) async fn folder_read(&mut self, run: u64, id: FolderId, folder_read: FolderRead) {
        match folder_read.result {
            Err(error) if error.is_refusal() => {
                self.refusals.push(Refusal {
                    run,
                    folder: id,
                    error,
                });
                self.ask_about_refusals().await;
            }
            _ => {
                if let Some(session) = self.session_of(run) {
                    session.go_on_without(id);
                }
                let reindex = Arc::clone(&self.settings.reindex);
                let outcome = self.change(id, |folder, class_slots| {
                    folder.folder_read(&folder_read, class_slots, &reindex)
                });
                self.folder_done(run, id, outcome).await;
            }
        }
    }

    /// Lets one request for the list settle all refusals that there are; while the portal refuses the list, they mean just that.
    async fn ask_about_refusals(&mut self) {
        if self.list.trouble().is_some() {
            for refusal in std::mem::take(&mut self.refusals) {
                self.refused_with_portal(refusal).await;
            }
        } else if self.settling.is_empty() && !self.refusals.is_empty() {
            self.settling = std::mem::take(&mut self.refusals);
            let runs = self.settling.iter().map(|refusal| refusal.run);
            let deadline = runs.map(|run| self.deadline_of(run)).max();
            let listed = self.list(deadline.unwrap_or_else(Instant::now));
            self.spawn(Work::Settle, async { Done::Listed(listed.await) });
        }
    }

    /// The list was asked what refusals mean.
    pub(super) async fn settled(&mut self, result: Result<(Arc<Session>, Listing), PortalError>) {
        let refusals = std::mem::take(&mut self.settling);
        match result {
            Ok((_, listing)) => {
                self.take_list(listing).await;
                for Refusal { run, folder, error } in refusals {
                    if let Some(session) = self.session_of(run) {
                        session.go_on();
                    }
                    let outcome = self.change(folder, |folder, _| folder.refused(&error));
                    self.folder_done(run, folder, outcome).await;
                }
            }
            Err(error) => {
                self.list_failed(error.trouble(), error.to_string());
                for refusal in refusals {
                    self.refused_with_portal(refusal).await;
                }
            }
        }
        self.ask_about_refusals().await;
    }

    /// The portal refuses altogether: nothing more is sent in this collection.
    async fn refused_with_portal(&mut self, refusal: Refusal) {
        if let Some(session) = self.session_of(refusal.run) {
            session.end();
        }
        let outcome = self.change(refusal.folder, |folder, _| {
            folder.reading = false;
            folder.portal_failed();
            Outcome::Failed
        });
        self.folder_done(refusal.run, refusal.folder, outcome).await;
    }

    /// Changes a folder and logs what is new about it.
    fn change(
        &mut self,
        id: FolderId,
        change: impl FnOnce(&mut Folder, &mut ClassSlots) -> Outcome,
    ) -> Outcome {
        let Some(folder) = self.folders.get_mut(&id) else {
            return Outcome::Settled;
        };
        let before = folder.view.state.clone();
        let outcome = change(folder, &mut self.class_slots);
        if folder.view.state != before {
            log_change(&self.settings.portal, &folder.view);
        }
        outcome
    }
}

fn log_change(portal: &PortalName, folder: &FolderView) {
    let (id, folder, state) = (folder.id, &folder.name, &folder.state);
    match state {
        FolderState::Unavailable { message, .. } => {
            warn!(%portal, %folder, %id, error = message.as_str(), "folder cannot be counted");
        }
        FolderState::Left(_) => info!(%portal, %folder, %id, "folder is gone"),
        FolderState::Counted | FolderState::Unseen => {
            debug!(%portal, %folder, %id, "folder counted");
        }
    }
}
