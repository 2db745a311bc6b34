//! Parts of the commands that collect once.

use std::sync::Arc;

use anyhow::{Context, Result};
use tokio::runtime::{Builder, Runtime};

use crate::config::{Config, Portal};
use crate::portal::{Client, PortalError, Session, Throttles, Unobserved};

/// A runtime on this thread alone: a single collection is limited by the network, so more threads would not help.
pub(super) fn runtime() -> Result<Runtime> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")
}

/// A session with a portal, whose requests nobody observes.
pub(super) async fn session(
    config: &Config,
    portal: &Portal,
    throttles: &Throttles,
) -> Result<Session, PortalError> {
    let (collect, request) = (&config.collect, &config.request);
    let client = Client::new(portal, collect, request, Arc::new(Unobserved), throttles);
    Session::open(&client).await
}
