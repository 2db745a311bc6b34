//! What the owner of the ledger's database learns: from other processes, from a database that lost something, and from its clock.

use std::sync::Arc;

use tracing::warn;

use crate::attempts::{Event, LedgerView};
use crate::model::{PortalAddress, Timestamp};
use crate::store::clock::Reading;
use crate::store::error::LedgerError;
use crate::store::ledger::log::{self, Logged, Tail};
use crate::store::ledger::views::Known;
use crate::store::ledger::writer::Writer;

impl Writer {
    /// Reads what other processes wrote, and returns it. Fails where nothing can be written, also when there is nothing to write.
    pub async fn follow(&mut self, portal: &PortalAddress) -> Result<Vec<Event>, LedgerError> {
        let followed = self.try_to_follow(portal).await;
        if let Err(error) = &followed {
            self.views.refuse(portal, error);
        }
        followed
    }

    async fn try_to_follow(&mut self, portal: &PortalAddress) -> Result<Vec<Event>, LedgerError> {
        if self.leases.is_none() {
            // On a server, to begin a transaction is a write.
            self.database.check_write().await?;
        }
        let newer = self.refresh(portal).await?;
        self.note_step(portal).await?;
        if self.views.get(portal)?.revision.is_none() {
            // It is new, or the database lost its tables.
            self.note_met(portal).await?;
        }
        if self.met.contains(portal) {
            return Ok(newer);
        }
        self.end_interrupted(portal).await?;
        self.met.insert(portal.clone());
        Ok(Vec::new())
    }

    /// Notes that the ledger knows a portal, unless another process did.
    async fn note_met(&mut self, portal: &PortalAddress) -> Result<(), LedgerError> {
        let clock = self.clock();
        self.change(portal, |known| {
            let at = clock.now().wall;
            Ok(match known.revision {
                None => vec![Event::Met { at }],
                Some(_) => Vec::new(),
            })
        })
        .await
    }

    /// Ends the attempts that were under way in a folder, which one process has.
    async fn end_interrupted(&mut self, portal: &PortalAddress) -> Result<(), LedgerError> {
        if self.leases.is_some() {
            return Ok(());
        }
        let clock = self.clock();
        self.change(portal, |known| {
            let until = clock.now().wall.max(known.view.latest());
            Ok(known.view.interrupted(until))
        })
        .await
    }

    /// Reads what other processes wrote of a portal.
    pub(super) async fn refresh(
        &mut self,
        portal: &PortalAddress,
    ) -> Result<Vec<Event>, LedgerError> {
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
        // What steps of the clock it knew is in doubt, too.
        self.readings.remove(portal);
        warn!(%portal, "the database lost what was written to the reindex ledger; it is added again, and nothing is reindexed for a cooldown");
        let events = vec![Event::Known(Box::new(lost)), Event::Doubted { at }];
        let before = self.views.get(portal);
        self.views.set(portal, found);
        let added = self.append(portal, events).await;
        if added.is_err() {
            // What was lost is not forgotten before it is written.
            self.views.restore(portal, before);
        }
        added.map(drop)
    }

    /// Notes that the clock was set, if it was and nobody noted it.
    pub(super) async fn note_step(&mut self, portal: &PortalAddress) -> Result<(), LedgerError> {
        if self.unknown_step(portal).is_some() {
            // Another process may have noted it between the two moments at which the clock and the log were read.
            self.database.check_write().await?;
            let (clock, is_shared) = (self.clock(), self.leases.is_some());
            let before = self.readings.get(portal).copied();
            let step = |known: &Known| {
                let now = clock.now();
                let step = before.and_then(|before| before.unknown_step(known.at(now)));
                Ok(step.map_or_else(Vec::new, |step| {
                    step_events(known, step, now.wall, is_shared)
                }))
            };
            Box::pin(self.change(portal, step)).await?;
        }
        if let Some(reading) = self.reading(portal) {
            self.readings.insert(portal.clone(), reading);
        }
        Ok(())
    }

    fn reading(&self, portal: &PortalAddress) -> Option<Reading> {
        let known = self.views.get(portal).ok()?;
        Some(known.at(self.database.read_clock()?))
    }

    fn unknown_step(&self, portal: &PortalAddress) -> Option<i64> {
        let before = self.readings.get(portal)?;
        before.unknown_step(self.reading(portal)?)
    }
}

/// The events of a step of the clock. Where several processes share it, some of them may have decided by it before they knew.
fn step_events(known: &Known, step: i64, at: Timestamp, is_shared: bool) -> Vec<Event> {
    let seconds = step / 1_000;
    let by = known.view.moves_by(step, at);
    let set = Event::ClockSet { at, step, by };
    if is_shared {
        warn!(
            seconds,
            "the clock of the PostgreSQL server was set; nothing is reindexed for a cooldown"
        );
        vec![set, Event::Doubted { at }]
    } else {
        warn!(
            seconds,
            "the clock was set; the limits of reindexing last as long as they would have"
        );
        vec![set]
    }
}
