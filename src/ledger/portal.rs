//! The ledger as one portal's collector holds it.

use std::collections::HashSet;
use std::sync::Arc;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

use crate::clock::Moment;
use crate::ledger::Ledger;
use crate::ledger::attempt::Intent;
use crate::ledger::attempt_id::AttemptId;
use crate::ledger::change::{Misfit, Review};
use crate::ledger::database::Guard;
use crate::ledger::error::LedgerError;
use crate::ledger::forgive::Forgiveness;
use crate::ledger::tidy::Tidy;
use crate::ledger::view::LedgerView;
use crate::ledger::writer::Writer;
use crate::model::{FileKey, FolderId, Outcome, PortalAddress, Timestamp};
use crate::sql::SqlError;

/// How often a lease is renewed in its length, so that one renewal may fail.
const RENEWALS: u32 = 3;

/// The ledger of one portal: what is known, and the only way to change it.
///
/// Every change is one transaction, synced to disk when the method returns, and in the view from then on. It is finished
/// even when nobody waits for it any more. Cheap to clone.
#[derive(Debug, Clone)]
pub struct PortalLedger {
    portal: PortalAddress,
    ledger: Ledger,
}

impl PortalLedger {
    pub(super) const fn new(portal: PortalAddress, ledger: Ledger) -> Self {
        Self { portal, ledger }
    }

    /// The time by the clock that all who use the ledger share: that of this machine, or of the PostgreSQL server.
    pub fn now(&self) -> Moment {
        self.ledger.now()
    }

    /// By how many milliseconds that clock is ahead of the clock of this machine.
    pub fn clock_ahead(&self) -> i64 {
        if !self.ledger.is_shared() {
            return 0;
        }
        let here = Moment::now().wall.as_millis();
        self.now().wall.as_millis().saturating_sub(here)
    }

    pub const fn address(&self) -> &PortalAddress {
        &self.portal
    }

    /// Whether other processes use the ledger as well.
    pub const fn is_shared(&self) -> bool {
        self.ledger.is_shared()
    }

    /// Whether this process may act. Where other processes share the ledger, one of those with the same shard may.
    pub fn may_act(&self) -> bool {
        let leases = self.ledger.leases.as_ref();
        leases.is_none_or(|leases| leases.is_held(&self.portal))
    }

    /// Keeps the right to act, where other processes share the ledger, until `cancel`.
    pub async fn stay_active(&self, cancel: &CancellationToken) {
        let Some(leases) = &self.ledger.leases else {
            return;
        };
        while !cancel.is_cancelled() {
            if let Err(error) = self.send(Writer::renew_lease).await {
                debug!(portal = %self.portal, %error, "the lease cannot be renewed");
            }
            let wait = sleep(leases.length() / RENEWALS);
            cancel.run_until_cancelled(wait).await;
        }
    }

    /// Gives up the right to act, so that another process need not wait until it ends.
    pub async fn stop_acting(&self) {
        if self.ledger.leases.is_some() {
            // It ends by itself, too.
            let _ = self.send(Writer::release_lease).await;
        }
    }

    /// What is known now, or why nothing is. A portal that is not known yet is met now, which is written as well.
    pub fn view(&self) -> Result<Arc<LedgerView>, LedgerError> {
        let now = || self.now().wall;
        let (view, is_new) = self.ledger.views.get(&self.portal, now)?;
        if is_new {
            let portal = self.portal.clone();
            // A ledger that is closed refuses every change that comes after this one, and logs it.
            self.ledger.writer.send(move |writer| {
                if let Err(error) = writer.meet(&portal) {
                    warn!(%portal, %error, "the reindex ledger cannot record that this portal is new");
                }
            });
        }
        Ok(view)
    }

    /// Whether an attempt in a folder waits for its verdict.
    pub fn has_open_attempt(&self, folder: FolderId) -> bool {
        let ledger = self.view();
        ledger.is_ok_and(|ledger| ledger.track().unjudged_in(folder).next().is_some())
    }

