//! One collection of a portal: the list of folders, the folders that it makes due, and the end.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tracing::{debug, info, warn};

use crate::clock::Moment;
use crate::collect::due::is_due;
use crate::collect::folder::Folder;
use crate::collect::list::clock_ahead;
use crate::collect::queue::{Due, Need};
use crate::collect::strategy::choose;
use crate::collect::{Collector, Event};
use crate::count::Way;
use crate::model::FolderId;
use crate::portal::{Listing, PortalError, Session};
use crate::schedule::Tick;
use crate::snapshot::{FolderState, LastRun, RunResult, Unreadable};

/// The list of folders, and the client for the reads.
pub(super) type Listed = Result<(Arc<Session>, Listing), PortalError>;

impl Collector {
    /// Begins a collection on schedule, or a single one.
    pub(super) fn begin(&mut self, tick: Option<Tick>) {
        self.runs.ticked(tick);
        self.collect();
    }

    /// Begins a collection, unless the last one still waits for its list.
    pub(super) fn collect(&mut self) {
        self.list.retry_at = None;
        let requests = self.dependencies.events.requests();
        let timeout = self.settings.collect.timeout;
        if !self.runs.begin(Moment::now(), timeout, requests) {
            self.skip();
            return;
        }
        self.ask_list(Event::Listed);
    }

    fn skip(&mut self) {
        debug!(portal = %self.settings.portal.name, "a collection is skipped while the last one still runs");
        self.dependencies.events.ran(RunResult::Skipped);
    }

    /// Reads the key and the list, in a task that ends with an event.
    pub(super) fn ask_list(&mut self, event: fn(Listed) -> Event) {
        let client = Arc::clone(&self.dependencies.client);
        let limit = self.settings.collect.timeout;
        let list = async move {
            let session = Session::open(&client).await?;
            let listing = session.folders(limit).await?;
            Ok((Arc::new(session), listing))
        };
        self.tasks.spawn(list, move |listed| {
            event(listed.unwrap_or_else(|| {
                Err(PortalError::Invalid {
                    cause: "an internal error; the log has the details".to_owned(),
                })
            }))
        });
    }

    /// The list that a collection began with is there: queues the folders that are due.
    pub(super) fn listed(&mut self, listed: Listed) {
        if self.apply_list(listed) {
            self.queue_due_folders();
        } else {
            self.runs.list_failed();
        }
    }

    /// Applies a list; returns whether it could be read. If not, nothing new is known about the folders, and nothing else is asked for until it can be
    /// read again.
    pub(super) fn apply_list(&mut self, listed: Listed) -> bool {
        let now = Moment::now().wall;
        let (session, listing) = match listed {
            Ok(listed) => listed,
            Err(error) => {
                self.session = None;
                self.list.failed(&error, &self.settings.portal.name, now);
                let refused = std::mem::take(&mut self.refused).into_iter();
                let waiting = self.queue.take_counts(|_| true).into_iter();
                let waiting = waiting.map(|read| read.folder);
                for folder in refused.map(|(folder, _)| folder).chain(waiting) {
                    self.give_up(folder);
                }
                return false;
            }
        };
        self.session = Some(session);
        self.list.clock_ahead = clock_ahead(now, listing.date);
        let facts = self.folders.apply_list(&listing, &self.settings, now);
        self.list.read(facts, &self.settings.portal.name);
        self.say_where_reindexed();
        if listing.is_whole() {
            let forgotten = self
                .folders
                .depart_unlisted(&listing, &self.settings.portal.name, now);
            self.saver.forget(forgotten);
        }
        self.saver.changed(self.folders.absent());
        true
    }

    fn say_where_reindexed(&mut self) {
        let folders = self.folders.iter();
        let folders = folders.filter(|folder| !folder.view.state.has_left());
        let folders = folders.map(|folder| (folder.view.id, folder.view.name.label()));
        let reindexed = self.settings.reindex.in_folders(folders);
        let portal = &self.settings.portal.name;
        self.list
            .reindexes(format!("reindexing: {reindexed}"), portal);
    }

    fn queue_due_folders(&mut self) {
        self.assign_classes();
        self.show_failing();
        let now = Moment::now().steady;
        let pressing = |folder: &Folder| self.due(folder, now).need == Need::Pressing;
        let pressing = self.folders.ids(pressing);
        self.queue.press(&pressing.into_iter().collect());
        let due = self.due_folders(now);
        let is_busy = !self.folders.iter().any(Folder::is_idle)
            && self.folders.iter().any(|folder| folder.is_being_read);
        if due.is_empty() && is_busy {
            self.runs.give_up_listing();
            self.skip();
            return;
        }
        self.runs
            .listed(due.iter().map(|(folder, _)| *folder).collect());
        for (id, due) in due {
            let at = due.at + self.scan_time(id);
            if let Some(folder) = self.folders.get_mut(id) {
                self.queue.push(folder.queue(Due { at, ..due }));
            }
        }
    }

