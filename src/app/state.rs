//! Where the state and the ledger live.

use anyhow::{Context, Result};
use tempfile::TempDir;
use tracing::info;

use crate::config::{Config, State};
use crate::store::ledger::Ledger;
use crate::store::{Access, Documents, Place, StateFolder};

/// The state and the ledger. A temporary folder is removed when this is dropped.
pub(super) struct OpenState {
    pub documents: Documents,
    pub ledger: Ledger,
    _temporary: Option<TempDir>,
}

impl OpenState {
    /// Takes the place of state and ledger into use. What cannot be used yet is tried again; a temporary folder that cannot be made is an
    /// error.
    pub fn open(config: &Config) -> Result<Self> {
        match &config.state {
            State::Path(path) => Ok(Self::in_folder(StateFolder::new(path), None)),
            State::Postgres(server) => Ok(Self {
                documents: Documents::open(Place::Server(server.url_file.clone()), Access::Serve),
                ledger: Ledger::shared(Place::Server(server.url_file.clone()), server.lease),
                _temporary: None,
            }),
            State::Temporary => {
                let folder = tempfile::Builder::new().prefix("kb-exporter-").tempdir();
                let temporary = folder.context("no temporary folder for the state can be made")?;
                info!(path = %temporary.path().display(), "state is stored in a temporary folder and deleted at the end; set state.path to keep it");
                let folder = StateFolder::new(temporary.path());
                Ok(Self::in_folder(folder, Some(temporary)))
            }
        }
    }

    fn in_folder(folder: StateFolder, temporary: Option<TempDir>) -> Self {
        let place = Place::Folder(folder);
        Self {
            documents: Documents::open(place.clone(), Access::Serve),
            ledger: Ledger::in_folder(place),
            _temporary: temporary,
        }
    }
}
