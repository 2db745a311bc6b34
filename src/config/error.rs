//! What is wrong with a configuration, for the person who wrote it.

use serde_json::Value as Json;

use crate::config::keys;
use crate::text;

/// Mistakes of one file that are shown.
pub(super) const MAX_LINES: usize = 20;

/// What is wrong with a key that must be there. The line of the mistake has an example.
pub(super) const MISSING: &str = "is missing";

/// Line and column, both from 1; columns are in characters.
pub(crate) type Position = (usize, usize);

/// Longest file name that an error shows, in characters.
const FILE_CHARACTERS: usize = 250;

/// What is wrong with a configuration, and where: `kb.yml:7:13: collect.schedule: …`.
///
/// A line of less than 1000 characters for each mistake, in the order of the file. It has the names of keys that the program knows and words of
/// the program, and nothing that is written in the file, where a secret may be in any place (docs/operations.md, Security).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct ConfigError(Vec<String>);

impl ConfigError {
    /// What is missing as a whole, in a sentence.
    pub(crate) fn because(sentence: impl Into<String>) -> Self {
        Self(vec![sentence.into()])
    }

    /// Mistakes of the environment.
    pub(crate) fn in_environment(faults: impl Into<Vec<Fault>>) -> Self {
        Self(faults.into().iter().map(Fault::sentence).collect())
    }

    /// Mistakes of a file whose keys have this schema.
    pub(crate) fn in_file(faults: impl Into<Vec<Fault>>, file: &str, schema: &Json) -> Self {
        let mut faults = faults.into();
        faults.sort_by_key(|fault| fault.position);
        let more = faults.len() > MAX_LINES;
        faults.truncate(MAX_LINES);
        let more = more.then(|| Fault::about("", "has more mistakes; correct these first"));
        let faults = faults.into_iter().chain(more);
        Self(faults.map(|fault| fault.in_file(file, schema)).collect())
    }

    /// A line for each mistake.
    pub fn lines(&self) -> &[String] {
        &self.0
    }
}

impl From<Fault> for Vec<Fault> {
    fn from(fault: Fault) -> Self {
        vec![fault]
    }
}

/// A mistake whose file is not known yet.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Fault {
    pub position: Option<Position>,
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

    pub fn at(self, position: Position) -> Self {
        Self {
            position: Some(position),
            ..self
        }
    }

    /// A line about a file whose keys have this schema. It has only the part of the key that the schema knows.
    fn in_file(mut self, file: &str, schema: &Json) -> String {
        if self.message == MISSING
            && let Some(example) = keys::example_of(schema, &self.key)
        {
            self.message = format!("{MISSING}; it could be {example}");
        }
        self.key = keys::known(schema, &self.key).to_owned();
        let position = self.position;
        let position = position.map(|(line, column)| format!(":{line}:{column}"));
        let file = text::one_line(file);
        let file = text::cut(&file, FILE_CHARACTERS);
        let position = position.unwrap_or_default();
        format!("{file}{position}: {}", self.sentence())
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
