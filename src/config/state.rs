//! Where the program stores its state.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::config::form::{DurationFrom, FilePath, Form as _, SECOND, ShownPath};
use crate::config::hidden::HiddenPath;

/// Where the program stores its state across restarts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// In this folder.
    Path(PathBuf),
    /// In PostgreSQL, which several processes share.
    Postgres(SharedState),
    /// In a private temporary folder that goes with the process: `demo` and the start without a file.
    Temporary,
}

/// State that several processes share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedState {
    /// The file that has the URL of the database.
    pub url_file: HiddenPath,
    /// How long a process reads a portal for which it has stored nothing since.
    pub lease: Duration,
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
    /// The folder of the counters and the ledger. Not used with `postgres_url_file`
    #[serde(with = "ShownPath")]
    path: PathBuf,
    /// The file that has the URL of a PostgreSQL database, instead of `path`: one of several processes reads each portal, the others wait
    #[serde(with = "FilePath")]
    #[schemars(example = &"/run/secrets/kb-db")]
    postgres_url_file: Option<PathBuf>,
    /// With PostgreSQL: how long a process that stopped keeps the others waiting
    #[serde(with = "DurationFrom::<{ 2 * SECOND }>")]
    lease: Duration,
}

impl Default for StateKeys {
    fn default() -> Self {
        Self {
            path: PathBuf::from("/var/lib/kb-exporter"),
            postgres_url_file: None,
            lease: Duration::from_secs(30),
        }
    }
}

impl StateKeys {
    pub(super) fn check(self) -> State {
        match self.postgres_url_file {
            Some(url_file) => State::Postgres(SharedState {
                url_file: HiddenPath::file("state.postgres_url_file", url_file),
                lease: self.lease,
            }),
            None => State::Path(self.path),
        }
    }
}
