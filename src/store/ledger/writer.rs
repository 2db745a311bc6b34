//! What owns the database of the ledger.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};
use tracing::warn;

use crate::attempts::{Event, Intent, LedgerView, Misfit, Tidy};
use crate::clock::Moment;
use crate::model::{PortalAddress, PortalName};
use crate::store::clock::StoreClock;
use crate::store::database::Database;
use crate::store::error::StoreError;
use crate::store::ledger::copy::Copy;
use crate::store::ledger::error::LedgerError;
use crate::store::ledger::leases::{Claim, Leases, Renewal};
use crate::store::ledger::log::{self, Logged, Tail};
use crate::store::ledger::views::{Known, Views};
use crate::store::part::Part;
use crate::store::place::{Access, Place};
use crate::store::revision::Revision;
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guard {
    /// This process must have the lease.
    Lease,
    /// A fact, whoever may act by now.
    None,
}

#[derive(Debug)]
pub(super) struct Writer {
    database: Database,
    copy: Copy,
    views: Views,
    leases: Option<Leases>,
    /// The portals whose attempts by earlier processes were ended.
    met: HashSet<PortalAddress>,
    /// Steps of the clock that are still to be written, by portal.
    unnoted: Vec<(PortalAddress, i64)>,
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
            unnoted: Vec::new(),
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

    /// Reads what other processes wrote, and returns it. Fails where nothing can be written, also when there is nothing to write.
    pub async fn follow(&mut self, portal: &PortalAddress) -> Result<Vec<Event>, LedgerError> {
        let followed = self.try_to_follow(portal).await;
        if let Err(error) = &followed {
            self.views.refuse(portal, error);
        }
        followed
    }

    async fn try_to_follow(&mut self, portal: &PortalAddress) -> Result<Vec<Event>, LedgerError> {
        self.check_open()?;
        if self.leases.is_none() {
            // On a server, to begin a transaction is a write.
            self.database.check_write().await?;
        }
        let newer = self.refresh(portal).await?;
        self.note_steps().await?;
        if self.met.contains(portal) {
            return Ok(newer);
        }
        self.meet(portal).await?;
        self.met.insert(portal.clone());
        Ok(Vec::new())
    }

    fn check_open(&self) -> Result<(), LedgerError> {
        if self.ended {
            return Err(StoreError::Closed.into());
        }
        Ok(())
    }

    /// Begins with a portal: notes that the ledger knows it, and ends the attempts that were under way in a folder, which one process has.
    async fn meet(&mut self, portal: &PortalAddress) -> Result<(), LedgerError> {
        let clock = self.clock();
        self.change(portal, Guard::None, |known| {
            let at = clock.now().wall;
            Ok(match known.revision {
                None => vec![Event::Met { at }],
                Some(_) => Vec::new(),
            })
        })
        .await?;
        if self.leases.is_some() {
            return Ok(());
        }
        self.change(portal, Guard::None, |known| {
            let until = clock.now().wall.max(known.view.latest());
            Ok(known.view.interrupted(until))
        })
        .await
    }

    /// Reads what other processes wrote of a portal.
    async fn refresh(&mut self, portal: &PortalAddress) -> Result<Vec<Event>, LedgerError> {
        let known = self.views.get(portal).ok();
        let revision = known.as_ref().and_then(|known| known.revision);
        let read = async |connection: &mut _| log::read(connection, portal, revision).await;
        match (self.database.transaction(read).await?, known) {
            (Tail::Newer(events), Some(known)) => self.add(portal, known, events),
            (tail, known) => {
                let known = match known {
                    Some(known) => Some(Arc::unwrap_or_clone(known.view)),
                    None => self.copy.read(portal).await,
                };
                self.begin_anew(portal, tail.into_events(), known).await?;
                Ok(Vec::new())
            }
        }
    }

    /// Adds events that other processes wrote.
    fn add(
        &self,
        portal: &PortalAddress,
        mut known: Known,
        events: Vec<Logged>,
    ) -> Result<Vec<Event>, LedgerError> {
        let Some((last, _)) = events.last() else {
            return Ok(Vec::new());
        };
        known.revision = Some(*last);
        known.events += events.len();
        let view = Arc::make_mut(&mut known.view);
        let events: Vec<Event> = events.into_iter().map(|(_, event)| event).collect();
        for event in &events {
            view.apply(event)?;
        }
        self.views.set(portal, known);
        Ok(events)
    }

