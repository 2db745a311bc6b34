//! Parts of the commands that ask the portals once and end.

use std::sync::Arc;

use anyhow::{Context, Result};
use tokio::runtime::{Builder, Runtime};

use crate::health;
use crate::model::Moment;
use crate::snapshot::{PortalView, Snapshot};

/// A runtime on this thread alone: a single pass is bound by the network, and more threads only cost.
pub(super) fn runtime() -> Result<Runtime> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")
}

/// The notes of a portal as a whole, without those of its folders.
pub(super) fn notes(portal: &PortalView) -> Vec<String> {
    let alone = Snapshot {
        portals: vec![Arc::new(portal.clone())],
        ..Snapshot::default()
    };
    let judged = health::judge(&alone, Moment::now()).portals;
    judged.into_iter().flat_map(|portal| portal.notes).collect()
}
