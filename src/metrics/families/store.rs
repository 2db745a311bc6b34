//! The family of the stores: the state and the ledger.

use crate::metrics::family::families;
use crate::metrics::samples::{Samples, flag};
use crate::snapshot::{Snapshot, Writes};

families! {
    WRITABLE: Gauge "kb_state_writable" &["store"], Snapshot(writable),
        "Whether writes to the store (state or ledger) succeed.";
}

/// A store is written in each collection of each portal. It is writable while no portal has something that could not be written.
fn writable(snapshot: &Snapshot, samples: &mut Samples<'_>) {
    let portals = || snapshot.portals.iter();
    let state = portals().filter(|portal| portal.state_writes != Writes::Off);
    let state = state.map(|portal| portal.state_writes.refusal().is_none());
    let ledger = portals().filter_map(|portal| snapshot.reindex.get(&portal.name));
    let ledger = ledger.map(|view| view.refusal().is_none());
    let both = |all: bool, one: bool| all && one;
    for (store, writable) in [
        ("state", state.reduce(both)),
        ("ledger", ledger.reduce(both)),
    ] {
        if let Some(writable) = writable {
            samples.add(&[store], flag(writable));
        }
    }
}
