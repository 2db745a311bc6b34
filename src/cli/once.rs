//! Parts of the commands that ask the portals once and end.

use anyhow::{Context, Result};
use tokio::runtime::{Builder, Runtime};

/// A runtime on this thread alone: a single pass is bound by the network, and more threads only cost.
pub(super) fn runtime() -> Result<Runtime> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")
}
