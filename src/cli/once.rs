//! Parts of the commands that collect once.

use anyhow::{Context, Result};
use tokio::runtime::{Builder, Runtime};

/// A runtime on this thread alone: a single collection is limited by the network, so more threads would not help.
pub(super) fn runtime() -> Result<Runtime> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")
}
