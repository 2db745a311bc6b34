//! One collection of a portal: the list of folders, the folders that it makes due, and the end.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tracing::{debug, info, warn};

use crate::clock::Moment;
use crate::collect::due::is_due;
use crate::collect::folder::Folder;
use crate::collect::queue::{Due, Need, ReadKind};
use crate::collect::runs::Run;
use crate::collect::{Collector, Event};
use crate::model::{FolderId, Timestamp};
use crate::portal::{Listing, PortalError, Session};
use crate::schedule::Tick;
use crate::snapshot::{FolderState, LastRun, RunResult, Unreadable};

/// A collection whose reads have ended.
pub(super) struct Ending {
    run: Run,
    ended: LastRun,
    /// When, if every folder was counted.
    pub success: Option<Timestamp>,
}

/// The list of folders, and the client for the reads.
pub(super) type Listed = Result<(Arc<Session>, Listing), PortalError>;

impl Collector {
    /// Begins a collection on schedule, or a single one.
    pub(super) fn begin(&mut self, tick: Option<Tick>) {
        self.log.ticked(tick);
        self.collect();
    }

    /// Begins a collection, unless the last one still waits for its list.
    pub(super) fn collect(&mut self) {
        self.list.asked();
        let requests = self.dependencies.events.requests();
        let timeout = self.settings.collect.timeout;
        if !self.runs.begin(Moment::now(), timeout, requests) {
            self.skip();
            return;
        }
        let list = self.request_list();
        self.tasks
            .spawn(list, |listed| Event::Listed(listed.unwrap_or_else(no_list)));
    }

    fn skip(&mut self) {
        if self.runs.skipped() {
            warn!(portal = %self.settings.portal.name, "collections are skipped while the last one still runs");
        }
        self.dependencies.events.ran(RunResult::Skipped);
    }

    /// Reads the key and the list.
    pub(super) fn request_list(&self) -> impl Future<Output = Listed> + Send + use<> {
        let client = Arc::clone(&self.dependencies.client);
        let limit = self.settings.collect.timeout;
        async move {
            let session = Session::open(&client).await?;
            let listing = session.folders(limit).await?;
            Ok((Arc::new(session), listing))
        }
    }

    /// The list that a collection began with is there: queues the folders that are due.
    pub(super) fn listed(&mut self, listed: Listed) {
        match listed {
            Ok((session, listing)) => {
                self.session = Some(session);
                self.apply_list(&listing);
                self.queue_due_folders();
            }
            Err(error) => {
                self.list_failed(&error);
                self.runs.list_failed();
            }
        }
    }

    /// The list could not be read: nothing new is known about the folders, and nothing else is asked for until it can be read again.
    pub(super) fn list_failed(&mut self, error: &PortalError) {
        self.session = None;
        let now = Moment::now().wall;
        self.list.failed(error, &self.settings.portal.name, now);
        for refusal in std::mem::take(&mut self.refused) {
            self.refused_with_portal(refusal.folder);
        }
        for read in self.queue.take_waiting() {
            self.refused_with_portal(read.folder);
        }
        for folder in self.folders.iter_mut() {
            folder.portal_failed();
        }
    }

    pub(super) fn apply_list(&mut self, listing: &Listing) {
        let now = Moment::now().wall;
        let portal = &self.settings.portal.name;
        self.list.note_clock(now, listing.date);
        let facts = self.folders.apply_list(listing, &self.settings, now);
        self.list.read(facts, portal);
        let folders = self
            .folders
            .iter()
            .filter(|folder| !folder.view.state.has_left());
        let folders = folders.map(|folder| (folder.view.id, folder.view.name.label()));
        let reindexed = self.settings.reindex.in_folders(folders);
        let reindexed = format!("reindexing: {reindexed}");
        self.list.reindexes(reindexed, portal);
        let listed: HashSet<_> = listing.folders.iter().map(|listed| listed.id).collect();
        if listing.is_whole() {
            self.folders.depart_unlisted(&listed, portal, now);
        }
        self.save(self.folders.absent());
        if listing.is_whole() {
            // What was stored for long enough.
            let [forgotten, emptied] = self.folders.forget_departed(&listed, now);
            self.save(emptied);
            self.saver.forget(forgotten);
        }
    }

