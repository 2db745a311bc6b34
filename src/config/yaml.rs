//! Reads YAML, and explains in the words of this program what the parser and serde found wrong.

use serde::de::DeserializeOwned;
use serde_path_to_error::{Path, Segment, Track};
use serde_saphyr::{DuplicateKeyPolicy, Error, MessageFormatter, Options, UserMessageFormatter};

use crate::config::error::{Fault, child};
use crate::config::schema;

/// Reads one document. Of the text, the fault has only names of keys and what [`crate::config::form`] quotes.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    let mut track = Track::new();
    serde_saphyr::with_deserializer_from_str_with_options(text, options(), |yaml| {
        T::deserialize(serde_path_to_error::Deserializer::new(yaml, &mut track))
    })
    .map_err(|error| fault(&error, &key_path(&track.path())))
}

/// How every file of the program is parsed.
pub(crate) fn options() -> Options {
    serde_saphyr::options! {
        // A snippet would print the neighbouring lines, whatever they hold.
        with_snippet: false,
        duplicate_keys: DuplicateKeyPolicy::Error,
        reject_unsupported_tags: true,
    }
}

/// `portals[0].base_url`
fn key_path(path: &Path) -> String {
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

fn fault(error: &Error, path: &str) -> Fault {
    let (key, message) = match error {
        Error::AliasError { error, .. } => return self::fault(error, path),
        Error::SerdeUnknownField { field, .. } => {
            let parent = path.strip_suffix(field.as_str()).unwrap_or(path);
            let parent = parent.trim_end_matches('.');
            let keys = schema::keys_of(parent);
            (
                child(parent, field),
                format!("unknown key; the keys here are {keys}"),
            )
        }
        Error::SerdeMissingField { field, .. } => {
            let key = child(path, field);
            let example = schema::example_of(&key);
            let example = example.map(|example| format!("; it could be {example}"));
            (key, format!("is missing{}", example.unwrap_or_default()))
        }
        Error::DuplicateMappingKey { key: Some(key), .. } => (
            child(path, key),
            "stands here twice; leave one out".to_owned(),
        ),
        _ => (path.to_owned(), message(error, path)),
    };
    Fault::about(key, message).at(error.location())
}

/// What is wrong with the value at `path`. The parser's own messages are used only where they do not repeat a value.
fn message(error: &Error, path: &str) -> String {
    match error {
        Error::Message { msg, .. } => msg.clone(),
        Error::Eof { .. } if path.is_empty() => {
            "the file is empty; portals is needed at least".to_owned()
        }
        Error::NullIntoString { .. } => "has no value".to_owned(),
        Error::Unexpected { expected, .. } if *expected == "mapping start" => {
            format!("keys are expected here, out of {}", schema::keys_of(path))
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
        _ => UserMessageFormatter.format_message(error).into_owned(),
    }
}
