//! What is wrong with a configuration, for the person who wrote it.

use serde_json::Value as Json;
use serde_saphyr::Location;

use crate::config::keys;
use crate::text;

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
    /// Mistakes of the environment.
    pub(crate) fn in_environment(faults: impl Into<Faults>) -> Self {
        let faults = faults.into().0;
        Self(faults.iter().map(Fault::sentence).collect())
    }

    /// Mistakes of a file whose keys have this schema.
    pub(crate) fn in_file(faults: impl Into<Faults>, file: &str, schema: &Json) -> Self {
        let mut faults = faults.into().0;
        faults.sort_by_key(|fault| fault.position);
        let faults = faults.into_iter();
        Self(faults.map(|fault| fault.in_file(file, schema)).collect())
    }

    /// A line for each mistake.
    pub fn lines(&self) -> &[String] {
        &self.0
    }
}

/// The mistakes of a configuration: at least one.
#[derive(Debug)]
pub(crate) struct Faults(pub Vec<Fault>);

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Self(vec![fault])
    }
}

/// Both, or the mistakes of both.
pub(crate) fn both<A, B>(
    a: Result<A, impl Into<Faults>>,
    b: Result<B, impl Into<Faults>>,
) -> Result<(A, B), Faults> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok((a, b)),
        (Err(a), Err(b)) => {
            let mut faults = a.into();
            faults.0.extend(b.into().0);
            Err(faults)
        }
        (Err(faults), Ok(_)) => Err(faults.into()),
        (Ok(_), Err(faults)) => Err(faults.into()),
    }
}

/// All, or the mistakes of all.
pub(crate) fn all<T, E: Into<Faults>>(
    results: impl IntoIterator<Item = Result<T, E>>,
) -> Result<Vec<T>, Faults> {
    let mut all = Ok(Vec::new());
    for result in results {
        all = both(all, result).map(|(mut all, one)| {
            all.push(one);
            all
        });
    }
    all
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

    /// A line about a file whose keys have this schema. It has only the part of the key that the schema knows.
    fn in_file(mut self, file: &str, schema: &Json) -> String {
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
