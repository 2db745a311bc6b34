//! The exposition: facts from the snapshot, events from this process.

pub mod catalogue;
mod events;
mod facts;
mod reindex;
mod samples;

use prometheus::{Encoder, TextEncoder};

use crate::model::{Moment, Timestamp};
use crate::snapshot::Snapshot;

pub use events::{Events, PortalEvents};

use samples::Samples;

/// The content type of [`render`].
pub const CONTENT_TYPE: &str = prometheus::TEXT_FORMAT;

/// How the configuration in use came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfigFacts {
    /// Whether the last attempt to load one was successful.
    pub reload_successful: bool,
    /// When the one in use was loaded.
    pub loaded: Timestamp,
}

/// Writes the exposition, text format 0.0.4.
pub fn render(
    events: &Events,
    config: ConfigFacts,
    snapshot: &Snapshot,
    now: Moment,
) -> prometheus::Result<Vec<u8>> {
    let mut samples = Samples::default();
    add_exporter(&mut samples, config);
    facts::add(&mut samples, snapshot, now);
    let mut families = events.of_portals(snapshot);
    families.extend(samples.families());
    let mut text = Vec::new();
    TextEncoder::new().encode(&families, &mut text)?;
    Ok(text)
}

fn add_exporter(samples: &mut Samples, config: ConfigFacts) {
    let successful = f64::from(u8::from(config.reload_successful));
    samples.add(&catalogue::CONFIG_RELOAD_SUCCESSFUL, &[], successful);
    let loaded = config.loaded.as_seconds();
    samples.add(&catalogue::CONFIG_RELOAD_TIMESTAMP, &[], loaded);
    samples.add(&catalogue::SHARD_INFO, &["0", "1", "private"], 1.0);
}
