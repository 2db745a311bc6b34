//! Reads YAML files into types. An error is the first mistake of the file.

use std::path::Path;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_path_to_error::{Deserializer, Track};
use serde_saphyr::{Error, Options};

use crate::config::error::ConfigError;
use crate::config::hidden;
use crate::config::keys::{self, nearest_key, refused, schema_of};

/// Reads the bytes of a file.
pub(crate) fn bytes_of(file: &Path) -> Result<Vec<u8>, ConfigError> {
    hidden::read_file(file).map_err(|error| {
        let message = format!("cannot be read: {error}");
        ConfigError::in_file(&file.display().to_string(), None, "", &message)
    })
}

/// Reads a document, which need not be text. `file` is what an error calls it.
pub(crate) fn yaml<T>(file: &str, bytes: &[u8]) -> Result<T, ConfigError>
where
    T: DeserializeOwned + JsonSchema,
{
    let mut track = Track::new();
    let read = serde_saphyr::with_deserializer_from_slice_with_options(bytes, options(), |yaml| {
        T::deserialize(Deserializer::new(yaml, &mut track))
    });
    read.map_err(|error| {
        // The document as a whole has the path `.`.
        let mut path = track.path().to_string().trim_start_matches('.').to_owned();
        let mut message = refused(&path).unwrap_or_else(|| message(&error));
        let schema = schema_of::<T>();
        if let Error::SerdeMissingField { field, .. } = error {
            path = child(&path, field);
            if let Some(example) = keys::example_of(&schema, &path) {
                message = format!("{message}; it could be {example}");
            }
        }
        let at = error.location();
        let at = at.map(|at| (at.line(), at.column()));
        ConfigError::in_file(file, at, keys::known(&schema, &path), &message)
    })
}

/// The path of a key in the mapping at `parent`.
fn child(parent: &str, key: &str) -> String {
    match parent {
        "" => key.to_owned(),
        _ => format!("{parent}.{key}"),
    }
}

/// A snippet would print the lines around a mistake, with what they hold.
fn options() -> Options {
    serde_saphyr::options! { with_snippet: false, reject_unsupported_tags: true }
}

/// What is wrong, and what would be right, in words of this program.
fn message(error: &Error) -> String {
    match error {
        Error::AliasError { error, .. } => message(error),
        // Made by the types of this program.
        Error::Message { msg, .. } => msg.clone(),
        Error::SerdeUnknownField {
            field, expected, ..
        } => {
            let named = nearest_key(field, expected);
            let named =
                named.map_or_else(String::new, |near| format!(" {field:?}: is {near} meant?"));
            format!(
                "unknown key{named}; the keys here are {}",
                expected.join(", ")
            )
        }
        Error::SerdeUnknownVariant { expected, .. } => {
            // An empty text may be another name of the default.
            let words = expected.iter().copied().filter(|word| !word.is_empty());
            format!("expected one of {}", words.collect::<Vec<_>>().join(", "))
        }
        Error::UnsupportedTag { .. } => "tags are not supported".to_owned(),
        Error::SerdeMissingField { .. } => "is missing".to_owned(),
        Error::SerdeInvalidType { expected, .. } | Error::SerdeInvalidValue { expected, .. } => {
            format!("{expected} is expected here")
        }
        Error::Unexpected { expected, .. } => format!("{} is expected here", kind(expected)),
        Error::InvalidScalar { ty, .. } => format!("{} is expected here", kind(ty)),
        Error::NullIntoString { .. } => "has no value".to_owned(),
        Error::Eof { .. } => "the file is empty or ends too early".to_owned(),
        Error::DuplicateMappingKey { .. } => "a key is set twice; remove one".to_owned(),
        Error::MultipleDocuments { .. } => "only one document is expected".to_owned(),
        Error::InvalidUtf8Input => "is not UTF-8 text".to_owned(),
        Error::Budget { .. } | Error::AliasReplayLimitExceeded { .. } => {
            "the file has too many values".to_owned()
        }
        Error::ExternalMessage { msg, .. } => format!("this is not YAML: {msg}"),
        _ => "is not valid here".to_owned(),
    }
}

/// A kind of value, as a person calls it.
fn kind(expected: &str) -> &str {
    match expected {
        "string scalar" => "a single value",
        "mapping start" => "a section with keys",
        "sequence start" => "a list",
        "boolean" => "true or false",
        other => other,
    }
}
