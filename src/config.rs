//! The configuration.
//!
//! A file ([`Config::from_file`]) is read and checked as a whole before anything is started. Without a file one portal comes from
//! the environment ([`Config::from_environment`]). No API key is ever part of a configuration, only where it is found.
//!
//! Each key of the file is a field with a doc comment, a form (module `form`) and a default. [`json_schema`] derives the rest from these.

mod address;
mod collect;
mod document;
mod environment;
pub(crate) mod error;
mod errors;
mod folders;
pub(crate) mod form;
mod hidden;
mod key;
pub(crate) mod keys;
mod node;
mod portal;
mod read;
mod reindex;
mod schedule;
mod shown;
mod state;
mod warnings;
pub(crate) mod yaml;

use std::path::Path;
use std::sync::Arc;

use serde_json::Value as Json;

use self::document::Document;
use self::error::Fault;
use self::node::Node;

pub(crate) use address::http_url;
pub use address::{BaseUrl, Proxy, WebUrl};
pub use collect::{Collect, Rate, Request, Strategy};
pub use error::ConfigError;
pub use errors::Errors;
pub use folders::{FolderFilter, FolderPattern};
pub use hidden::{FileError, Hidden, HiddenPath};
pub use key::KeySource;
pub use portal::{ClientCertificate, Portal};
pub(crate) use reindex::nearest;
pub use reindex::{Budget, Mode, Reindex, ReindexOverride, ReindexRules};
pub use schedule::{CronLine, Schedule, Window};
pub use state::{SharedState, State};

/// The JSON schema of the configuration file, for editors: derived from the types that read it.
pub fn json_schema() -> Json {
    keys::schema_of::<Document>()
}

/// A configuration with comments that shows every section.
pub const EXAMPLE: &str = include_str!("../docs/example.yml");

#[derive(Debug, Clone)]
pub struct Config {
    /// The portals to watch: at least one, each under a name of its own.
    pub portals: Vec<Portal>,
    /// When and how the folders are read.
    pub collect: Collect,
    pub request: Request,
    /// How reasons are grouped into classes.
    pub errors: Errors,
    /// When failed files are sent to be processed again.
    pub reindex: Reindex,
    pub state: State,
    /// The keys and values of the file and the defaults, without those that are hidden; the defaults alone if there is no file.
    pub written: Arc<Json>,
}

impl Config {
    /// Reads and checks a configuration file.
    pub fn from_file(path: &Path) -> Result<Self, ConfigError> {
        Self::checked(path, |_| Vec::new())
    }

    /// The same with a further check.
    pub(crate) fn checked(
        path: &Path,
        check: impl FnOnce(&Self) -> Vec<Fault>,
    ) -> Result<Self, ConfigError> {
        Self::read(&path.display().to_string(), &yaml::bytes_of(path)?, check)
    }

    /// Checks a configuration that is already in memory, and need not be text; `file` is what errors call it.
    pub fn from_yaml(file: &str, text: impl AsRef<[u8]>) -> Result<Self, ConfigError> {
        Self::read(file, text.as_ref(), |_| Vec::new())
    }

    fn read(
        file: &str,
        bytes: &[u8],
        check: impl FnOnce(&Self) -> Vec<Fault>,
    ) -> Result<Self, ConfigError> {
        let check = |document: Document| {
            let mut faults = Vec::new();
            let config = document.check(&mut faults);
            faults.extend(check(&config));
            if faults.is_empty() {
                Ok(config)
            } else {
                Err(faults)
            }
        };
        let mut written = Json::Null;
        let change = |document: &mut Node| {
            written = shown::of_file(document);
            reindex::complete(document);
        };
        let config = yaml::parse(file, bytes, change, check)?;
        Ok(Self {
            written: Arc::new(written),
            ..config
        })
    }

    /// Takes one portal from the environment (docs/configuration.md, Environment); all else has its default. A variable that is empty
    /// counts as not set.
    pub fn from_environment(
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        environment::config(&variable).map_err(ConfigError::in_environment)
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
            written: Arc::new(shown::defaults()),
        }
    }
}

#[cfg(test)]
mod tests;
