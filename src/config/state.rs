//! Where the program stores its state.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::config::hidden::HiddenPath;
use crate::config::path::{NOT_SHOWN, SecretPath, ShownPath};
use crate::config::value::{SECOND, Span, short};

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
        Self::Path(StateKeys::default().path.0)
    }
}

/// Where the program stores its state across restarts.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct StateKeys {
    /// The folder of the counters and the ledger. Not used with `postgres_url_file`
    path: ShownPath,
    /// The file that has the URL of a PostgreSQL database, instead of `path`: one of several processes reads each portal, the others wait
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SecretPath", example = &"/run/secrets/kb-db")]
    postgres_url_file: Option<SecretPath>,
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

impl<'de> Deserialize<'de> for State {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let keys = StateKeys::deserialize(deserializer)?;
        Ok(match keys.postgres_url_file {
            Some(url_file) => Self::Postgres(SharedState {
                url_file: HiddenPath::file("state.postgres_url_file", url_file.0),
                lease: keys.lease,
            }),
            None => Self::Path(keys.path.0),
        })
    }
}

impl Serialize for State {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (key, value) = match self {
            Self::Path(path) => ("path", path.display().to_string()),
            Self::Temporary => ("path", "a temporary folder".to_owned()),
            Self::Postgres(_) => ("postgres_url_file", NOT_SHOWN.to_owned()),
        };
        let lease = match self {
            Self::Postgres(shared) => Some(("lease", short(shared.lease))),
            Self::Path(_) | Self::Temporary => None,
        };
        serializer.collect_map([(key, value)].into_iter().chain(lease))
    }
}
