//! Where the state lives.

use std::path::Path;

use anyhow::{Context, Result};
use tempfile::TempDir;
use tracing::{error, info};

use crate::config::State;
use crate::state::{Saved, Store};

/// Holds a temporary state folder until the process ends.
pub(super) struct StateFolder(
    #[expect(dead_code, reason = "removes the folder when dropped")] Option<TempDir>,
);

impl StateFolder {
    /// Opens the state. One that cannot be used is said and served without; a temporary folder that cannot be made is an error.
    pub fn open(state: &State) -> Result<(Self, Store, Saved)> {
        match state {
            State::Path(path) => {
                let (store, saved) = open(path);
                Ok((Self(None), store, saved))
            }
            State::Temporary => {
                let folder = tempfile::Builder::new().prefix("kb-exporter-").tempdir();
                let folder = folder.context("no temporary folder for the state can be made")?;
                info!(path = %folder.path().display(), "state is kept in a temporary folder and lost at the end; set state.path to keep it");
                let (store, saved) = open(folder.path());
                Ok((Self(Some(folder)), store, saved))
            }
        }
    }
}

fn open(path: &Path) -> (Store, Saved) {
    let (store, saved, failed) = Store::open(path);
    if let Some(failed) = failed {
        error!(error = %failed, "state cannot be used; counters of entries start at 0 and stand still until the next start");
    }
    (store, saved)
}
