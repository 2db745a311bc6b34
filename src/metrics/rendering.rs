//! The facts of one snapshot, rendered once for all scrapes.

use std::io;
use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::clock::Moment;
use crate::metrics::gzip::Deflated;
use crate::metrics::{ageing, families};
use crate::model::PortalName;
use crate::snapshot::Snapshot;

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
        let portals = snapshot.portals.iter();
        Ok(Self {
            portals: portals.map(|portal| portal.name.clone()).collect(),
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
