//! What is wrong with a configuration, for the person who wrote it.

use std::fmt;

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
pub struct ConfigError {
    file: Option<String>,
    position: Option<Position>,
    key: Option<String>,
    message: String,
}

/// A place in a file; both count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Position {
    line: u64,
    column: u64,
}

impl ConfigError {
    /// The configuration file; `None` when the configuration came from the environment.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// The line, from 1.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        self.position.map(|position| position.line)
    }

    /// The column in characters, from 1.
    #[must_use]
    pub fn column(&self) -> Option<u64> {
        self.position.map(|position| position.column)
    }

    /// The path of the key, such as `portals[0].base_url`, or the name of the environment variable.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// What is wrong and what would be right, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            f.write_str(file)?;
            if let Some(Position { line, column }) = self.position {
                write!(f, ":{line}:{column}")?;
            }
            f.write_str(": ")?;
        }
        if let Some(key) = &self.key {
            write!(f, "{key}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// Something wrong, found before it is known which file it is about.
#[derive(Debug)]
pub(super) struct Fault {
    position: Option<Position>,
    /// The path of the key, or the name of the environment variable.
    pub key: String,
    pub message: String,
    pub hint: Hint,
}

/// What of the schema completes the message.
#[derive(Debug)]
pub(super) enum Hint {
    None,
    /// The keys of the mapping at this path.
    KeysOf(String),
    /// An example of the value.
    Example,
}

impl Fault {
    /// About the whole configuration.
    pub(super) fn general(message: impl Into<String>) -> Self {
        Self::about("", message)
    }

    /// About one key, or one environment variable.
    pub(super) fn about(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            position: None,
            key: key.into(),
            message: message.into(),
            hint: Hint::None,
        }
    }

    /// About a key that the mapping at `parent` does not have.
    pub(super) fn unknown_key(parent: &str, key: &str) -> Self {
        Self {
            hint: Hint::KeysOf(parent.to_owned()),
            ..Self::about(child(parent, key), "unknown key; the keys here are ")
        }
    }

    /// About a value that is no mapping.
    pub(super) fn no_mapping(path: &str) -> Self {
        Self {
            hint: Hint::KeysOf(path.to_owned()),
            ..Self::about(path, "keys are expected here, out of ")
        }
    }

    /// About a key of the mapping at `parent` that cannot be left out.
    pub(super) fn missing(parent: &str, key: &str) -> Self {
        Self {
            hint: Hint::Example,
            ..Self::about(child(parent, key), "is missing")
        }
    }

    /// About the bytes that follow `readable`.
    pub(super) fn not_text(readable: &str) -> Self {
        let last_line = readable.rsplit('\n').next().unwrap_or_default();
        Self {
            position: Some(Position {
                line: readable.matches('\n').count() as u64 + 1,
                column: last_line.chars().count() as u64 + 1,
            }),
            ..Self::general("is not UTF-8 text from here on")
        }
    }

    pub(super) fn has_position(&self) -> bool {
        self.position.is_some()
    }

    /// Adds where in the file it is; the parser's "unknown" adds nothing.
    pub(super) fn at(mut self, location: Option<Location>) -> Self {
        let known = location.filter(|location| *location != Location::UNKNOWN);
        self.position = known.map_or(self.position, |location| {
            Some(Position {
                line: location.line(),
                column: location.column(),
            })
        });
        self
    }

    /// The error, once the file is known.
    pub(super) fn of(self, file: &str) -> ConfigError {
        ConfigError {
            file: Some(line(file, FILE_CHARACTERS)),
            ..self.of_environment()
        }
    }

    /// The error, where there is no file.
    pub(super) fn of_environment(self) -> ConfigError {
        let key = shown(&self.key, KEY_CHARACTERS);
        ConfigError {
            file: None,
            position: self.position,
            key: (!key.is_empty()).then_some(key),
            message: shown(&self.message, MESSAGE_CHARACTERS),
        }
    }
}

/// What was written in the configuration, as an error shows it: nothing of it looks like a key.
fn shown(text: &str, characters: usize) -> String {
    line(&redact(text), characters)
}

/// A text on one line, cut.
fn line(text: &str, characters: usize) -> String {
    text::cut(&text::one_line(text), characters).into_owned()
}

/// The path of a key in the mapping at `parent`.
pub(super) fn child(parent: &str, key: &str) -> String {
    if parent.is_empty() {
        return key.to_owned();
    }
    format!("{parent}.{key}")
}
