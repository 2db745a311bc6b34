//! What a scrape is answered with: events as they are now, and the facts as they were rendered last.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use prometheus::proto::MetricFamily;
use prometheus::{Encoder, TextEncoder};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

use crate::metrics::gzip::Beginning;
use crate::metrics::rendering::Rendering;
use crate::metrics::writer::{flag, single};
use crate::metrics::{ConfigFacts, Events, catalogue, events};
use crate::model::{Moment, PortalName};
use crate::snapshot::{Publisher, Snapshot};

/// Facts of up to so many bytes of text are rendered within milliseconds: a scrape waits for those that are known by then.
const PROMPT_BYTES: usize = 1024 * 1024;

/// Facts that are no longer true are shown for this long at most. Timers are late by more where the machine was suspended.
const MAX_LATE: Duration = Duration::from_secs(10);

/// A scrape waits for newer facts for this long, and is then answered with those that there are.
const PATIENCE: Duration = Duration::from_secs(2);

/// Plain text is kept ready for this long after it was asked for.
const TEXT_KEPT: Duration = Duration::from_mins(10);

/// Tells the time; a test has its own.
pub type Clock = Arc<dyn Fn() -> Moment + Send + Sync>;

/// Answers scrapes.
#[derive(Clone)]
pub struct Exposition {
    pub(super) publisher: Publisher,
    pub(super) rendered: watch::Receiver<Arc<Rendering>>,
    pub(super) wishes: Arc<Wishes>,
    pub(super) clock: Clock,
}

/// What scrapes want of the renderer.
#[derive(Default)]
pub(super) struct Wishes {
    /// Newer facts, at once.
    pub newer: Notify,
    text: Mutex<Option<Moment>>,
}

/// The answer to one scrape.
pub struct Scrape {
    events: Vec<u8>,
    facts: Arc<Rendering>,
}

impl Exposition {
    /// Takes events as they are now, and facts that are not older than those where they are rendered quickly; large ones are as
    /// they were rendered last.
    pub async fn scrape(&self, events: &Events, config: ConfigFacts) -> prometheus::Result<Scrape> {
        let facts = self.facts().await;
        // Last, so that whatever the facts tell of was counted by then.
        let events = event_text(events.gather(), &facts.portals, config)?;
        Ok(Scrape { events, facts })
    }

    /// Says that somebody reads plain text, so that it is there the next time.
    pub fn wish_text(&self) {
        self.wishes.want_text((self.clock)());
    }

    async fn facts(&self) -> Arc<Rendering> {
        let (asked, snapshot) = ((self.clock)(), self.publisher.current());
        let will_do = |facts: &Arc<Rendering>| {
            facts.at.steady >= asked.steady || serves(facts, &snapshot, asked)
        };
        let mut rendered = self.rendered.clone();
        let there = will_do(&rendered.borrow());
        if !there {
            self.wishes.newer.notify_one();
            // Whatever there is then is shown: that is late, or the process is about to end.
            let _ = timeout(PATIENCE, rendered.wait_for(will_do)).await;
        }
        rendered.borrow().clone()
    }
}

/// Whether facts may be shown that were rendered before they were asked for.
fn serves(facts: &Rendering, snapshot: &Arc<Snapshot>, asked: Moment) -> bool {
    let true_until = facts
        .lasts
        .map_or(Duration::MAX, |lasts| lasts.saturating_add(MAX_LATE));
    let late = asked.since(facts.at) > true_until;
    let large = facts.deflated.text_len() > PROMPT_BYTES;
    !late && (large || facts.is_of(snapshot))
}

impl Wishes {
    /// Whether plain text was asked for lately.
    pub fn wants_text(&self, now: Moment) -> bool {
        let asked = *self.text.lock().unwrap_or_else(PoisonError::into_inner);
        asked.is_some_and(|asked| now.since(asked) <= TEXT_KEPT)
    }

    fn want_text(&self, now: Moment) {
        *self.text.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
    }
}

impl Scrape {
    /// The plain text, in pieces.
    pub async fn plain(self) -> io::Result<Vec<Bytes>> {
        Ok(vec![self.events.into(), self.facts.text().await?])
    }

    /// The same as one gzip member, in pieces. Only the events are compressed.
    pub fn gzip(&self) -> io::Result<Vec<Bytes>> {
        Ok(Beginning::of(&self.events)?
            .then(&self.facts.deflated)
            .into())
    }
}

/// The text of the families that are no facts, in the order of their names, without portals that the facts do not know.
pub(super) fn event_text(
    mut families: Vec<MetricFamily>,
    portals: &[PortalName],
    config: ConfigFacts,
) -> prometheus::Result<Vec<u8>> {
    events::keep_portals(&mut families, portals);
    families.extend(config_families(config));
    families.sort_by(|a, b| a.name().cmp(b.name()));
    let mut text = Vec::new();
    TextEncoder::new().encode(&families, &mut text)?;
    Ok(text)
}

fn config_families(config: ConfigFacts) -> [MetricFamily; 3] {
    let successful = flag(config.reload_successful);
    let loaded = config.loaded.as_seconds();
    [
        single(&catalogue::CONFIG_RELOAD_SUCCESSFUL, &[], successful),
        single(&catalogue::CONFIG_RELOAD_TIMESTAMP, &[], loaded),
        single(&catalogue::SHARD_INFO, &["0", "1", "private"], 1.0),
    ]
}
