//! The configuration.
//!
//! A file ([`Config::from_file`]) is read and checked as a whole before anything is started. Without a file one portal comes from
//! the environment ([`Config::from_environment`]). No API key is ever part of a configuration, only where it is found.
//!
//! Each key of the file is a field with a doc comment and a default; module `value` has how values are written. [`json_schema`] derives the rest from these.

mod address;
mod collect;
mod document;
mod environment;
pub(crate) mod error;
mod errors;
mod folders;
mod hidden;
pub(crate) mod keys;
mod path;
mod portal;
pub(crate) mod read;
mod reindex;
mod schedule;
mod state;
pub(crate) mod value;
mod warnings;

use std::path::Path;

use serde_json::Value as Json;

pub(crate) use address::http_url;
pub use address::{BaseUrl, Proxy, WebUrl};
pub use collect::{Collect, Rate, Request, Strategy};
pub use document::Config;
pub use error::ConfigError;
pub use errors::Errors;
pub use folders::{FolderFilter, FolderPattern};
pub use hidden::{FileError, Hidden, HiddenPath};
pub use portal::{ClientCertificate, KeySource, Portal};
pub(crate) use reindex::nearest;
pub use reindex::{Budget, Mode, Reindex, ReindexOverride, ReindexRules};
pub use schedule::{CronLine, Schedule, Window};
pub use state::{SharedState, State};

/// The JSON schema of the configuration file, for editors: derived from the types that read it.
pub fn json_schema() -> Json {
    keys::schema_of::<Config>()
}

/// A configuration with comments that shows every section.
pub const EXAMPLE: &str = include_str!("../docs/example.yml");

impl Config {
    /// Reads and checks a configuration file.
    pub fn from_file(path: &Path) -> Result<Self, ConfigError> {
        Self::from_yaml(&path.display().to_string(), read::bytes_of(path)?)
    }

    /// Checks a configuration that is already in memory, and need not be text; `file` is what errors call it.
    pub fn from_yaml(file: &str, text: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        read::yaml(file, text.as_ref())
    }

    /// Takes one portal from the environment (docs/configuration.md, Environment); all else has its default. A variable that is empty
    /// counts as not set.
    pub fn from_environment(
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        environment::config(&variable)
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

    /// The configuration in use, for people, without the values that messages hide.
    pub fn shown(&self) -> Json {
        let mut config = self.clone();
        let collect = &mut config.collect;
        if let Schedule::Every(interval) = collect.schedule {
            let longest = Schedule::longest_jitter(interval);
            collect.jitter = collect.jitter.min(longest);
        }
        serde_json::to_value(config).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
