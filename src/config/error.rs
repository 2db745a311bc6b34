//! What is wrong with a configuration, for the person who wrote it.

use crate::text;

/// Line and column, both from 1; columns are in characters.
pub(crate) type Position = (u64, u64);

/// Longest file name that an error shows, in characters.
const FILE_CHARACTERS: usize = 250;

/// The first mistake of a configuration, and where it is: `kb.yml:7:13: collect.schedule: …`.
///
/// One line of less than 1000 characters. It has the names of keys that the program knows and words of the program, and nothing that is
/// written in the file, where a secret may be in any place (docs/operations.md, Security).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(String);

impl ConfigError {
    /// What is missing as a whole, in a sentence.
    pub(crate) fn because(sentence: &str) -> Self {
        Self::about("", sentence)
    }

    /// A mistake of the value of a key, or of an environment variable.
    pub(crate) fn about(key: &str, message: &str) -> Self {
        let key = if key.is_empty() {
            String::new()
        } else {
            format!("{key}: ")
        };
        Self(text::one_line(&format!("{key}{message}")).into_owned())
    }

    /// A mistake in a file.
    pub(crate) fn in_file(file: &str, at: Option<Position>, key: &str, message: &str) -> Self {
        let at = at.map_or_else(String::new, |(line, column)| format!(":{line}:{column}"));
        let file = text::one_line(file);
        let file = text::cut(&file, FILE_CHARACTERS);
        Self(format!("{file}{at}: {}", Self::about(key, message)))
    }
}

/// A mistake whose file is not known yet.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    key: String,
    message: String,
}

impl Fault {
    /// The message is a sentence that repeats nothing of the file.
    pub fn about(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            message: message.into(),
        }
    }

    pub fn in_file(&self, file: &str) -> ConfigError {
        ConfigError::in_file(file, None, &self.key, &self.message)
    }

    pub fn in_environment(&self) -> ConfigError {
        ConfigError::about(&self.key, &self.message)
    }
}
