//! Collections: how they begin and how they end.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use tracing::{debug, warn};

use crate::collect::folder::Outcome;
use crate::collect::{Collector, Done, Work};
use crate::model::{FolderId, Moment, Timestamp};
use crate::portal::{Client, Listing, PortalError, Session};
use crate::schedule::Tick;
use crate::snapshot::{Run as Ended, RunResult};

/// A collection that is under way.
pub(super) struct Run {
    pub began: Moment,
    pub deadline: Instant,
    /// The time from its beginning to the next collection, where one is known to come.
    pub until_next: Option<Duration>,
    /// What its folders are read with, once the list is there.
    pub session: Option<Arc<Session>>,
    /// Folders that are not read yet.
    pub outstanding: usize,
    pub counted: usize,
    pub failed: usize,
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
        let began = Moment::now();
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
        let next = tick.and_then(|tick| tick.next).map(Timestamp::from);
        self.runs.insert(
            run,
            Run {
                began,
                deadline,
                until_next: next.map(|next| next.since(began.wall)),
                session: None,
                outstanding: 0,
                counted: 0,
                failed: 0,
            },
        );
        let listed = self.list(deadline);
        self.spawn(Work::List { run }, async { Done::Listed(listed.await) });
    }

    /// No folder could be started.
    pub(super) fn skip(&self) {
        warn!(portal = %self.settings.portal, "collection skipped: the last one still runs");
        self.dependencies.events.ran(RunResult::Skipped);
    }

    /// Reads the key and the list.
    pub(super) fn list(
        &self,
        deadline: Instant,
    ) -> impl Future<Output = Result<(Arc<Session>, Listing), PortalError>> + Send + 'static {
        let client = Arc::clone(&self.dependencies.client);
        let limit = self.settings.timeout;
        async move {
            let listed = timeout_at(deadline, list(&client)).await;
            listed.unwrap_or(Err(PortalError::Timeout { limit }))
        }
    }

    pub(super) fn spawn(&mut self, work: Work, task: impl Future<Output = Done> + Send + 'static) {
        let handle = self.tasks.spawn(task);
        self.work.insert(handle.id(), work);
    }

    /// One folder of a collection is done with.
    pub(super) async fn folder_done(&mut self, run: u64, id: FolderId, outcome: Outcome) {
        let folder = self.folders.get(&id);
        if outcome == Outcome::Counted
            || folder.is_some_and(|folder| folder.persisted.is_absence_unsaved())
        {
            self.save(id).await;
        }
        if let Some(run) = self.runs.get_mut(&run) {
            run.outstanding -= 1;
            match outcome {
                Outcome::Counted | Outcome::Settled => run.counted += 1,
                Outcome::Failed => run.failed += 1,
            }
        }
        self.end_when_done(run).await;
    }

    /// Ends a collection when nothing of it is outstanding.
    pub(super) async fn end_when_done(&mut self, number: u64) {
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
        self.submit_findings(run);
        self.runs.remove(&number);
        self.choose_classes().await;
        self.dependencies.events.ran(ended.result);
        self.collections.last_run = Some(ended);
        if ended.result == RunResult::Success {
            self.collections.last_success = Some(ended.ended);
            self.save_success(ended.ended).await;
        }
    }
}

async fn list(client: &Arc<Client>) -> Result<(Arc<Session>, Listing), PortalError> {
    let session = Session::open(client).await?;
    let listing = session.folders().await?;
    Ok((Arc::new(session), listing))
}