    /// The files of a folder whose later statuses are wanted.
    pub fn watched(&self, folder: FolderId) -> HashSet<FileKey> {
        let Ok(ledger) = self.view() else {
            return HashSet::new();
        };
        let attempts = ledger.track().unjudged_in(folder);
        let sent = attempts.filter_map(|attempt| attempt.watched.as_ref());
        let sent = sent.flat_map(|files| files.keys());
        let known = ledger.folder(folder).into_iter();
        let tried = known.flat_map(|known| known.file_attempts.keys());
        sent.chain(tried).copied().collect()
    }

    /// Writes that an attempt is about to be made. The request may be sent when this has returned, and only then.
    ///
    /// `decided_on` is the view that led to it: where anything was written since, by whoever shares the portal, it is
    /// [`Misfit::Changed`], and the decision is out of date: the view is the newer one by then.
    pub async fn intend(
        &self,
        intent: Intent,
        decided_on: &Arc<LedgerView>,
    ) -> Result<AttemptId, LedgerError> {
        let decided_on = Arc::clone(decided_on);
        self.send(move |writer, portal| writer.intend(portal, &intent, &decided_on))
            .await
    }

    /// Writes the outcome of a request.
    pub async fn settle(
        &self,
        id: AttemptId,
        at: Timestamp,
        outcome: Outcome,
    ) -> Result<(), LedgerError> {
        // A fact, whoever may act by now.
        self.change(Guard::None, move |view| view.settle(id, at, outcome))
            .await
    }

    /// Writes what a read showed about an attempt.
    pub async fn review(
        &self,
        id: AttemptId,
        at: Timestamp,
        review: Review,
    ) -> Result<(), LedgerError> {
        self.change(Guard::Lease, move |view| view.review(id, at, &review))
            .await
    }

    /// Counts the attempts of files from 0 again.
    pub async fn renew(&self, folder: FolderId, files: Vec<FileKey>) -> Result<(), LedgerError> {
        self.change(Guard::Lease, move |view| {
            view.renew(folder, &files);
            Ok(())
        })
        .await
    }

    /// Records attempts that were made until then and have no outcome as interrupted: nobody waits for an answer any more.
    pub async fn interrupt(&self, until: Timestamp) -> Result<(), LedgerError> {
        if self.view()?.unanswered(until).next().is_none() {
            return Ok(());
        }
        self.change(Guard::Lease, move |view| view.interrupt(until))
            .await
    }

    /// Removes what no limit reads any more. The counters stay.
    pub async fn tidy(&self, tidy: Tidy) -> Result<(), LedgerError> {
        self.change(Guard::Lease, move |view| {
            view.tidy(&tidy);
            Ok(())
        })
        .await
    }

    /// Reads what other processes wrote. Opens the database where that failed before. Fails where nothing can be written, also when there is
    /// nothing to write.
    pub async fn follow(&self) -> Result<(), LedgerError> {
        self.send(Writer::follow).await
    }

    /// Takes in what people forgave since it was asked last, and returns it.
    pub async fn take_in(&self) -> Result<Vec<Forgiveness>, LedgerError> {
        self.send(Writer::take_in).await
    }

    async fn change(
        &self,
        guard: Guard,
        change: impl Fn(&mut LedgerView) -> Result<(), Misfit> + Send + 'static,
    ) -> Result<(), LedgerError> {
        self.send(move |writer, portal| writer.change(portal, &[], guard, &change))
            .await
    }

    async fn send<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Writer, &PortalAddress) -> Result<T, LedgerError> + Send + 'static,
    ) -> Result<T, LedgerError> {
        let portal = self.portal.clone();
        let result = self
            .ledger
            .writer
            .run(move |writer| job(writer, &portal))
            .await;
        result.unwrap_or_else(|| Err(self.view().err().unwrap_or(SqlError::Closed.into())))
    }
}
