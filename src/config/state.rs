//! Where the program remembers things (docs/configuration.md, `state`).

use std::path::PathBuf;

use serde::Deserialize;
use serde_saphyr::Spanned;

use crate::config::scalar::{self, FilePath};

/// Where the program remembers things across restarts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// In this folder.
    Path(PathBuf),
    /// In a private temporary folder that goes with the process: `demo` and the start without a file.
    Temporary,
}

impl Default for State {
    fn default() -> Self {
        Self::Path(PathBuf::from("/var/lib/kb-exporter"))
    }
}

/// The section as it is written.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct StateKeys {
    #[serde(deserialize_with = "scalar::optional_path")]
    path: Option<PathBuf>,
    pub(super) postgres_url_file: Option<Spanned<FilePath>>,
}

impl StateKeys {
    /// The section with its default.
    pub(super) fn check(self) -> State {
        self.path.map_or_else(State::default, State::Path)
    }
}
