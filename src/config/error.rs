//! What is wrong with a configuration, for the person who wrote it.

use serde_json::Value as Json;
use serde_saphyr::Location;

use crate::config::hidden::HiddenPath;
use crate::config::keys;
use crate::text;

/// Longest file name that an error shows, in characters.
const FILE_CHARACTERS: usize = 250;

/// What is wrong with a configuration, and where: `kb.yml:7:13: collect.schedule: …`.
///
/// Always one line of less than 1000 characters. It has the names of keys that the program knows and words of the program, and nothing that is
/// written in the file, where a secret may be in any place (docs/operations.md, Security).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(String);

impl ConfigError {
    /// A file that the configuration names, and that holds something wrong. `why` repeats nothing of it.
    pub(crate) fn in_named_file(file: &HiddenPath, why: &str) -> Self {
        Self(format!("{file} cannot be used: {why}"))
    }
}

/// An error whose file is not known yet.
#[derive(Debug)]
pub(crate) struct Fault {
    /// Line and column, both from 1; columns are in characters.
    pub position: Option<(u64, u64)>,
    /// The path of the key, or the name of the environment variable; empty for the whole configuration.
    pub key: String,
    /// Repeats nothing of the file.
    pub message: String,
}

impl Fault {
    pub fn about(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            position: None,
            key: key.into(),
            message: message.into(),
        }
    }

    /// Adds the location, unless the parser does not know it.
    pub fn at(mut self, location: Option<Location>) -> Self {
        let known = location.filter(|location| *location != Location::UNKNOWN);
        let position = known.map(|location| (location.line(), location.column()));
        self.position = position.or(self.position);
        self
    }

    /// The error in a file whose keys have this schema. It has only the part of the key that the schema knows.
    pub fn in_file(mut self, file: &str, schema: &Json) -> ConfigError {
        self.key = keys::known(schema, &self.key).to_owned();
        let position = self.position;
        let position = position.map(|(line, column)| format!(":{line}:{column}"));
        let file = text::one_line(file);
        let file = text::cut(&file, FILE_CHARACTERS);
        let position = position.unwrap_or_default();
        ConfigError(format!("{file}{position}: {}", self.sentence()))
    }

    /// The error in a variable of the environment.
    pub fn in_environment(self) -> ConfigError {
        ConfigError(self.sentence())
    }

    fn sentence(&self) -> String {
        // The parser names a character that it did not expect.
        let message = text::one_line(&self.message);
        match self.key.as_str() {
            "" => message.into_owned(),
            key => format!("{key}: {message}"),
        }
    }
}