    /// The least time that the read of a folder takes if it is a scan, by which it is due later, so that folders of few pages come first.
    fn scan_time(&self, id: FolderId) -> Duration {
        let folder = self.folders.get(id);
        let is_scanned = |folder: &&Folder| {
            let (sorting, is_vouched) = (self.sorting_of(folder), folder.scanned().is_some());
            let strategy = self.settings.collect.strategy;
            choose(strategy, sorting, is_vouched, &folder.expected()) == Way::Full
        };
        let folder = folder.filter(is_scanned);
        folder.map_or(Duration::ZERO, |folder| self.time_of_all_pages(folder))
    }

    /// The least time in which all pages of a folder can be read.
    pub(super) fn time_of_all_pages(&self, folder: &Folder) -> Duration {
        let rate = self.settings.collect.max_requests_per_second;
        let pages = u32::try_from(folder.expected().pages()).unwrap_or(u32::MAX);
        Duration::from_secs_f64(rate.0.recip()).saturating_mul(pages)
    }

    /// Shows that folders cannot be read whose requests have failed for most of an interval, although their reads go on.
    fn show_failing(&mut self) {
        if let Some(interval) = self.runs.interval {
            let portal = &self.settings.portal.name;
            for (id, error) in self.queue.failing(interval / 2) {
                self.folders
                    .update(id, portal, |folder, _| folder.show_failing(error));
                self.saver.changed([id]);
            }
        }
    }

    /// The folders that this collection reads, and when they were due.
    fn due_folders(&self, now: Instant) -> Vec<(FolderId, Due)> {
        let longest_refused = self.folders.longest_refused();
        let idle = self.folders.iter().filter(|folder| folder.is_idle());
        let idle = idle.map(|folder| (folder.view.id, self.due(folder, now)));
        let quiet_every = self.quiet_every();
        let is_due = |due| is_due(due, quiet_every, now);
        idle.filter(|(id, due)| is_due(*due) || longest_refused == Some(*id))
            .collect()
    }

    fn due(&self, folder: &Folder, now: Instant) -> Due {
        let ledger = self.dependencies.ledger.as_ref();
        let attempt_is_open = ledger.is_some_and(|ledger| ledger.has_open_attempt(folder.view.id));
        folder.due(
            attempt_is_open,
            self.sorting_of(folder),
            self.quiet_every(),
            now,
        )
    }

    /// How often a quiet folder is read: in every collection if no further one is scheduled.
    fn quiet_every(&self) -> Duration {
        if self.runs.is_single() {
            Duration::ZERO
        } else {
            self.settings.collect.quiet_every
        }
    }

    /// Ends the collections that have nothing outstanding, or no more time, as soon as what they counted is written, or cannot be.
    pub(super) fn end_collections(&mut self) {
        let requests = self.dependencies.events.requests();
        while let Some(ended) = self.runs.take_ended(Moment::now(), requests) {
            self.assign_classes();
            self.saver.end_with_next(ended);
        }
    }

    /// Assigns class slots, and writes the folders that changed by that.
    fn assign_classes(&mut self) {
        self.saver.changed(self.folders.assign_classes());
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

    /// What a collection counted is written.
    pub(super) fn end(&mut self, run: LastRun) {
        let portal = &self.settings.portal.name;
        let LastRun {
            result,
            counted,
            failed,
            requests,
            ..
        } = run;
        let seconds = (run.duration.as_secs_f64() * 1000.0).round() / 1000.0;
        let before = self.runs.shown.last_run.map(|run| run.result);
        let word = result.as_str();
        match self.why_failed() {
            Some(why) => {
                warn!(%portal, result = word, why, counted, failed, requests, seconds, "collection ended");
            }
            _ if before == Some(result) => {
                debug!(%portal, result = word, counted, failed, requests, seconds, "collection ended");
            }
            _ => {
                info!(%portal, result = word, counted, failed, requests, seconds, "collection ended");
            }
        }
        self.runs.ended(run);
        // Whoever sees that it ended sees what it counted.
        self.publish();
        self.dependencies.events.ran(result);
    }
}
