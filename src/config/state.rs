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
    /// The folder to or from which everything can be copied; otherwise it is not used.
    pub path: PathBuf,
    /// How long a process may reindex without renewing its right to.
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
    /// The file that has the URL of a PostgreSQL database, in which several processes share the state; instead of `path`
    #[serde(with = "FilePath")]
    #[schemars(example = &"/run/secrets/kb-db")]
    postgres_url_file: Option<PathBuf>,
    /// With PostgreSQL: after this time without an answer of a process, another one may reindex in its place
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
                path: self.path,
                lease: self.lease,
            }),
            None => State::Path(self.path),
        }
    }
}
