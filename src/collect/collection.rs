//! One collection of a portal: the list of folders, the choice of those that are due, and the end.

use std::collections::HashSet;
use std::sync::Arc;

use tokio::time::{Instant, timeout_at};
use tracing::{info, warn};

use crate::clock::Moment;
use crate::collect::folder::Folder;
use crate::collect::read_plan::{PlanConditions, ReadPlan};
use crate::collect::reindex::folder_findings;
use crate::collect::runs::{Run, RunId};
use crate::collect::{Collector, Event};
use crate::model::{FolderId, Timestamp};
use crate::portal::{Client, Listing, PortalError, Session};
use crate::reindex::PortalFindings;
use crate::schedule::Tick;
use crate::snapshot::RunResult;

/// The list of folders, and the client for the reads.
pub(super) type Listed = Result<(Arc<Session>, Listing), PortalError>;

impl Collector {
    /// Begins a collection, unless the last one still waits for its list.
    pub(super) async fn begin(&mut self, tick: Option<Tick>) {
        self.read_state().await;
        let began = Moment::now();
        if let Some(tick) = tick {
            self.log.ticked(tick);
        }
        if self.runs.is_listing() {
            self.skip();
            return;
        }
        let deadline = Moment::now().steady + self.settings.collect.timeout;
        let next = self.log.shown.next.filter(|_| tick.is_some());
        let until_next = next.map(|next| next.since(began.wall));
        let requests = self.dependencies.events.requests();
        let run = self.runs.begin(began, deadline, until_next, requests);
        let list = self.request_list(deadline);
        self.tasks.spawn(list, move |listed| {
            Event::Listed(run, listed.unwrap_or_else(no_list))
        });
    }

    fn skip(&mut self) {
        if self.runs.skipped() {
            warn!(portal = %self.settings.portal.name, "collections are skipped while the last one still runs");
        }
        self.dependencies.events.ran(RunResult::Skipped);
    }

    /// Reads the key and the list.
    pub(super) fn request_list(
        &self,
        deadline: Instant,
    ) -> impl Future<Output = Listed> + Send + use<> {
        let client = Arc::clone(&self.dependencies.client);
        let limit = self.settings.collect.timeout;
        async move {
            let listed = timeout_at(deadline, list(&client)).await;
            listed.unwrap_or(Err(PortalError::Timeout { limit }))
        }
    }

    /// The list that a collection began with is there: reads the folders that are due.
    pub(super) async fn listed(&mut self, run: RunId, listed: Listed) {
        match listed {
            Ok((session, listing)) => {
                self.apply_list(listing).await;
                self.read_due_folders(run, session).await;
            }
            Err(error) => {
                self.list_failed(&error);
                if let Some(run) = self.runs.get_mut(run) {
                    run.failed += 1;
                }
                self.end_when_done(run).await;
            }
        }
    }

    /// The list could not be read: nothing new is known about the folders.
    pub(super) fn list_failed(&mut self, error: &PortalError) {
        self.list.failed(error, &self.settings.portal.name);
        for folder in self.folders.iter_mut() {
            folder.portal_failed();
        }
    }

    pub(super) async fn apply_list(&mut self, listing: Listing) {
        let now = Moment::now().wall;
        let portal = &self.settings.portal.name;
        self.list.check_clock(now, listing.date, portal);
        let facts = self.folders.apply_list(&listing, &self.settings, now);
        self.list.read(facts, &self.settings);
        self.storage.forget_other_shards().await;
        let listed: HashSet<_> = listing.folders.iter().map(|listed| listed.id).collect();
        if listing.whole {
            self.folders.depart_unlisted(&listed, portal, now);
        }
        self.save(&self.folders.unsaved_absences()).await;
        if listing.whole && self.list.clocks_agree() {
            self.forget_departed(&listed, now).await;
        }
        self.amend_findings();
    }

    /// Forgets data that was stored for long enough about folders, and about portals that the configuration no longer has.
    async fn forget_departed(&mut self, listed: &HashSet<FolderId>, now: Timestamp) {
        let [forgotten, emptied] = self.folders.forget_departed(listed, now);
        self.save(&emptied).await;
        if !forgotten.is_empty() {
            self.storage.forget(forgotten).await;
        }
        let portals = &self.dependencies.publisher.current().portals;
        let names = portals.iter().map(|portal| portal.name.to_string());
        self.storage.forget_portals(names.collect(), now).await;
    }

    async fn read_due_folders(&mut self, run: RunId, session: Arc<Session>) {
        self.assign_classes().await;
        let now = Moment::now();
        let rate = self.dependencies.client.rate();
        let conditions = PlanConditions {
            collect: &self.settings.collect,
            reindex: &self.settings.reindex,
            rate,
            sorting: self.sorting.state(),
            until_next: self.runs.get(run).and_then(|run| run.until_next),
            is_auditing: self.auditor.is_busy(),
            now,
        };
        let plan = ReadPlan::new(self.folders.iter(), &conditions);
        self.log.planned(&plan, rate, &self.settings, now.steady);
        let due: HashSet<_> = plan.due.iter().copied().collect();
        for folder in self.folders.iter_mut() {
            if !folder.is_being_read() && !due.contains(&folder.view.id) {
                folder.skipped();
            }
        }
        let is_reading = self.folders.iter().any(Folder::is_being_read);
        if plan.due.is_empty() && plan.idle == 0 && is_reading {
            self.runs.remove(run);
            self.skip();
            return;
        }
        if let Some(run) = self.runs.get_mut(run) {
            run.listed(session, plan.due.len());
        }
        for id in plan.due {
            self.queue_read(run, id);
        }
        self.start_reads().await;
        self.end_when_done(run).await;
    }

    /// Ends a collection when nothing of it is outstanding.
    pub(super) async fn end_when_done(&mut self, run: RunId) {
        let Some(run) = self.runs.take_ended(run) else {
            return;
        };
        self.save_counted().await;
        let ended = run.ended(Moment::now());
        let portal = &self.settings.portal.name;
        let requests = self.dependencies.events.requests() - run.requests_before;
        info!(
            %portal,
            result = ended.result.as_str(),
            counted = run.counted,
            failed = run.failed,
            requests,
            seconds = (ended.duration.as_secs_f64() * 1000.0).round() / 1000.0,
            "collection ended"
        );
        self.folders.log.collection_ended(portal);
        self.submit_findings(&run);
        self.assign_classes().await;
        // A quiet folder is read, and otherwise written, only after a while.
        self.save(&self.folders.refused()).await;
        self.dependencies.events.ran(ended.result);
        self.log.ended(ended);
        if ended.result == RunResult::Success {
            self.storage.write_success(ended.ended).await;
        } else {
            self.storage.check_write().await;
        }
    }

    fn submit_findings(&self, run: &Run) {
        if let Some(reindexing) = &self.dependencies.reindexing {
            let there = self.folders.iter().filter(|folder| folder.is_there());
            let mut folders: Vec<_> = there.map(folder_findings).collect();
            folders.shrink_to_fit();
            reindexing.submit(PortalFindings {
                session: run.session.clone(),
                portal_erring: self.list.state.trouble().is_some() || run.failed > run.counted,
                stale_after: self.log.stale_after(&self.settings.collect),
                folders,
            });
        }
    }
}

async fn list(client: &Arc<Client>) -> Listed {
    let session = Session::open(client).await?;
    let listing = session.folders().await?;
    Ok((Arc::new(session), listing))
}

/// If a panic ended the request, there is no list.
pub(super) fn no_list() -> Listed {
    Err(PortalError::Invalid {
        cause: "an internal error; the log has the details".to_owned(),
    })
}
