//! The configuration.
//!
//! A file ([`Config::from_file`]) is read and checked as a whole before anything is started. Without a file one portal comes from
//! the environment ([`Config::from_environment`]). No API key is ever part of a configuration, only where it is found.
//!
//! Each key of the file is a field with a doc comment and a default; module `value` has how values are written. [`json_schema`] derives the rest from these.

mod address;
mod collect;
mod environment;
mod errors;
mod folders;
mod path;
mod portal;
pub(crate) mod read;
mod reindex;
mod schedule;
mod state;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod value;
mod warnings;

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

pub(crate) use address::http_url;
pub use address::{BaseUrl, Proxy, WebUrl};
pub use collect::{Collect, Rate, Request, Strategy};
pub use errors::Errors;
pub use folders::{FolderFilter, FolderPattern};
pub use path::{FileError, HiddenPath, VariableName};
pub use portal::{ClientCertificate, KeySource, Portal};
pub use read::ConfigError;
pub use reindex::{Budget, Mode, Reindex, ReindexOverride, ReindexRules};
pub use schedule::{CronLine, Schedule, Window};
pub use state::{SharedState, State};

use portal::PortalKeys;
use state::StateKeys;
use value::section;

/// A configuration with comments that shows every section.
pub const EXAMPLE: &str = include_str!("../docs/example.yml");

/// The configuration of kb-exporter.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "kb-exporter configuration")]
pub struct Config {
    /// The portals to watch
    #[serde(deserialize_with = "portals")]
    #[schemars(with = "Vec<PortalKeys>", length(min = 1))]
    pub portals: Vec<Portal>,
    /// When and how the folders are read
    #[serde(default, deserialize_with = "section")]
    #[schemars(with = "Option<Collect>")]
    pub collect: Collect,
    /// Limits of a single request
    #[serde(default, deserialize_with = "section")]
    #[schemars(with = "Option<Request>")]
    pub request: Request,
    /// How reasons are grouped into classes
    #[serde(default, deserialize_with = "section")]
    #[schemars(with = "Option<Errors>")]
    pub errors: Errors,
    /// When failed files are sent to be processed again
    #[serde(default, deserialize_with = "section")]
    #[schemars(with = "Option<Reindex>")]
    pub reindex: Reindex,
    /// Where the program stores its state across restarts
    #[serde(default, deserialize_with = "section")]
    #[schemars(with = "Option<StateKeys>")]
    pub state: State,
}

impl Config {
    /// Reads and checks a configuration file.
    pub fn from_file(path: &Path) -> Result<Self, ConfigError> {
        Self::from_yaml(&path.display().to_string(), read::bytes_of(path)?)
    }

    /// Checks a configuration that is already in memory, and need not be text; `file` is what errors call it.
    pub fn from_yaml(file: &str, text: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        read::yaml(file, text.as_ref())
    }

    /// One portal with the defaults everywhere else and a temporary state.
    pub fn for_portal(portal: Portal) -> Self {
        Self {
            portals: vec![portal],
            collect: Collect::default(),
            request: Request::default(),
            errors: Errors::default(),
            reindex: Reindex::default(),
            state: State::Temporary,
        }
    }
}

/// Reads the portals: at least one, each under a name of its own.
fn portals<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Portal>, D::Error> {
    let portals = Vec::<Portal>::deserialize(deserializer)?;
    let mut names = BTreeMap::new();
    for (index, portal) in portals.iter().enumerate() {
        if let Some(first) = names.insert(&portal.name, index) {
            return Err(D::Error::custom(format!(
                "portals[{first}] and portals[{index}] have the same name; each portal needs a name of its own"
            )));
        }
    }
    if portals.is_empty() {
        return Err(D::Error::custom(
            "at least one portal is needed, with name, base_url and api_key_file or api_key_env",
        ));
    }
    Ok(portals)
}

/// The JSON schema of the configuration file, for editors: derived from the types that read it.
pub fn json_schema() -> Json {
    read::schema_of::<Config>()
}

#[cfg(test)]
mod tests;
