//! The configuration: what to watch, how often, and how gently.
//!
//! A file ([`Config::from_file`]) is read and checked as a whole before anything is started. Without a file one portal comes from
//! the environment ([`Config::from_environment`]). No API key is ever part of a configuration, only where it is found.
//!
//! Each key of the file is a field with a doc comment, a form (module `form`) and a default. [`schema`] derives the rest from these.

mod address;
mod collect;
mod document;
mod environment;
mod error;
mod errors;
mod folders;
mod form;
mod key;
mod portal;
mod position;
mod redact;
mod reindex;
mod request;
mod schedule;
pub mod schema;
mod shown;
mod state;
pub(crate) mod yaml;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value as Json;

use self::document::Document;
use self::error::Fault;
use crate::model::{PortalAddress, PortalName};

pub use address::{BaseUrl, Proxy};
pub use collect::{Collect, Rate, Strategy};
pub use error::ConfigError;
pub use errors::Errors;
pub use folders::{FolderFilter, FolderPattern};
pub use key::KeySource;
pub use portal::{ClientCertificate, Portal};
pub use reindex::{Breaker, Budget, Mode, Ratio, Reindex, ReindexOverride, ReindexRules};
pub use request::Request;
pub use schedule::{CronLine, Schedule, Window};
pub use state::{SharedState, State};

/// A configuration with comments that shows every section.
pub const EXAMPLE: &str = include_str!("../docs/example.yml");

/// Largest configuration file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// A whole configuration, checked.
#[derive(Debug, Clone)]
pub struct Config {
    /// The portals to watch: at least one, each under a name of its own.
    pub portals: Vec<Portal>,
    /// When and how the folders are read.
    pub collect: Collect,
    /// Limits of a single request.
    pub request: Request,
    /// How reasons are grouped into classes.
    pub errors: Errors,
    /// When failed files are sent to be processed again.
    pub reindex: Reindex,
    /// Where the program remembers things.
    pub state: State,
    /// The keys and values of the file, without secrets; null where there is no file.
    pub written: Arc<Json>,
}

impl Config {
    /// Reads and checks a configuration file.
    pub fn from_file(path: &Path) -> Result<Self, ConfigError> {
        let name = path.display().to_string();
        let bytes = read_bounded(path).map_err(|error| Fault::about("", error).of(Some(&name)))?;
        Self::from_bytes(&name, &bytes)
    }

    /// Checks the bytes of a file, which need not be text.
    pub fn from_bytes(file_name: &str, bytes: &[u8]) -> Result<Self, ConfigError> {
        let invalid = match std::str::from_utf8(bytes) {
            Ok(text) => return Self::from_yaml(file_name, text),
            Err(error) => error.valid_up_to(),
        };
        let readable = String::from_utf8_lossy(&bytes[..invalid]);
        let last_line = readable.rsplit('\n').next().unwrap_or_default();
        let line = readable.matches('\n').count() as u64 + 1;
        let fault = Fault {
            position: Some((line, last_line.chars().count() as u64 + 1)),
            ..Fault::about("", "is not UTF-8 text from here on")
        };
        Err(fault.of(Some(file_name)))
    }

    /// Checks a configuration that is already in memory; `file_name` is what errors call it.
    pub fn from_yaml(file_name: &str, text: &str) -> Result<Self, ConfigError> {
        let config = yaml::read(text).and_then(Document::check);
        let config = config.map_err(|fault| {
            let location = fault.position.is_none();
            let location = location.then(|| position::of(&fault.key, text));
            fault.at(location.flatten()).of(Some(file_name))
        })?;
        Ok(Self {
            written: Arc::new(shown::of_file(text)),
            ..config
        })
    }

    /// Takes one portal from `KB_BASE_URL`, `KB_API_KEY` or `KB_API_KEY_FILE`, `KB_PORTAL_NAME` and `KB_CA_FILE`; all
    /// else has its default, and the state is temporary. A variable that is empty counts as not set.
    pub fn from_environment(
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        environment::portal(&variable)
            .map(Self::for_portal)
            .map_err(|fault| fault.of(None))
    }

    /// The address of each portal by its name.
    #[must_use]
    pub fn addresses(&self) -> BTreeMap<PortalName, PortalAddress> {
        let portals = self.portals.iter();
        portals
            .map(|portal| (portal.name.clone(), portal.base_url.normalised()))
            .collect()
    }

    /// One portal with the defaults everywhere else and a temporary state.
    #[must_use]
    pub fn for_portal(portal: Portal) -> Self {
        Self {
            portals: vec![portal],
            collect: Collect::default(),
            request: Request::default(),
            errors: Errors::default(),
            reindex: Reindex::default(),
            state: State::Temporary,
            written: Arc::default(),
        }
    }
}

/// Reads a file that is no larger than [`MAX_FILE_BYTES`]; the error is a sentence.
fn read_bounded(path: &Path) -> Result<Vec<u8>, String> {
    use std::io::Read as _;

    let cannot = |error: std::io::Error| format!("cannot be read: {error}");
    let file = std::fs::File::open(path).map_err(cannot)?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(cannot)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(format!(
            "is larger than {MAX_FILE_BYTES} bytes, too much for a configuration"
        ));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
