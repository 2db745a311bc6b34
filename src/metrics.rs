//! The exposition: facts from the snapshot, and events of this process.
//!
//! ```text
//! Arc<Snapshot> + Events ─scrape→ families → text → pieces → gzip → client
//! ```
//!
//! A scrape shows the newest snapshot as it is at that moment: counts that are too old are left out then.

mod events;
pub mod families;
mod family;
mod process;
mod samples;
mod scrape;

use crate::clock::Moment;
use crate::snapshot::Snapshot;

pub use events::{ConfigFacts, Events, PortalEvents, WebConfigFacts};
pub use scrape::scrape;

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
    let mut text = events_of(snapshot, events, config)?;
    families::write(&mut text, snapshot, now)?;
    Ok(text)
}

/// The events of the portals that are shown.
fn events_of(
    snapshot: &Snapshot,
    events: &Events,
    config: ConfigFacts,
) -> prometheus::Result<Vec<u8>> {
    let portals = snapshot.shown().map(|portal| portal.name.clone());
    events.text(&portals.collect::<Vec<_>>(), config)
}
