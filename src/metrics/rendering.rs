//! The facts of one snapshot, rendered once for all scrapes.

use std::io;
use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::metrics::gzip::Deflated;
use crate::metrics::{ageing, families};
use crate::model::{Moment, PortalName};
use crate::snapshot::Snapshot;

/// Facts of up to so many bytes of text are rendered within milliseconds, so a scrape waits for the newest.
pub(super) const PROMPT_BYTES: u64 = 1024 * 1024;

/// Facts that are no longer true are shown for this long at most. Timers are late by more where the machine was suspended.
const MAX_LATE: Duration = Duration::from_secs(10);

/// The metrics of a snapshot at one moment. Immutable; swapped whole.
///
/// Only the compressed text is stored: it takes an eighth of the memory, and scrapers ask for gzip.
#[derive(Debug)]
pub(super) struct Rendering {
    /// The portals of the snapshot.
    pub portals: Vec<PortalName>,
    /// When rendering began.
    pub at: Moment,
    /// How long after that it stays true, unless a snapshot is published.
    pub lasts: Option<Duration>,
    /// Its text.
    pub text: Deflated,
    snapshot: Weak<Snapshot>,
}

/// The size of the facts in an exposition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactsSize {
    /// Series.
    pub series: u64,
    /// Bytes of text.
    pub text_bytes: u64,
    /// Bytes of the compressed text.
    pub gzip_bytes: u64,
}

/// Renders the facts of a snapshot to find out their size.
pub fn facts_size(snapshot: &Snapshot, at: Moment) -> io::Result<FactsSize> {
    let mut text = Vec::new();
    families::write(&mut text, snapshot, at)?;
    let compressed = Deflated::of(|sink| sink.write_all(&text))?;
    let lines = text.split(|byte| *byte == b'\n');
    let series = lines.filter(|line| line.first().is_some_and(|first| *first != b'#'));
    Ok(FactsSize {
        series: series.count() as u64,
        text_bytes: text.len() as u64,
        gzip_bytes: compressed.compressed_len(),
    })
}

impl Rendering {
    /// Renders a snapshot.
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
