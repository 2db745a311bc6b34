//! Collections: how they begin, what their parts bring, how they end.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use tokio::time::{Instant, timeout_at};
use tracing::{debug, info, warn};

use crate::classify::shown_classes;
use crate::collect::folder::{Folder, Outcome};
use crate::collect::look::{Look, Looked};
use crate::collect::{Collector, Done, Work};
use crate::memory::LeftReason;
use crate::model::{FolderId, Moment, PortalName, Timestamp};
use crate::portal::{Client, ListedFolder, Listing, PortalError, Session, Trouble};
use crate::schedule::Tick;
use crate::snapshot::{
    FolderState, FolderView, ListFacts, ListState, PortalView, Run as Ended, RunResult,
};
use crate::state::StateError;

/// Counts are kept for this many intervals at least.
const STALE_INTERVALS: u32 = 3;

/// A collection that is under way.
#[derive(Debug)]
pub(super) struct Run {
    began: Moment,
    deadline: Instant,
    outstanding: usize,
    counted: usize,
    failed: usize,
}

impl Run {
    fn result(&self) -> RunResult {
        match (self.counted, self.failed) {
            (_, 0) => RunResult::Success,
            (0, _) => RunResult::Failure,
            _ => RunResult::Partial,
        }
    }
}

impl Collector {
    /// Begins a collection, unless the list of the last one is still being read.
    pub(super) fn begin(&mut self, tick: Option<Tick>) {
        if let Some(tick) = tick {
            self.collections.gap = Some(tick.interval);
            self.collections.next = tick.next.map(Timestamp::from);
        }
        if self
            .work
            .values()
            .any(|work| matches!(work, Work::List { .. }))
        {
            self.skip();
            return;
        }
        self.started += 1;
        let run = self.started;
        let deadline = Instant::now() + self.settings.timeout;
        self.runs.insert(
            run,
            Run {
                began: Moment::now(),
                deadline,
                outstanding: 0,
                counted: 0,
                failed: 0,
            },
        );
        let client = Arc::clone(&self.tools.client);
        let timeout = self.settings.timeout;
        self.spawn(Work::List { run }, async move {
            let listed = timeout_at(deadline, list(&client)).await;
            Done::Listed(listed.unwrap_or(Err(PortalError::Timeout { limit: timeout })))
        });
    }

    fn skip(&self) {
        warn!(portal = %self.settings.portal, "collection skipped: the last one still runs");
        self.tools.events.ran(RunResult::Skipped);
    }

    fn spawn(&mut self, work: Work, task: impl Future<Output = Done> + Send + 'static) {
        let handle = self.tasks.spawn(task);
        self.work.insert(handle.id(), work);
    }

    /// Takes in the list of folders and begins to look at those that are due.
    pub(super) async fn listed(
        &mut self,
        run: u64,
        result: Result<(Arc<Session>, Listing), PortalError>,
    ) {
        match result {
            Ok((session, listing)) => {
                self.take_list(listing).await;
                self.look_at_all(run, &session).await;
            }
            Err(error) => {
                self.list_failed(run, error.trouble(), error.to_string())
                    .await;
            }
        }
    }

    /// The task that read the list broke.
    pub(super) async fn list_panicked(&mut self, run: u64) {
        let message = "an internal error; the log has the details".to_owned();
        self.list_failed(run, Trouble::InvalidResponse, message)
            .await;
    }

    async fn list_failed(&mut self, run: u64, trouble: Trouble, message: String) {
        if self.list.trouble() != Some(trouble) {
            warn!(portal = %self.settings.portal, reason = trouble.as_str(), error = message, "the list of folders cannot be read");
        }
        let told = format!("the portal's list of folders cannot be read: {message}");
        for folder in self.folders.values_mut() {
            folder.unreachable(&told);
        }
        self.list = ListState::Failed {
            trouble,
            message,
            last: self.list.facts(),
        };
        if let Some(run) = self.runs.get_mut(&run) {
            run.failed += 1;
        }
        self.end_of(run).await;
    }

