//! What owns the database of the ledger.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::attempts::{Event, Intent, LedgerView, Misfit};
use crate::clock::Moment;
use crate::model::{FolderId, PortalAddress, PortalName};
use crate::store::clock::{Reading, StoreClock};
use crate::store::database::Database;
use crate::store::error::{LedgerError, StoreError};
use crate::store::ledger::copy::Copy;
use crate::store::ledger::leases::{Claim, Leases};
use crate::store::ledger::log;
use crate::store::ledger::views::{Known, Views};
use crate::store::place::{Access, Part, Place};
use crate::store::statement::Revision;
use crate::store::worker::Owned;

/// How often a change is made again where other processes write at the same time.
const TRIES: u32 = 5;

/// How long the outcome of a commit is searched for after the connection ended in the middle of it: longer than the server keeps a transaction whose
/// client is gone.
const SEARCH: Duration = Duration::from_secs(25);

/// How often it is searched for.
const SEARCH_EVERY: Duration = Duration::from_millis(200);

/// A log with so many events is compacted.
const MANY_EVENTS: usize = 500;

#[derive(Debug)]
pub(super) struct Writer {
    pub(super) database: Database,
    pub(super) copy: Copy,
    pub(super) views: Views,
    pub(super) leases: Option<Leases>,
    /// The portals whose attempts by earlier processes were ended.
    pub(super) met: HashSet<PortalAddress>,
    /// The clock when the log of each portal was last known to have all steps of it.
    pub(super) readings: HashMap<PortalAddress, Reading>,
    ended: bool,
}

impl Owned for Writer {
    async fn close(&mut self) {
        self.copy.close().await;
        self.database.close().await;
    }
}

impl Writer {
    pub fn new(place: Place, views: Views, leases: Option<Leases>) -> Self {
        Self {
            copy: Copy::of(&place),
            database: Database::new(place, Part::Ledger, Access::Serve),
            views,
            leases,
            met: HashSet::new(),
            readings: HashMap::new(),
            ended: false,
        }
    }

    pub fn clock(&self) -> StoreClock {
        self.database.clock()
    }

    /// Closes the database. From then on every change is refused.
    pub async fn end(&mut self) {
        self.ended = true;
        self.views.close(&StoreError::Closed.into());
        self.close().await;
    }

    pub(super) fn check_open(&self) -> Result<(), LedgerError> {
        if self.ended {
            return Err(StoreError::Closed.into());
        }
        Ok(())
    }

    /// Writes the events that `events` makes of what is known, if this process may act. What fails changes nothing. If another process wrote
    /// meanwhile, they are made of what that wrote.
    pub async fn change(
        &mut self,
        portal: &PortalAddress,
        events: impl Fn(&Known) -> Result<Vec<Event>, Misfit>,
    ) -> Result<(), LedgerError> {
        let mut tries = 1;
        loop {
            let events = events(&self.views.get(portal)?)?;
            if events.is_empty() {
                return Ok(());
            }
            match self.append(portal, events).await {
                Err(LedgerError::Misfit(Misfit::Changed)) if tries < TRIES => {
                    tries += 1;
                    Box::pin(self.refresh(portal)).await?;
                }
                done => return done.map(drop),
            }
        }
    }

    /// Adds an attempt, unless anything was written since the view on which it was decided.
    pub async fn intend(
        &mut self,
        portal: &PortalAddress,
        intent: Intent,
        decided_on: &Arc<LedgerView>,
    ) -> Result<Arc<LedgerView>, LedgerError> {
        self.note_step(portal).await?;
        if !Arc::ptr_eq(&self.views.get(portal)?.view, decided_on) {
            return Err(Misfit::Changed.into());
        }
        let events = vec![Event::Intended(intent)];
        let added = self.append(portal, events).await;
        if let Err(LedgerError::Misfit(Misfit::Changed)) = &added {
            self.refresh(portal).await?;
        }
        added
    }

