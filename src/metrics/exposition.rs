//! The answer to a scrape: current events, and the facts as of the last rendering.

use std::sync::{Arc, Weak};
use std::time::Duration;
use std::{io, iter};

use bytes::Bytes;
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

use crate::clock::Moment;
use crate::metrics::gzip::Deflated;
use crate::metrics::{ConfigFacts, Events, ageing, families, process};
use crate::model::PortalName;
use crate::snapshot::{Publisher, Snapshot};

/// A scrape waits for newer facts for this long, and then returns the facts that it has.
const PATIENCE: Duration = Duration::from_secs(2);

/// Facts of up to this number of bytes of text are rendered within milliseconds, so a scrape waits for the newest.
const PROMPT_BYTES: u64 = 1024 * 1024;

/// Facts that are no longer true are shown for this long at most. Timers are late by more if the machine was suspended.
const MAX_LATE: Duration = Duration::from_secs(10);

/// The metrics of a snapshot at one moment. Immutable; swapped whole.
///
/// Only the compressed text is stored: it takes an eighth of the memory, and scrapers ask for gzip.
#[derive(Debug)]
pub(super) struct Rendering {
    pub portals: Vec<PortalName>,
    pub at: Moment,
    /// How long after that it stays true, unless a snapshot is published.
    pub lasts: Option<Duration>,
    pub text: Deflated,
    snapshot: Weak<Snapshot>,
}

impl Rendering {
    pub fn of(snapshot: &Arc<Snapshot>, at: Moment) -> io::Result<Self> {
        let shown = snapshot
            .portals
            .iter()
            .filter(|portal| portal.holder().is_none());
        Ok(Self {
            portals: shown.map(|portal| portal.name.clone()).collect(),
            at,
            lasts: ageing::lasts(snapshot, at),
            text: Deflated::of(|sink| families::write(sink, snapshot, at))?,
            snapshot: Arc::downgrade(snapshot),
        })
    }

    /// Whether a scrape at `now` may be answered with it, while this is the newest snapshot.
    pub fn serves(&self, newest: &Arc<Snapshot>, now: Moment) -> bool {
        let lasts = self.lasts.unwrap_or(Duration::MAX);
        let late = now.since(self.at) > lasts.saturating_add(MAX_LATE);
        let large = self.text.text_len() > PROMPT_BYTES;
        // No other snapshot can be at this address as long as the weak pointer exists.
        let newest = self.snapshot.as_ptr() == Arc::as_ptr(newest);
        self.at.steady >= now.steady || (!late && (large || newest))
    }
}

/// Returns the current time; a test has its own.
pub type Clock = Arc<dyn Fn() -> Moment + Send + Sync>;

#[derive(Clone)]
pub struct Exposition {
    pub(super) publisher: Publisher,
    pub(super) rendered: watch::Receiver<Arc<Rendering>>,
    /// Notifies the renderer that a scrape waits for newer facts.
    pub(super) wanted: Arc<Notify>,
    pub(super) clock: Clock,
}

pub struct Scrape {
    events: Vec<u8>,
    facts: Arc<Rendering>,
}

impl Exposition {
    /// The events as they are now. The facts are of the newest snapshot if they are rendered quickly; large ones are as they were
    /// rendered last.
    pub async fn scrape(&self, events: &Events, config: ConfigFacts) -> prometheus::Result<Scrape> {
        let facts = self.facts().await;
        // Last, so that every event that the facts result from is counted.
        let mut events = events.text(&facts.portals, config)?;
        events.extend_from_slice(process::text().as_bytes());
        Ok(Scrape { events, facts })
    }

    async fn facts(&self) -> Arc<Rendering> {
        let (now, newest) = ((self.clock)(), self.publisher.current());
        let mut rendered = self.rendered.clone();
        let serves = rendered.borrow().serves(&newest, now);
        if !serves {
            self.wanted.notify_one();
            let waiting = rendered.wait_for(|facts| facts.serves(&newest, now));
            // After an error the old facts are shown: rendering takes too long, or the process is about to end.
            let _ = timeout(PATIENCE, waiting).await;
        }
        rendered.borrow().clone()
    }
}

impl Scrape {
    pub fn plain_len(&self) -> u64 {
        self.events.len() as u64 + self.facts.text.text_len()
    }

    /// The plain text, in pieces. The facts are inflated for this scrape, piece by piece.
    pub fn plain(self) -> impl Iterator<Item = io::Result<Bytes>> + Send + use<> {
        let facts = self.facts.text.inflate();
        iter::once(Ok(self.events.into())).chain(facts)
    }

    /// The text as one gzip member, in pieces. Only the events are compressed for this scrape.
    pub fn gzip(&self) -> io::Result<Vec<Bytes>> {
        self.facts.text.after(&self.events)
    }
}
