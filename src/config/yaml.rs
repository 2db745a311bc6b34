//! Reads YAML files, and explains their errors in the words of this program.

use std::path::Path;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use serde_path_to_error::{Path as KeyPath, Segment, Track};
use serde_saphyr::{DuplicateKeyPolicy, Error, MessageFormatter, Options, UserMessageFormatter};

use crate::config::error::{ConfigError, Fault};
use crate::config::keys::{child, example_of, keys_of, schema_of};
use crate::config::reindex::replaced;
use crate::config::{hidden, position};

/// Reads the bytes of a file.
pub(crate) fn bytes_of(file: &Path) -> Result<Vec<u8>, ConfigError> {
    hidden::read_file(file).map_err(|error| {
        let fault = Fault::about("", format!("cannot be read: {error}"));
        fault.in_file(&file.display().to_string(), &Json::Null)
    })
}

/// Reads and checks a document, which need not be text; `file` is what errors call it. They have the position of the key that is wrong.
pub(crate) fn parse<T, R>(
    file: &str,
    bytes: &[u8],
    check: impl FnOnce(T) -> Result<R, Fault>,
) -> Result<R, ConfigError>
where
    T: DeserializeOwned + JsonSchema,
{
    let schema = schema_of::<T>();
    let text = text_of(bytes).map_err(|fault| fault.in_file(file, &schema))?;
    read(text, &schema).and_then(check).map_err(|fault| {
        let location = fault.position.is_none();
        let location = location.then(|| position::of(&fault.key, text, options));
        fault.at(location.flatten()).in_file(file, &schema)
    })
}

fn text_of(bytes: &[u8]) -> Result<&str, Fault> {
    std::str::from_utf8(bytes).map_err(|error| {
        let readable = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let last_line = readable.rsplit('\n').next().unwrap_or_default();
        let line = readable.matches('\n').count() as u64 + 1;
        Fault {
            position: Some((line, last_line.chars().count() as u64 + 1)),
            ..Fault::about("", "is not UTF-8 text from here on")
        }
    })
}

/// Reads one document. The schema gives the fault keys and examples.
fn read<T: DeserializeOwned>(text: &str, schema: &Json) -> Result<T, Fault> {
    let mut track = Track::new();
    serde_saphyr::with_deserializer_from_str_with_options(text, options(), |yaml| {
        T::deserialize(serde_path_to_error::Deserializer::new(yaml, &mut track))
    })
    .map_err(|error| fault(&error, &key_path(&track.path()), schema))
}

/// How every file of the program is parsed.
fn options() -> Options {
    serde_saphyr::options! {
        // A snippet would print the neighbouring lines, which may contain a secret.
        with_snippet: false,
        duplicate_keys: DuplicateKeyPolicy::Error,
        reject_unsupported_tags: true,
    }
}

fn key_path(path: &KeyPath) -> String {
    let mut text = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => text = format!("{text}[{index}]"),
            Segment::Map { key } => text = child(&text, key),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    text
}

fn fault(error: &Error, path: &str, schema: &Json) -> Fault {
    let (key, message) = match error {
        Error::AliasError { error, .. } => return self::fault(error, path, schema),
        Error::SerdeUnknownField { field, .. } => {
            let parent = path.strip_suffix(field.as_str()).unwrap_or(path);
            let parent = parent.trim_end_matches('.');
            let keys = keys_of(schema, parent);
            let message = replaced(path, field)
                .unwrap_or_else(|| format!("unknown key; the keys here are {keys}"));
            (path.to_owned(), message)
        }
        Error::SerdeMissingField { field, .. } => {
            let key = child(path, field);
            let example = example_of(schema, &key);
            let example = example.map(|example| format!("; it could be {example}"));
            (key, format!("is missing{}", example.unwrap_or_default()))
        }
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            (child(path, key), "is set twice; remove one".to_owned())
        }
        _ => (path.to_owned(), message(error, path, schema)),
    };
    Fault::about(key, message).at(error.location())
}

/// What is wrong with the value at `path`. The parser's own messages are used if they repeat nothing of the file.
fn message(error: &Error, path: &str, schema: &Json) -> String {
    match error {
        Error::Message { msg, .. } => msg.clone(),
        Error::Eof { .. } if path.is_empty() => {
            "the file is empty; portals is needed at least".to_owned()
        }
        Error::NullIntoString { .. } => "has no value".to_owned(),
        Error::Unexpected { expected, .. } if *expected == "mapping start" => {
            match keys_of(schema, path).as_str() {
                "" => "names with values are expected here".to_owned(),
                keys => format!("keys are expected here, out of {keys}"),
            }
        }
        Error::Unexpected { expected, .. } if *expected == "sequence start" => {
            "a list is expected here".to_owned()
        }
        Error::Unexpected { expected, .. } if *expected == "string scalar" => {
            "a single value is expected here".to_owned()
        }
        Error::SerdeInvalidType { expected, .. } | Error::SerdeInvalidValue { expected, .. } => {
            format!("{expected} is expected here")
        }
        Error::SerdeUnknownVariant { expected, .. } => {
            format!("expected one of {}", expected.join(", "))
        }
        Error::ExternalMessage { .. }
        | Error::Eof { .. }
        | Error::MultipleDocuments { .. }
        | Error::UnknownAnchor { .. }
        | Error::Unexpected { .. }
        | Error::InvalidScalar { .. }
        | Error::InvalidBooleanStrict { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. }
        | Error::Budget { .. } => UserMessageFormatter.format_message(error).into_owned(),
        Error::UnsupportedTag { .. } => "tags are not supported".to_owned(),
        _ => "is not valid here".to_owned(),
    }
}