    /// Begins with a whole log. If it lacks what this process knows, the database lost it: it is added, and limits are in doubt.
    async fn begin_anew(
        &mut self,
        portal: &PortalAddress,
        events: Vec<Logged>,
        known: Option<LedgerView>,
    ) -> Result<(), LedgerError> {
        let (view, revision) = log::fold(&events)?;
        let mut merged = view.clone();
        let lost = known.filter(|known| merged.merge(known));
        let found = Known {
            view: view.into(),
            revision,
            events: events.len(),
        };
        let Some(lost) = lost else {
            self.views.set(portal, found);
            return Ok(());
        };
        let at = self.clock().now().wall;
        warn!(%portal, "the database lost what was written to the reindex ledger; it is added again, and nothing is reindexed for a cooldown");
        let events = vec![Event::Known(Box::new(lost)), Event::Doubted { at }];
        let before = self.views.get(portal);
        self.views.set(portal, found);
        let added = self.append(portal, events, Guard::None).await;
        if added.is_err() {
            // What was lost is not forgotten before it is written.
            self.views.restore(portal, before);
        }
        added.map(drop)
    }

    /// Notes that the clock was set, if it was.
    async fn note_steps(&mut self) -> Result<(), LedgerError> {
        if let Some(step) = self.database.take_step() {
            self.log_step(step);
            let portals = self.views.portals().into_iter();
            self.unnoted.extend(portals.map(|portal| (portal, step)));
        }
        while let Some((portal, step)) = self.unnoted.last().cloned() {
            let at = self.clock().now().wall;
            let is_shared = self.leases.is_some();
            let noted = self.change(&portal, Guard::None, |known| {
                Ok(vec![if is_shared {
                    Event::Doubted { at }
                } else {
                    let by = known.view.moves_by(step, at);
                    Event::ClockSet { at, by }
                }])
            });
            Box::pin(noted).await?;
            self.unnoted.pop();
        }
        Ok(())
    }

    fn log_step(&self, step: i64) {
        let (is_shared, seconds) = (self.leases.is_some(), step / 1_000);
        if is_shared {
            warn!(
                seconds,
                "the clock of the PostgreSQL server was set; nothing is reindexed for a cooldown"
            );
        } else {
            warn!(
                seconds,
                "the clock was set; the limits of reindexing last as long as they would have"
            );
        }
    }

    /// Writes the events that `events` makes of what is known, if this process may act. What fails changes nothing. If another process wrote
    /// meanwhile, they are made of what that wrote.
    pub async fn change(
        &mut self,
        portal: &PortalAddress,
        guard: Guard,
        events: impl Fn(&Known) -> Result<Vec<Event>, Misfit>,
    ) -> Result<(), LedgerError> {
        let mut tries = 1;
        loop {
            let events = events(&self.views.get(portal)?)?;
            if events.is_empty() {
                return Ok(());
            }
            match self.append(portal, events, guard).await {
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
        self.check_open()?;
        self.note_steps().await?;
        if !Arc::ptr_eq(&self.views.get(portal)?.view, decided_on) {
            return Err(Misfit::Changed.into());
        }
        let events = vec![Event::Intended(intent)];
        let added = self.append(portal, events, Guard::Lease).await;
        match &added {
            Ok(view) => self.copy.write(portal, view).await,
            Err(LedgerError::Misfit(Misfit::Changed)) => drop(self.refresh(portal).await?),
            Err(_) => {}
        }
        added
    }

    /// Adds events after the last one that is known: first on disk, then for everybody.
    async fn append(
        &mut self,
        portal: &PortalAddress,
        events: Vec<Event>,
        guard: Guard,
    ) -> Result<Arc<LedgerView>, LedgerError> {
        self.check_open()?;
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
        let leases = self.leases.as_ref().filter(|_| guard == Guard::Lease);
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
    pub async fn tidy(&mut self, portal: &PortalAddress, tidy: &Tidy) -> Result<(), LedgerError> {
        self.check_open()?;
        let mut known = self.views.get(portal)?;
        let mut after = LedgerView::clone(&known.view);
        after.tidy(tidy);
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
        self.check_open()?;
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
        match self.database.transaction(renew).await {
            Ok(renewal) => leases.renewed(portal, renewal),
            Err(StoreError::Moved { to }) => {
                leases.renewed(portal, Renewal::default());
                return Err(StoreError::Moved { to }.into());
            }
            Err(error) => return Err(error.into()),
        }
        self.note_steps().await
    }

    /// Ends the lease of a portal, and takes this process from those that watch it.
    pub async fn leave(
        &mut self,
        portal: &PortalAddress,
        entry: &PortalName,
    ) -> Result<(), LedgerError> {
        self.check_open()?;
        let Some(leases) = &self.leases else {
            return Ok(());
        };
        let leave = async |connection: &mut _| leases.leave(connection, portal, entry).await;
        Ok(self.database.transaction(leave).await?)
    }
}