    /// Adds events after the last one that is known: first on disk, then for everybody.
    pub(super) async fn append(
        &mut self,
        portal: &PortalAddress,
        events: Vec<Event>,
    ) -> Result<Arc<LedgerView>, LedgerError> {
        let mut known = self.views.get(portal)?;
        let mut after = LedgerView::clone(&known.view);
        let mut last = known.revision;
        let mut logged = Vec::new();
        for event in events {
            after.apply(&event)?;
            let revision = Revision::after(last);
            last = Some(revision);
            logged.push((revision, event));
        }
        let leases = self.leases.as_ref();
        let leases = leases.filter(|_| logged.iter().any(|(_, event)| event.is_act()));
        let write = async |connection: &mut _| {
            if let Some(leases) = leases {
                leases.check(connection, portal).await?;
            }
            log::append(connection, portal, known.revision, &logged).await
        };
        match self.database.transaction(write).await {
            Ok(()) => {}
            Err(StoreError::CommitUnknown(why)) => {
                let last = last.ok_or(StoreError::NotOpened)?;
                return self.search(portal, last, why).await;
            }
            Err(error) => return Err(error.into()),
        }
        known.events += logged.len();
        known.revision = last;
        known.view = Arc::new(after);
        let view = Arc::clone(&known.view);
        self.views.set(portal, known);
        self.copy.write(portal, &view).await;
        Ok(view)
    }

    /// Finds out whether events were committed.
    async fn search(
        &mut self,
        portal: &PortalAddress,
        last: Revision,
        why: String,
    ) -> Result<Arc<LedgerView>, LedgerError> {
        let end: Instant = Moment::now().steady + SEARCH;
        while Moment::now().steady < end {
            let find = async |connection: &mut _| log::has(connection, portal, last).await;
            let found = self.database.transaction(find).await;
            match found {
                Ok(true) => {
                    Box::pin(self.refresh(portal)).await?;
                    return Ok(self.views.get(portal)?.view);
                }
                Ok(false) => return Err(StoreError::Away(why).into()),
                Err(_) => sleep(SEARCH_EVERY).await,
            }
        }
        Err(StoreError::CommitUnknown(why).into())
    }

    /// Removes what no limit reads any more, and puts what is known in place of the events.
    pub async fn tidy(
        &mut self,
        portal: &PortalAddress,
        horizon: Duration,
        listed: &HashSet<FolderId>,
    ) -> Result<(), LedgerError> {
        let mut known = self.views.get(portal)?;
        let mut after = LedgerView::clone(&known.view);
        after.tidy(horizon, listed);
        let (Some(revision), true) = (
            known.revision,
            after != *known.view || known.events > MANY_EVENTS,
        ) else {
            return Ok(());
        };
        let leases = self.leases.as_ref();
        let compact = async |connection: &mut _| {
            if let Some(leases) = leases {
                leases.check(connection, portal).await?;
            }
            log::compact(connection, portal, revision, &after).await
        };
        self.database.transaction(compact).await?;
        // What was forgotten is not taken for lost later.
        self.copy.write(portal, &after).await;
        known.view = Arc::new(after);
        known.events = 1;
        self.views.set(portal, known);
        Ok(())
    }

    /// Takes, renews or gives up the lease of a portal. If the database lost what this process knows, it is added first: others must learn of it
    /// before they act.
    pub async fn renew_lease(
        &mut self,
        portal: &PortalAddress,
        claim: &Claim,
    ) -> Result<(), LedgerError> {
        let Some(leases) = self.leases.clone() else {
            return Ok(());
        };
        let known = self.views.get(portal).ok();
        if let Some(known) = known.and_then(|known| known.revision) {
            let find = async |connection: &mut _| log::has(connection, portal, known).await;
            if !self.database.transaction(find).await? {
                self.refresh(portal).await?;
            }
        }
        let renew = async |connection: &mut _| leases.renew(connection, portal, claim).await;
        let renewed = self.database.transaction(renew).await?;
        leases.note(portal, renewed);
        self.note_step(portal).await
    }

    /// Ends the lease of a portal, and takes this process from those that watch it.
    pub async fn leave(
        &mut self,
        portal: &PortalAddress,
        entry: &PortalName,
    ) -> Result<(), LedgerError> {
        let Some(leases) = &self.leases else {
            return Ok(());
        };
        let leave = async |connection: &mut _| leases.leave(connection, portal, entry).await;
        Ok(self.database.transaction(leave).await?)
    }
}
