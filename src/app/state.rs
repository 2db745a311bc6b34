//! Where the state lives.

use anyhow::{Context, Result};
use tempfile::TempDir;
use tracing::info;

use crate::config::State;
use crate::store::{Place, Store};

/// In a folder there is no lease but the lock of the folder.
const NO_LEASE: std::time::Duration = std::time::Duration::MAX;

/// The state. A temporary folder is removed when this is dropped.
pub(super) struct OpenState {
    pub store: Store,
    _temporary: Option<TempDir>,
}

impl OpenState {
    /// Takes the place of the state into use. A folder that is in use is waited for, and so is a server; a folder that cannot be used is an error.
    pub async fn open(state: &State) -> Result<Self> {
        let (place, length, temporary) = match state {
            State::Path(path) => (Place::folder(path), NO_LEASE, None),
            State::Postgres(server) => {
                let place = Place::Server(server.url_file.clone());
                (place, server.lease, None)
            }
            State::Temporary => {
                let folder = tempfile::Builder::new().prefix("kb-exporter-").tempdir();
                let folder = folder.context("no temporary folder for the state can be made")?;
                info!(path = %folder.path().display(), "state is stored in a temporary folder and deleted at the end; set state.path to keep it");
                (Place::folder(folder.path()), NO_LEASE, Some(folder))
            }
        };
        let store = Store::open(place, length).await;
        Ok(Self {
            store: store.context("the state cannot be used")?,
            _temporary: temporary,
        })
    }
}
