//! Where the program stores its state.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::config::error::Fault;
use crate::config::form::{FilePath, Form as _};

/// Where the program stores its state across restarts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// In this folder.
    Path(PathBuf),
    /// In a private temporary folder that goes with the process: `demo` and the start without a file.
    Temporary,
}

impl Default for State {
    fn default() -> Self {
        Self::Path(StateKeys::default().path)
    }
}

/// Where the program stores its state across restarts.
#[derive(Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct StateKeys {
    /// The folder of the counters and the ledger
    #[serde(with = "FilePath")]
    path: PathBuf,
    /// Instead of `path`, when several processes share the ledger; not available in this version
    #[serde(with = "FilePath")]
    #[schemars(example = &"/run/secrets/kb-db")]
    postgres_url_file: Option<PathBuf>,
}

impl Default for StateKeys {
    fn default() -> Self {
        Self {
            path: PathBuf::from("/var/lib/kb-exporter"),
            postgres_url_file: None,
        }
    }
}

impl StateKeys {
    /// The state. What this version cannot do is an error, never ignored.
    pub(super) fn check(self) -> Result<State, Fault> {
        if self.postgres_url_file.is_some() {
            let advice = "is not available in this version: leave it out";
            return Err(Fault::about("state.postgres_url_file", advice));
        }
        Ok(State::Path(self.path))
    }
}