    fn queue_due_folders(&mut self) {
        self.assign_classes();
        self.show_failing();
        let now = Moment::now();
        let quiet_every = self.log.quiet_every(&self.settings.collect);
        self.press_waiting(quiet_every, now);
        let due = self.due_folders(quiet_every, now);
        let is_busy = !self.folders.iter().any(Folder::is_idle)
            && self.folders.iter().any(Folder::is_being_read);
        if due.is_empty() && is_busy {
            self.runs.give_up_listing();
            self.skip();
            return;
        }
        self.runs
            .listed(due.iter().map(|(folder, _)| *folder).collect());
        for (id, due) in due {
            if let Some(folder) = self.folders.get_mut(id) {
                self.queue.push(folder.queue(ReadKind::Count, due));
            }
        }
    }

    /// Shows that folders cannot be read whose requests have failed for most of an interval, although their reads go on.
    fn show_failing(&mut self) {
        if let Some(interval) = self.log.interval() {
            let portal = &self.settings.portal.name;
            for (id, error) in self.queue.failing(interval / 2) {
                self.folders
                    .update(id, portal, |folder, _| folder.show_failing(error));
                self.saver.changed([id]);
            }
        }
    }

    /// Of the reads that wait, those of folders that press by now come before quiet ones.
    fn press_waiting(&mut self, quiet_every: Duration, now: Moment) {
        let ledger = self.dependencies.ledger.as_ref();
        for mut read in self.queue.take_waiting() {
            let folder = self.folders.get(read.folder);
            let due = folder.map(|folder| folder.due(quiet_every, self.sorting, ledger, now));
            if due.is_some_and(|due| due.need == Need::Pressing) {
                read.due.need = Need::Pressing;
            }
            self.queue.push(read);
        }
    }

    /// The folders that this collection reads, and when they were due. All are shown as their last reads found them.
    fn due_folders(&mut self, quiet_every: Duration, now: Moment) -> Vec<(FolderId, Due)> {
        let ledger = self.dependencies.ledger.as_ref();
        let longest_refused = self.folders.longest_refused();
        let mut found = Vec::new();
        for folder in self.folders.iter_mut().filter(|folder| folder.is_idle()) {
            folder.portal_recovered();
            let id = folder.view.id;
            let due = folder.due(quiet_every, self.sorting, ledger, now);
            if is_due(due, quiet_every, now.steady) || longest_refused == Some(id) {
                found.push((id, due));
            }
        }
        found
    }

    /// Ends the collections that have nothing outstanding, or no more time, as soon as what they counted is written, or cannot be.
    pub(super) fn end_collections(&mut self) {
        while let Some(run) = self.runs.take_ended(Moment::now().steady) {
            let requests = self.dependencies.events.requests();
            let ended = run.ended(Moment::now(), requests);
            self.assign_classes();
            let is_success = ended.result == RunResult::Success;
            let success = is_success.then(|| Moment::now().wall);
            self.saver.end_with_next(Ending {
                run,
                ended,
                success,
            });
        }
    }

    /// Why not everything is counted: the trouble of the portal, or of one of the folders.
    fn why_failed(&self) -> Option<String> {
        if let Some(failure) = &self.list.state.failure {
            return Some(failure.message.clone());
        }
        self.folders
            .iter()
            .find_map(|folder| match &folder.view.state {
                FolderState::Unavailable(Unreadable { message, .. }) => {
                    Some(format!("folder {}: {message}", folder.view.name))
                }
                _ => None,
            })
    }

    pub(super) fn end(&mut self, ending: &Ending) {
        let Ending { run, ended, .. } = ending;
        let portal = &self.settings.portal.name;
        let requests = ended.requests;
        let seconds = (ended.duration.as_secs_f64() * 1000.0).round() / 1000.0;
        let (result, counted, failed) = (ended.result.as_str(), run.counted, run.failed);
        let before = self.log.shown.last_run.map(|run| run.result);
        match self.why_failed() {
            Some(why) if ended.result != RunResult::Success => {
                warn!(%portal, result, why, counted, failed, requests, seconds, "collection ended");
            }
            _ if before == Some(ended.result) => {
                debug!(%portal, result, counted, failed, requests, seconds, "collection ended");
            }
            _ => info!(%portal, result, counted, failed, requests, seconds, "collection ended"),
        }
        self.log.ended(*ended);
        // Whoever sees that it ended sees what it counted.
        self.publish();
        self.dependencies.events.ran(ended.result);
    }
}

/// If a panic ended the request, there is no list.
pub(super) fn no_list() -> Listed {
    Err(PortalError::Invalid {
        cause: "an internal error; the log has the details".to_owned(),
    })
}
