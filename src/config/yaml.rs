//! Reading YAML, and telling in the words of this program what the parser and serde found wrong.

use serde::de::DeserializeOwned;
use serde_path_to_error::{Path, Segment, Track};
use serde_saphyr::{DuplicateKeyPolicy, Error, MessageFormatter, Options, UserMessageFormatter};

use crate::config::error::Fault;
use crate::config::reference;

/// Reads one document. Nothing of the text is part of the fault but names of keys and what [`crate::config::scalar`] quotes.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    let mut track = Track::new();
    serde_saphyr::with_deserializer_from_str_with_options(text, options(), |yaml| {
        T::deserialize(serde_path_to_error::Deserializer::new(yaml, &mut track))
    })
    .map_err(|error| fault(&error, &key_path(&track.path())))
}

fn options() -> Options {
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
            // No key has this name: it is how `Spanned` wraps what it holds.
            Segment::Map { key } if key == "value" => {}
            Segment::Map { key } => text = child(&text, key),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    text
}

/// The path of a key in the mapping at `parent`.
pub(super) fn child(parent: &str, key: &str) -> String {
    if parent.is_empty() {
        return key.to_owned();
    }
    format!("{parent}.{key}")
}

/// A key that the mapping at `parent` does not have.
pub(super) fn unknown_key(parent: &str, key: &str) -> Fault {
    let known = reference::keys_of(parent).join(", ");
    Fault::about(
        child(parent, key),
        format!("unknown key; the keys here are {known}"),
    )
}

/// A key that cannot be left out.
pub(super) fn missing(key: &str) -> Fault {
    match reference::example(key) {
        Some(example) => Fault::about(key, format!("is missing; it could be {example}")),
        None => Fault::about(key, "is missing"),
    }
}

fn fault(error: &Error, path: &str) -> Fault {
    let fault = match error {
        Error::AliasError { error, .. } => return self::fault(error, path),
        Error::SerdeUnknownField { field, .. } => {
            let parent = path.strip_suffix(field.as_str()).unwrap_or(path);
            unknown_key(parent.trim_end_matches('.'), field)
        }
        Error::SerdeMissingField { field, .. } => missing(&child(path, field)),
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            Fault::about(child(path, key), "stands here twice; leave one out")
        }
        _ => Fault::about(path, message(error, path)),
    };
    match error.location() {
        Some(location) => fault.at(location),
        None => fault,
    }
}

/// What is wrong with what stands at `path`. Of the parser's own messages only those are taken that do not repeat a value.
fn message(error: &Error, path: &str) -> String {
    match error {
        Error::Message { msg, .. } => msg.clone(),
        Error::Eof { .. } if path.is_empty() => {
            "the file is empty; portals is needed at least".to_owned()
        }
        Error::NullIntoString { .. } => "has no value".to_owned(),
        Error::Unexpected {
            expected: "mapping start",
            ..
        } => {
            format!(
                "keys are expected here, out of {}",
                reference::keys_of(path).join(", ")
            )
        }
        Error::Unexpected {
            expected: "sequence start",
            ..
        } => "a list is expected here".to_owned(),
        Error::Unexpected {
            expected: "string scalar",
            ..
        } => "a single value is expected here".to_owned(),
        Error::SerdeInvalidType { expected, .. } | Error::SerdeInvalidValue { expected, .. } => {
            format!("{expected} is expected here")
        }
        _ => UserMessageFormatter.format_message(error).into_owned(),
    }
}
