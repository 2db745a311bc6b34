//! Where the program stores its state.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::path::{HiddenPath, ShownPath};
use crate::config::value::{SECOND, Span};

/// Where the program stores its state across restarts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(from = "StateKeys", rename_all = "lowercase")]
pub enum State {
    /// In this folder.
    Path(PathBuf),
    /// In a private temporary folder that goes with the process: `demo` and the start without a file.
    #[serde(rename = "a temporary folder")]
    Temporary,
    /// In PostgreSQL, which several processes share.
    #[serde(untagged)]
    Postgres(SharedState),
}

/// State that several processes share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SharedState {
    /// The file that has the URL of the database.
    #[serde(rename = "postgres_url_file")]
    pub url_file: HiddenPath,
    /// How long a process reads a portal for which it has stored nothing since.
    #[serde(serialize_with = "Span::<0>::serialize")]
    pub lease: Duration,
}

impl Default for State {
    fn default() -> Self {
        StateKeys::default().into()
    }
}

/// Where the program stores its state across restarts.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct StateKeys {
    /// The folder of the counters and the ledger. Not used with `postgres_url_file`
    path: ShownPath,
    /// The file that has the URL of a PostgreSQL database, instead of `path`: one of several processes reads each portal, the others wait
    #[serde(skip_serializing)]
    #[schemars(example = &"/run/secrets/kb-db")]
    postgres_url_file: Option<HiddenPath>,
    /// With PostgreSQL: how long a process that stopped keeps the others waiting
    #[serde(with = "Span::<{ 2 * SECOND }>")]
    lease: Duration,
}

impl Default for StateKeys {
    fn default() -> Self {
        Self {
            path: ShownPath(PathBuf::from("/var/lib/kb-exporter")),
            postgres_url_file: None,
            lease: Duration::from_secs(30),
        }
    }
}

impl From<StateKeys> for State {
    fn from(keys: StateKeys) -> Self {
        match keys.postgres_url_file {
            Some(file) => Self::Postgres(SharedState {
                url_file: file.of("state.postgres_url_file"),
                lease: keys.lease,
            }),
            None => Self::Path(keys.path.0),
        }
    }
}
