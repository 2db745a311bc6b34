//! The ledger as one portal's reindexer and collector hold it.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crate::attempts::{AttemptId, Event, Intent, LedgerView, Misfit, Review, Tidy};
use crate::clock::Moment;
use crate::model::{FileKey, FolderId, Outcome, PortalAddress, PortalName, Timestamp};
use crate::store::error::StoreError;
use crate::store::ledger::Ledger;
use crate::store::ledger::error::LedgerError;
use crate::store::ledger::leases::{Claim, Peers, Standing};
use crate::store::ledger::views::Known;
use crate::store::ledger::writer::{Guard, Writer};

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
        self.ledger.clock.now()
    }

    /// By how many milliseconds that clock is ahead of the clock of this machine.
    pub fn clock_ahead(&self) -> i64 {
        self.ledger.clock.ahead()
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

    /// What is known of the other processes that watch the portal.
    pub fn peers(&self) -> Peers {
        let leases = self.ledger.leases.as_ref();
        leases.map_or_else(Peers::default, |leases| leases.peers(&self.portal))
    }

    /// How often [`Self::renew_lease`] is due; `None` where no other process uses the ledger.
    pub fn renewal_interval(&self) -> Option<Duration> {
        let leases = self.ledger.leases.as_ref()?;
        Some(leases.length() / RENEWALS)
    }

    /// Shows this process to the others, and takes or renews the right to act; gives it up if no entry of the configuration with this address has a
    /// folder to act on. `entry`: the portal's name there.
    pub async fn renew_lease(
        &self,
        entry: PortalName,
        standing: Standing,
        acts: bool,
    ) -> Result<(), LedgerError> {
        let claim = Claim {
            entry,
            standing,
            acts,
        };
        self.send(async move |writer, portal| writer.renew_lease(portal, &claim).await)
            .await
    }

    /// Gives up the right to act, so that another process need not wait for its end.
    pub async fn leave(&self, entry: PortalName) -> Result<(), LedgerError> {
        self.send(async move |writer, portal| writer.leave(portal, &entry).await)
            .await
    }

    /// What is known now, or why nothing is.
    pub fn view(&self) -> Result<Arc<LedgerView>, LedgerError> {
        Ok(self.ledger.views.get(&self.portal)?.view)
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
        let folder = intent.folder;
        let add = async move |writer: &mut Writer, portal: &PortalAddress| {
            writer.intend(portal, intent, &decided_on).await
        };
        let view = self.send(add).await?;
        let made = view.track().unjudged_in(folder).next();
        made.map(|attempt| attempt.id)
            .ok_or_else(|| Misfit::Changed.into())
    }

    /// Writes the outcome of a request.
    pub async fn settle(
        &self,
        id: AttemptId,
        at: Timestamp,
        outcome: Outcome,
    ) -> Result<(), LedgerError> {
        self.add(Guard::None, Event::Settled { id, at, outcome })
            .await
    }

    /// Writes what a read showed about an attempt.
    pub async fn review(
        &self,
        id: AttemptId,
        at: Timestamp,
        review: Review,
    ) -> Result<(), LedgerError> {
        self.add(Guard::Lease, Event::Reviewed { id, at, review })
            .await
    }

    /// Counts the attempts of files from 0 again.
    pub async fn renew(&self, folder: FolderId, files: Vec<FileKey>) -> Result<(), LedgerError> {
        self.add(Guard::Lease, Event::Renewed { folder, files })
            .await
    }

    /// Records attempts that were made until then and have no outcome as interrupted: nobody waits for an answer any more.
    pub async fn interrupt(&self, until: Timestamp) -> Result<(), LedgerError> {
        self.change(Guard::Lease, move |known| Ok(known.view.interrupted(until)))
            .await
    }

    /// Removes what no limit reads any more. The counters stay.
    pub async fn tidy(&self, tidy: Tidy) -> Result<(), LedgerError> {
        self.send(async move |writer, portal| writer.tidy(portal, &tidy).await)
            .await
    }

    /// Reads what other processes wrote since, and returns it. Opens the database where that failed before. Fails where nothing can be written,
    /// also when there is nothing to write.
    pub async fn follow(&self) -> Result<Vec<Event>, LedgerError> {
        self.send(async |writer, portal| writer.follow(portal).await)
            .await
    }

    async fn add(&self, guard: Guard, event: Event) -> Result<(), LedgerError> {
        self.change(guard, move |_| Ok(vec![event.clone()])).await
    }

    async fn change(
        &self,
        guard: Guard,
        events: impl Fn(&Known) -> Result<Vec<Event>, Misfit> + Send + 'static,
    ) -> Result<(), LedgerError> {
        self.send(async move |writer, portal| writer.change(portal, guard, events).await)
            .await
    }

    async fn send<T: Send + 'static>(
        &self,
        job: impl AsyncFnOnce(&mut Writer, &PortalAddress) -> Result<T, LedgerError> + Send + 'static,
    ) -> Result<T, LedgerError> {
        let portal = self.portal.clone();
        let job = async move |writer: &mut Writer| job(writer, &portal).await;
        let result = self.ledger.writer.run(job).await;
        result.unwrap_or_else(|| Err(StoreError::Closed.into()))
    }
}
