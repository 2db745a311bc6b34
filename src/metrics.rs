//! The exposition: facts from the snapshot, and events of this process.
//!
//! ```text
//! Facts + Events ─scrape→ families → text → pieces → gzip → client
//! ```
//!
//! A scrape shows the newest snapshot as it is at that moment: counts that are too old are left out then.

mod events;
pub mod families;
mod family;
mod process;
mod samples;
mod scrape;

pub use events::{Events, PortalEvents};
pub use families::view::{ConfigFacts, Facts, WebConfigFacts};
pub use process::Process;
pub use scrape::scrape;

/// The content type of the exposition.
pub const CONTENT_TYPE: &str = prometheus::TEXT_FORMAT;

/// Renders the exposition once, in the text format 0.0.4.
pub fn render(events: &Events, facts: &Facts) -> prometheus::Result<Vec<u8>> {
    let mut text = events_of(events, facts)?;
    families::write(&mut text, facts)?;
    Ok(text)
}

/// The events of the portals that are shown.
fn events_of(events: &Events, facts: &Facts) -> prometheus::Result<Vec<u8>> {
    let portals = facts.snapshot.shown().map(|portal| portal.name.as_str());
    events.text(&portals.collect::<Vec<_>>())
}
