//! The ledger as one portal's collector holds it.

use std::sync::{Arc, mpsc};

use tokio::sync::{oneshot, watch};

use crate::ledger::attempt::{AttemptId, Intent};
use crate::ledger::change::{Change, Review, Tidy};
use crate::ledger::database::Database;
use crate::ledger::error::LedgerError;
use crate::ledger::outcome::Outcome;
use crate::ledger::view::LedgerView;
use crate::model::{FileKey, FolderId, PortalName, Timestamp};

/// Work for the thread that owns the file.
pub(super) type Job = Box<dyn FnOnce(&mut Database) + Send>;

/// What is known of a portal, for all who hold it. Only the thread that owns the file changes it, after the commit.
pub(super) type SharedView = watch::Sender<Arc<LedgerView>>;

/// The ledger of one portal: what is known, and the only way to change it.
///
/// Every change is one transaction, synced to disk when the method returns, and in the view from then on. It is finished
/// even when nobody waits for it any more. Cheap to clone.
#[derive(Debug, Clone)]
pub struct PortalLedger(Result<Open, LedgerError>);

#[derive(Debug, Clone)]
struct Open {
    portal: PortalName,
    view: SharedView,
    jobs: mpsc::Sender<Job>,
}

impl PortalLedger {
    pub(super) fn new(portal: PortalName, view: SharedView, jobs: mpsc::Sender<Job>) -> Self {
        Self(Ok(Open { portal, view, jobs }))
    }

    pub(super) fn refused(error: LedgerError) -> Self {
        Self(Err(error))
    }

    /// What is known now, or why nothing is.
    pub fn view(&self) -> Result<Arc<LedgerView>, LedgerError> {
        match &self.0 {
            Ok(open) => Ok(Arc::clone(&open.view.borrow())),
            Err(error) => Err(error.clone()),
        }
    }

    /// Writes that an attempt is about to be made. In enforce, the request may be sent when this has returned, and only then.
    pub async fn intend(&self, intent: Intent) -> Result<AttemptId, LedgerError> {
        self.act(move |database, portal, view| {
            let id = database.next_id();
            database.make(portal, view, Change::Intend { id, intent })?;
            Ok(id)
        })
        .await
    }

    /// Writes what came of a request.
    pub async fn settle(
        &self,
        id: AttemptId,
        at: Timestamp,
        outcome: Outcome,
    ) -> Result<(), LedgerError> {
        self.make(Change::Settle { id, at, outcome }).await
    }

    /// Writes what a look told of an attempt.
    pub async fn review(
        &self,
        id: AttemptId,
        at: Timestamp,
        review: Review,
    ) -> Result<(), LedgerError> {
        self.make(Change::Review { id, at, review }).await
    }

    /// Lets the attempts of files start anew.
    pub async fn renew(&self, folder: FolderId, files: Vec<FileKey>) -> Result<(), LedgerError> {
        self.make(Change::Renew { folder, files }).await
    }

    /// Says of attempts without an outcome that they were interrupted: for a caller that gave up between the intent and
    /// the answer, and has no request under way. After a restart that has been done already.
    pub async fn interrupt(&self, now: Timestamp) -> Result<(), LedgerError> {
        self.act(move |database, portal, view| {
            for change in view.interrupted(now) {
                database.make(portal, view, change)?;
            }
            Ok(())
        })
        .await
    }

    /// Forgets what no limit can ask for any more. The counters stay.
    pub async fn tidy(&self, tidy: Tidy) -> Result<(), LedgerError> {
        self.make(Change::Tidy(tidy)).await
    }

    async fn make(&self, change: Change) -> Result<(), LedgerError> {
        self.act(move |database, portal, view| database.make(portal, view, change))
            .await
    }

    async fn act<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Database, &PortalName, &mut LedgerView) -> Result<T, LedgerError>
        + Send
        + 'static,
    ) -> Result<T, LedgerError> {
        let Open { portal, view, jobs } = self.0.clone()?;
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |database| {
            let mut next = LedgerView::clone(&view.borrow());
            let result = job(database, &portal, &mut next);
            // Also after a failure: of several changes, the first ones may be on disk.
            view.send_replace(Arc::new(next));
            // Nobody waits for the answer any more: the collection was given up.
            let _ = answer.send(result);
        });
        jobs.send(job).map_err(|_| LedgerError::Closed)?;
        answered.await.map_err(|_| LedgerError::Closed)?
    }
}
