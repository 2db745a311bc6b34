//! The reindex ledger: the log of events of each portal, and who may add to it.
//!
//! The intent of an attempt is on disk before its request is sent, so a crash at any point leaves the attempt charged. An event has the number
//! after the last one, and is added only if that is still the last one: whoever decided on an older log is refused, and decides again.
//!
//! ```text
//! LedgerView ─Event→ does it fit? ─append (commit)→ disk ─apply→ what everybody sees
//! ```
//!
//! A portal is known by its address, so that entries of the configuration with one base URL share its limits, and a new name
//! forgets nothing.
//!
//! While the database cannot be used, it stays as it is, every change is refused with the reason, and it is tried again.

mod commands;
mod copy;
mod follow;
mod leases;
pub(super) mod log;
mod views;
mod writer;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crate::attempts::{AttemptId, Event, Intent, LedgerView, Misfit, Review};
use crate::clock::Moment;
use crate::model::{FileKey, FolderId, Outcome, PortalAddress, PortalName, Timestamp};
use crate::store::clock::StoreClock;
use crate::store::error::StoreError;
use crate::store::place::Place;
use crate::store::worker::Worker;

use leases::{Claim, Leases};
use views::{Known, Views};
use writer::Writer;

pub use crate::store::error::LedgerError;
pub use commands::{Entry, forgive, history, views};
pub use leases::{Peers, Standing};

/// How often a lease is renewed in its length, so that one renewal may fail.
const RENEWALS: u32 = 3;

/// A handle to the ledger. Cheap to clone; the database is closed by [`Self::close`], or when the last handle, and the last portal's, is
/// dropped.
#[derive(Debug, Clone)]
pub struct Ledger {
    views: Views,
    clock: StoreClock,
    writer: Worker<Writer>,
    /// Where other processes share the ledger.
    leases: Option<Leases>,
}

impl Ledger {
    /// The ledger in a folder, which one process has.
    pub fn in_folder(place: Place) -> Self {
        Self::new(place, None)
    }

    /// The ledger in PostgreSQL. One process may act: the one that has the lease, which lasts so long.
    pub fn shared(place: Place, lease: Duration) -> Self {
        Self::new(place, Some(Leases::new(lease)))
    }

    fn new(place: Place, leases: Option<Leases>) -> Self {
        let views = Views::default();
        let writer = Writer::new(place, views.clone(), leases.clone());
        Self {
            views,
            clock: writer.clock(),
            leases,
            writer: Worker::start(writer),
        }
    }

    /// Whether other processes use the ledger as well.
    pub const fn is_shared(&self) -> bool {
        self.leases.is_some()
    }

    /// The ledger of one portal. Nothing is known before [`PortalLedger::follow`].
    pub fn portal(&self, portal: &PortalAddress) -> PortalLedger {
        PortalLedger {
            portal: portal.clone(),
            ledger: self.clone(),
        }
    }

    /// Closes the database after all earlier changes are written. From then on every change is refused.
    pub async fn close(&self) {
        // Where the thread has ended, it is closed.
        let _ = self.writer.run(async |writer| writer.end().await).await;
    }
}

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

    /// Whether this process may act. Where other processes share the ledger, one of all may.
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
        self.add(Event::Settled { id, at, outcome }).await
    }

    /// Writes what a read showed about an attempt.
    pub async fn review(
        &self,
        id: AttemptId,
        at: Timestamp,
        review: Review,
    ) -> Result<(), LedgerError> {
        self.add(Event::Reviewed { id, at, review }).await
    }

    /// Counts the attempts of files from 0 again.
    pub async fn renew(&self, folder: FolderId, files: Vec<FileKey>) -> Result<(), LedgerError> {
        self.add(Event::Renewed { folder, files }).await
    }

    /// Records attempts that were made until then and have no outcome as interrupted: nobody waits for an answer any more.
    pub async fn interrupt(&self, until: Timestamp) -> Result<(), LedgerError> {
        self.change(move |known| Ok(known.view.interrupted(until)))
            .await
    }

    /// Removes what no limit reads any more. The counters stay.
    pub async fn tidy(
        &self,
        horizon: Duration,
        listed: HashSet<FolderId>,
    ) -> Result<(), LedgerError> {
        self.send(async move |writer, portal| writer.tidy(portal, horizon, &listed).await)
            .await
    }

    /// Reads what other processes wrote since, and returns it. Opens the database where that failed before. Fails where nothing can be written,
    /// also when there is nothing to write.
    pub async fn follow(&self) -> Result<Vec<Event>, LedgerError> {
        self.send(async |writer, portal| writer.follow(portal).await)
            .await
    }

    async fn add(&self, event: Event) -> Result<(), LedgerError> {
        self.change(move |_| Ok(vec![event.clone()])).await
    }

    async fn change(
        &self,
        events: impl Fn(&Known) -> Result<Vec<Event>, Misfit> + Send + 'static,
    ) -> Result<(), LedgerError> {
        self.send(async move |writer, portal| writer.change(portal, events).await)
            .await
    }

    async fn send<T: Send + 'static>(
        &self,
        job: impl AsyncFnOnce(&mut Writer, &PortalAddress) -> Result<T, LedgerError> + Send + 'static,
    ) -> Result<T, LedgerError> {
        let portal = self.portal.clone();
        let job = async move |writer: &mut Writer| {
            writer.check_open()?;
            job(writer, &portal).await
        };
        let result = self.ledger.writer.run(job).await;
        result.unwrap_or_else(|| Err(StoreError::Closed.into()))
    }
}

#[cfg(test)]
mod tests;
