//! The exposition: facts from the snapshot, events from this process.
//!
//! ```text
//! Arc<Snapshot> ─watch→ Renderer: facts → deflated text → Arc<Rendering> ─watch→ Exposition
//!                                                                                     │ + Events
//!                                                                      scrape → Scrape: plain or gzip
//! ```
//!
//! Facts are many and change when a snapshot is published: they are rendered then, in the background. Events are few and change all the
//! time: each scrape renders them, and puts them before the facts without compressing the facts again.

mod ageing;
mod events;
mod exposition;
pub mod families;
mod family;
mod gzip;
mod process;
mod renderer;
mod samples;
#[cfg(test)]
mod tests;

use crate::clock::Moment;
use crate::snapshot::Snapshot;

pub use events::{ConfigFacts, Events, PortalEvents, WebConfigFacts};
pub use exposition::{Clock, Exposition, Scrape};
pub use renderer::{RenderError, Renderer};

/// The content type of the exposition.
pub const CONTENT_TYPE: &str = prometheus::TEXT_FORMAT;

/// Renders the exposition once, in the text format 0.0.4, without the metrics of the process: it has ended when they are read, and
/// `node_exporter` has metrics of the same names itself.
pub fn render(
    events: &Events,
    config: ConfigFacts,
    snapshot: &Snapshot,
    now: Moment,
) -> prometheus::Result<Vec<u8>> {
    let portals = snapshot
        .portals
        .iter()
        .filter(|portal| portal.holder().is_none());
    let portals: Vec<_> = portals.map(|portal| portal.name.clone()).collect();
    let mut text = events.text(&portals, config)?;
    families::write(&mut text, snapshot, now)?;
    Ok(text)
}
