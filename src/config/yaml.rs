//! Reading YAML, and telling in the words of this program what the parser and serde found wrong.

use serde::de::DeserializeOwned;
use serde_path_to_error::{Path, Segment, Track};
use serde_saphyr::{DefaultMessageFormatter, DuplicateKeyPolicy, Error, MessageFormatter, Options};

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
    }
}

/// `portals[0].base_url`
fn key_path(path: &Path) -> String {
    let mut text = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => text.push_str(&format!("[{index}]")),
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

fn fault(error: &Error, path: &str) -> Fault {
    let fault = match error {
        Error::AliasError { error, .. } => return self::fault(error, path),
        Error::SerdeUnknownField { field, .. } => unknown_key(path, field),
        Error::SerdeMissingField { field, .. } => Fault::about(child(path, field), "is missing"),
        Error::Message { msg, .. } => Fault::about(path, msg),
        Error::NullIntoString { .. } => Fault::about(path, "has no value"),
        Error::SerdeInvalidType {
            unexpected,
            expected,
            ..
        } => {
            let found = unexpected
                .split(['"', '`'])
                .next()
                .unwrap_or_default()
                .trim();
            Fault::about(path, format!("{expected} is expected here, not {found}"))
        }
        Error::DuplicateMappingKey { key, .. } => {
            let key = key.as_deref().unwrap_or("a key");
            Fault::about(path, format!("{key} stands here twice"))
        }
        _ => Fault::about(path, DefaultMessageFormatter.format_message(error)),
    };
    match error.location() {
        Some(location) => fault.at(location),
        None => fault,
    }
}