    async fn take_list(&mut self, listing: Listing) {
        let admitted = self.admitted(&listing);
        let facts = ListFacts {
            folders: listing.folders.len(),
            invalid_rows: listing.invalid_rows,
            beyond_limit: admitted.len().saturating_sub(self.settings.max_folders),
            whole: listing.whole,
        };
        self.log_list(facts);
        self.list = ListState::Read(facts);
        for listed in admitted.into_iter().take(self.settings.max_folders) {
            self.folders
                .entry(listed.id)
                .or_insert_with(|| Folder::listed(listed))
                .found(listed);
        }
        if listing.whole {
            self.lose_unlisted(&listing).await;
        }
    }

    /// The folders that the configuration admits; those known already come first, so that a limit does not shuffle them.
    fn admitted<'a>(&self, listing: &'a Listing) -> Vec<&'a ListedFolder> {
        let filter = &self.settings.filter;
        let admits = |listed: &&ListedFolder| filter.admits(listed.id, listed.name.label());
        let mut admitted: Vec<_> = listing.folders.iter().filter(admits).collect();
        admitted.sort_by_key(|listed| !self.folders.contains_key(&listed.id));
        admitted
    }

    fn log_list(&self, facts: ListFacts) {
        if self.list.facts() == Some(facts) && self.list.trouble().is_none() {
            return;
        }
        let portal = &self.settings.portal;
        info!(%portal, folders = facts.folders, "list of folders read");
        if facts.invalid_rows > 0 {
            warn!(%portal, rows = facts.invalid_rows, "the list names folders whose id is no UUID; they are not collected");
        }
        if facts.beyond_limit > 0 {
            warn!(%portal, folders = facts.beyond_limit, limit = self.settings.max_folders, "folders beyond collect.max_folders are not collected");
        }
        if !facts.whole {
            warn!(%portal, "the list of folders is not whole: its total is not its length");
        }
    }

    /// Lets go of the folders that the list does not name.
    async fn lose_unlisted(&mut self, listing: &Listing) {
        let now = Moment::now().wall;
        self.folders.retain(|_, folder| !folder.forgotten(now));
        let listed: HashSet<_> = listing.folders.iter().map(|listed| listed.id).collect();
        let mut lost = Vec::new();
        for (id, folder) in &mut self.folders {
            if !listed.contains(id) && !folder.is_unlisted() {
                info!(portal = %self.settings.portal, folder = %folder.view.name, %id, "folder left the key's set");
                folder.leave(LeftReason::Unlisted, now);
                lost.push(*id);
            }
        }
        for id in lost {
            self.save(id).await;
        }
    }

    async fn look_at_all(&mut self, run: u64, session: &Arc<Session>) {
        let mut due: Vec<_> = self
            .folders
            .iter()
            .filter(|(_, folder)| !folder.reading && !folder.is_unlisted())
            .map(|(id, folder)| (folder.last_look.map(|look| look.steady), *id))
            .collect();
        due.sort_unstable();
        let reading = self.folders.values().any(|folder| folder.reading);
        if due.is_empty() && reading {
            self.runs.remove(&run);
            self.skip();
            return;
        }
        if let Some(run) = self.runs.get_mut(&run) {
            run.outstanding = due.len();
        }
        for (_, id) in due {
            self.look_at(run, id, session);
        }
        self.end_of(run).await;
    }

    fn look_at(&mut self, run: u64, id: FolderId, session: &Arc<Session>) {
        let (Some(folder), Some(deadline)) = (
            self.folders.get_mut(&id),
            self.runs.get(&run).map(|run| run.deadline),
        ) else {
            return;
        };
        folder.reading = true;
        let look = Look {
            session: Arc::clone(session),
            folder: id,
            limits: self.settings.walk,
            memory: Arc::clone(&folder.kept.memory),
            progress: Arc::clone(&self.tools.progress),
            slots: self.slots.clone(),
            deadline,
            timeout: self.settings.timeout,
        };
        self.spawn(Work::Look { run, folder: id }, async move {
            Done::Looked(Box::new(look.take().await))
        });
    }

    /// Takes in a look.
    pub(super) async fn looked(&mut self, run: u64, id: FolderId, looked: &Looked) {
        let Some(folder) = self.folders.get_mut(&id) else {
            return;
        };
        let before = folder.view.state.clone();
        let outcome = folder.looked(looked);
        if folder.view.state != before {
            log_change(&self.settings.portal, &folder.view);
        }
        if outcome == Outcome::Counted || folder.has_left() {
            self.save(id).await;
        }
        if let Some(run) = self.runs.get_mut(&run) {
            run.outstanding -= 1;
            match outcome {
                Outcome::Counted | Outcome::Settled => run.counted += 1,
                Outcome::Failed => run.failed += 1,
            }
        }
        self.end_of(run).await;
    }

    async fn save(&mut self, id: FolderId) {
        if let Some(folder) = self.folders.get_mut(&id) {
            let result = folder.save(&self.tools.store, &self.settings.portal).await;
            self.note_state(result);
        }
    }

    fn note_state(&mut self, result: Result<(), StateError>) {
        let error = result.err().map(|error| error.to_string());
        if let Some(error) = error
            .as_deref()
            .filter(|error| self.state_error.as_deref() != Some(*error))
        {
            tracing::error!(portal = %self.settings.portal, error, "state cannot be kept: counters of entries stand still");
        }
        self.state_error = error;
    }

    /// Ends a collection when nothing of it is outstanding.
    async fn end_of(&mut self, number: u64) {
        let Some(run) = self.runs.get(&number).filter(|run| run.outstanding == 0) else {
            return;
        };
        let now = Moment::now();
        let ended = Ended {
            ended: now.wall,
            duration: now.elapsed_since(run.began),
            result: run.result(),
        };
        debug!(
            portal = %self.settings.portal,
            result = ended.result.as_str(),
            counted = run.counted,
            failed = run.failed,
            seconds = ended.duration.as_secs_f64(),
            "collection ended"
        );
        self.runs.remove(&number);
        self.tools.events.ran(ended.result);
        self.collections.last_run = Some(ended);
        if ended.result == RunResult::Success {
            self.collections.last_success = Some(ended.ended);
            let portal = self.settings.portal.as_str().to_owned();
            let at = ended.ended.as_millis();
            let result = self.tools.store.write_success(portal, at).await;
            self.note_state(result);
        }
    }

    /// Shows what is known now.
    pub(super) fn publish(&mut self, now: Moment) {
        let shown = self
            .folders
            .values()
            .filter(|folder| folder.shown(now.wall));
        let folders: BTreeMap<_, _> = shown
            .map(|folder| (folder.view.id, Arc::clone(&folder.view)))
            .collect();
        let errors: Vec<_> = folders
            .values()
            .filter_map(|view| Some((view.id, &view.counts.as_deref()?.errors)))
            .collect();
        let classes = Arc::new(shown_classes(&errors, self.settings.classes));
        let interval = self.collections.interval().unwrap_or_default();
        let stale_after = self.settings.stale_after.max(interval * STALE_INTERVALS);
        self.tools.publisher.publish(PortalView {
            name: self.settings.portal.clone(),
            list: self.list.clone(),
            folders,
            classes,
            collections: self.collections.clone(),
            stale_after,
            state_error: self.state_error.clone(),
        });
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

/// Reads the key and the list.
async fn list(client: &Arc<Client>) -> Result<(Arc<Session>, Listing), PortalError> {
    let session = client.open().await?;
    let listing = session.folders().await?;
    Ok((Arc::new(session), listing))
}
