//! Where the state and the ledger live.

use std::path::Path;

use anyhow::{Context, Result};
use tempfile::TempDir;
use tracing::{error, info};

use crate::config::{Config, State};
use crate::ledger::{Addresses, Ledger, LedgerError};
use crate::model::Shard;
use crate::state::{Saved, Store};

/// An open state folder. A temporary one is removed when this is dropped.
pub(super) struct OpenState {
    /// What can be rebuilt.
    pub store: Store,
    /// The attempts at reindexing.
    pub ledger: Ledger,
    _temporary: Option<TempDir>,
}

impl OpenState {
    /// Opens the state and the ledger. What cannot be used is logged, and the process runs without it; a temporary
    /// folder that cannot be made is an error. What a server has is read later.
    pub fn open(config: &Config, shard: Shard) -> Result<(Self, Option<Saved>)> {
        let addresses = config.addresses();
        match &config.state {
            State::Path(path) => Ok(open(path, addresses, None)),
            State::Postgres(server) => {
                let open = Self {
                    store: Store::on_server(&server.url_file),
                    ledger: Ledger::on_server(&server.url_file, shard, server.lease),
                    _temporary: None,
                };
                Ok((open, None))
            }
            State::Temporary => {
                let folder = tempfile::Builder::new().prefix("kb-exporter-").tempdir();
                let folder = folder.context("no temporary folder for the state can be made")?;
                info!(path = %folder.path().display(), "state is stored in a temporary folder and deleted at the end; set state.path to keep it");
                let path = folder.path().to_owned();
                Ok(open(&path, addresses, Some(folder)))
            }
        }
    }
}

fn open(
    path: &Path,
    addresses: Addresses,
    temporary: Option<TempDir>,
) -> (OpenState, Option<Saved>) {
    let (store, saved, failed) = Store::open(path);
    let (ledger, refused) = match failed {
        None => Ledger::open(path, addresses),
        Some(failed) => {
            error!(error = %failed, "state cannot be used; counters of entries start at 0 and stand still until the next start");
            let why = failed.to_string();
            let refused = LedgerError::NoFolder { why };
            (Ledger::refused(refused.clone()), Some(refused))
        }
    };
    if let Some(refused) = refused {
        error!(error = %refused, "nothing is reindexed until the ledger can be used");
    }
    let open = OpenState {
        store,
        ledger,
        _temporary: temporary,
    };
    (open, Some(saved))
}
