//! The reindex ledger: the log of events of each portal, and who may add to it.
//!
//! The intent of an attempt is on disk before its request is sent, so a crash at any point leaves the attempt charged. An event has the number
//! after the last one, and is added only if that is still the last one: whoever decided on an older log is refused, and decides again.
//!
//! ```text
//! LedgerView ─Event→ does it fit? ─append (commit)→ disk ─apply→ what everybody sees
//! ```
//!
//! A portal is known by its address, so that entries of the configuration with one base URL share its limits, and a new name
//! forgets nothing.
//!
//! While the database cannot be used, it stays as it is, every change is refused with the reason, and it is tried again.

mod commands;
mod copy;
mod error;
mod follow;
mod leases;
pub(super) mod log;
mod portal;
mod views;
mod writer;

use std::time::Duration;

use crate::model::{PortalAddress, Shard};
use crate::store::clock::StoreClock;
use crate::store::place::Place;
use crate::store::worker::Worker;

use leases::Leases;
use views::Views;
use writer::Writer;

pub use commands::{Entry, forgive, history, views};
pub use error::LedgerError;
pub use leases::{Peers, Standing};
pub use portal::PortalLedger;

/// A handle to the ledger. Cheap to clone; the database is closed by [`Self::close`], or when the last handle, and the last portal's, is
/// dropped.
#[derive(Debug, Clone)]
pub struct Ledger {
    views: Views,
    clock: StoreClock,
    writer: Worker<Writer>,
    /// Where other processes share the ledger.
    leases: Option<Leases>,
}

impl Ledger {
    /// The ledger in a folder, which one process has.
    pub fn in_folder(place: Place) -> Self {
        Self::new(place, None)
    }

    /// The ledger in PostgreSQL. One process of each shard may act: the one that has the lease, which lasts so long. Processes that watch a
    /// portal by other rules have another digest of them.
    pub fn shared(place: Place, shard: Shard, lease: Duration) -> Self {
        Self::new(place, Some(Leases::new(shard, lease)))
    }

    fn new(place: Place, leases: Option<Leases>) -> Self {
        let views = Views::default();
        let writer = Writer::new(place, views.clone(), leases.clone());
        Self {
            views,
            clock: writer.clock(),
            leases,
            writer: Worker::start(writer),
        }
    }

    /// Whether other processes use the ledger as well.
    pub const fn is_shared(&self) -> bool {
        self.leases.is_some()
    }

    /// The ledger of one portal. Nothing is known before [`PortalLedger::follow`].
    pub fn portal(&self, portal: &PortalAddress) -> PortalLedger {
        PortalLedger::new(portal.clone(), self.clone())
    }

    /// Closes the database after all earlier changes are written. From then on every change is refused.
    pub async fn close(&self) {
        // Where the thread has ended, it is closed.
        let _ = self.writer.run(async |writer| writer.end().await).await;
    }
}

#[cfg(test)]
mod tests;
