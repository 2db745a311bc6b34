//! What is wrong with a configuration, for the person who wrote it.

use serde_saphyr::Location;

use crate::config::redact::redact;
use crate::text;

/// Longest file name, key path and message that an error shows, in characters.
const FILE_CHARACTERS: usize = 250;
const KEY_CHARACTERS: usize = 150;
const MESSAGE_CHARACTERS: usize = 500;

/// What is wrong with a configuration, and where: `kb.yml:7:13: collect.schedule: …`.
///
/// Always one line of less than 1000 characters. It quotes nothing that looks like a key (docs/operations.md, Security).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(String);

/// An error whose file is not known yet.
#[derive(Debug)]
pub(super) struct Fault {
    /// Line and column, both from 1; columns are in characters.
    pub position: Option<(u64, u64)>,
    /// The path of the key, or the name of the environment variable; empty for the whole configuration.
    pub key: String,
    pub message: String,
}

impl Fault {
    pub(super) fn about(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            position: None,
            key: key.into(),
            message: message.into(),
        }
    }

    /// Adds the location, unless the parser does not know it.
    pub(super) fn at(mut self, location: Option<Location>) -> Self {
        let known = location.filter(|location| *location != Location::UNKNOWN);
        let position = known.map(|location| (location.line(), location.column()));
        self.position = position.or(self.position);
        self
    }

    /// The error in this file, or in the environment.
    pub(super) fn of(self, file: Option<&str>) -> ConfigError {
        let mut text = String::new();
        if let Some(file) = file {
            let position = self.position;
            let position = position.map(|(line, column)| format!(":{line}:{column}"));
            text = one_line(file, FILE_CHARACTERS) + &position.unwrap_or_default() + ": ";
        }
        if !self.key.is_empty() {
            text = text + &one_line(&redact(&self.key), KEY_CHARACTERS) + ": ";
        }
        ConfigError(text + &one_line(&redact(&self.message), MESSAGE_CHARACTERS))
    }
}

fn one_line(text: &str, characters: usize) -> String {
    text::cut(&text::one_line(text), characters).into_owned()
}

/// The path of a key in the mapping at `parent`.
pub(super) fn child(parent: &str, key: &str) -> String {
    if parent.is_empty() {
        return key.to_owned();
    }
    format!("{parent}.{key}")
}

/// `portals[0].base_url` as `portals`, `0`, `base_url`
pub(super) fn segments(path: &str) -> Vec<&str> {
    let segments = path.split(['.', '[', ']']);
    segments.filter(|segment| !segment.is_empty()).collect()
}
