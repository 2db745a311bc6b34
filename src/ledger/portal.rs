//! The ledger as one portal's collector holds it.

use std::sync::{Arc, mpsc};
use std::time::SystemTime;

use tokio::sync::oneshot;

use crate::ledger::attempt::Intent;
use crate::ledger::change::{Change, Misfit, Review, Tidy};
use crate::ledger::database::Database;
use crate::ledger::error::LedgerError;
use crate::ledger::forgive::Forgiveness;
use crate::ledger::mode::AttemptId;
use crate::ledger::outcome::Outcome;
use crate::ledger::shared::SharedView;
use crate::ledger::view::LedgerView;
use crate::ledger::writer::{Job, Writer};
use crate::model::{FileKey, FolderId, PortalAddress, Timestamp};

/// The ledger of one portal: what is known, and the only way to change it.
///
/// Every change is one transaction, synced to disk when the method returns, and in the view from then on. It is finished
/// even when nobody waits for it any more. Cheap to clone.
#[derive(Debug, Clone)]
pub struct PortalLedger {
    portal: PortalAddress,
    view: SharedView,
    jobs: mpsc::Sender<Job>,
}

impl PortalLedger {
    pub(super) const fn new(
        portal: PortalAddress,
        view: SharedView,
        jobs: mpsc::Sender<Job>,
    ) -> Self {
        Self { portal, view, jobs }
    }

    /// What is known now, or why nothing is.
    pub fn view(&self) -> Result<Arc<LedgerView>, LedgerError> {
        self.view.borrow().clone()
    }

    /// Writes that an attempt is about to be made. In enforce, the request may be sent when this has returned, and only then.
    ///
    /// `decided_on` is the view that led to it: where anything was written since, by whoever shares the portal, it is
    /// [`Misfit::Changed`], and has to be decided anew.
    pub async fn intend(
        &self,
        intent: Intent,
        decided_on: &Arc<LedgerView>,
    ) -> Result<AttemptId, LedgerError> {
        let decided_on = Arc::clone(decided_on);
        self.act(move |database, portal, current, view| {
            if !Arc::ptr_eq(&current, &decided_on) {
                return Err(Misfit::Changed.into());
            }
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

    /// Writes what a read told of an attempt.
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

    /// Says of attempts that were made until then and have no outcome that they were interrupted: nobody waits for an answer any more.
    pub async fn interrupt(&self, until: Timestamp) -> Result<(), LedgerError> {
        for change in self.view()?.interrupted(until) {
            self.make(change).await?;
        }
        Ok(())
    }

    /// Forgets what no limit can ask for any more. The counters stay.
    pub async fn tidy(&self, tidy: Tidy) -> Result<(), LedgerError> {
        self.make(Change::Tidy(tidy)).await
    }

    /// Takes in what people took back since it was asked last, and returns it. Opens the file where that failed before.
    pub async fn take_in(&self) -> Result<Vec<Forgiveness>, LedgerError> {
        let Self { portal, .. } = self.clone();
        let asked = self.send(move |writer| {
            writer.open()?;
            writer.database()?.asked_to_forgive(&portal)
        });
        let mut taken = Vec::new();
        for (id, mut forgiveness) in asked.await? {
            // What comes later is not forgiven, whatever the clock was when they asked.
            forgiveness.at = forgiveness.at.min(SystemTime::now().into());
            let change = Change::Forgive {
                id,
                forgiveness: forgiveness.clone(),
            };
            self.make(change).await?;
            taken.push(forgiveness);
        }
        Ok(taken)
    }

    async fn make(&self, change: Change) -> Result<(), LedgerError> {
        self.act(move |database, portal, _, view| database.make(portal, view, change))
            .await
    }

    /// Changes what is known: `job` gets what is known now, and a copy to change.
    async fn act<T: Send + 'static>(
        &self,
        job: impl FnOnce(
            &mut Database,
            &PortalAddress,
            Arc<LedgerView>,
            &mut LedgerView,
        ) -> Result<T, LedgerError>
        + Send
        + 'static,
    ) -> Result<T, LedgerError> {
        let Self { portal, view, .. } = self.clone();
        self.send(move |writer| {
            let database = writer.database()?;
            let current = view.borrow().clone()?;
            let mut next = LedgerView::clone(&current);
            let result = job(database, &portal, current, &mut next);
            // What failed changed nothing, and must not put anybody's decision out of date.
            if result.is_ok() {
                let _before = view.send_replace(Ok(Arc::new(next)));
            }
            result
        })
        .await
    }

    async fn send<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Writer) -> Result<T, LedgerError> + Send + 'static,
    ) -> Result<T, LedgerError> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |writer| {
            // Nobody waits for the answer any more: the collection was given up.
            let _ = answer.send(job(writer));
        });
        let closed = || self.view().err().unwrap_or(LedgerError::Closed);
        self.jobs.send(job).map_err(|_| closed())?;
        answered.await.map_err(|_| closed())?
    }
}
