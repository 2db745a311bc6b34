//! The exposition: facts from the snapshot, events from this process.
//!
//! ```text
//! Arc<Snapshot> ─watch→ Renderer: facts → text → deflate → Arc<Rendering> ─watch→ Exposition
//!                                                                                       │ + Events
//!                                                                        scrape → Scrape: plain or gzip
//! ```
//!
//! Facts are many and change when something is published: they are rendered then, in the background, and not when they are
//! scraped. Events are few and change all the time: each scrape renders them anew, before the facts, and joins both without
//! compressing the facts again.

mod ageing;
pub mod catalogue;
mod events;
mod exposition;
mod facts;
mod gzip;
mod renderer;
mod rendering;
#[cfg(test)]
mod tests;
mod writer;

use crate::model::{Moment, Timestamp};
use crate::snapshot::Snapshot;

pub use events::{Events, PortalEvents};
pub use exposition::{Clock, Exposition, Scrape};
pub use renderer::{RenderError, Renderer};

use exposition::event_text;

/// The content type of the exposition.
pub const CONTENT_TYPE: &str = prometheus::TEXT_FORMAT;

/// How the configuration in use came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfigFacts {
    /// Whether the last attempt to load one was successful.
    pub reload_successful: bool,
    /// When the one in use was loaded.
    pub loaded: Timestamp,
}

/// Writes the exposition, text format 0.0.4, without keeping anything of it: for whom it is wanted once.
pub fn render(
    events: &Events,
    config: ConfigFacts,
    snapshot: &Snapshot,
    now: Moment,
) -> prometheus::Result<Vec<u8>> {
    let portals = snapshot.portals.iter();
    let portals: Vec<_> = portals.map(|portal| portal.name.clone()).collect();
    let mut text = event_text(events.gather(), &portals, config)?;
    facts::write(&mut text, snapshot, now)?;
    Ok(text)
}
