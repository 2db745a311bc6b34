//! Reads YAML files, and explains their errors in the words of this program.

use std::path::Path;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use serde_saphyr::{DuplicateKeyPolicy, Error, MessageFormatter, Options, UserMessageFormatter};

use crate::config::error::{ConfigError, Fault, Faults};
use crate::config::keys::{child, example_of, keys_of, schema_of};
use crate::config::reindex::replaced;
use crate::config::walk::Walk;
use crate::config::{hidden, position};

/// Mistakes that are reported at once.
const MAX_FAULTS: usize = 20;

/// Reads the bytes of a file.
pub(crate) fn bytes_of(file: &Path) -> Result<Vec<u8>, ConfigError> {
    hidden::read_file(file).map_err(|error| {
        let fault = Fault::about("", format!("cannot be read: {error}"));
        ConfigError::in_file(fault, &file.display().to_string(), &Json::Null)
    })
}

/// Reads and checks a document, which need not be text; `file` is what errors call it. They have the positions of all keys that are wrong.
pub(crate) fn parse<T, R, F: Into<Faults>>(
    file: &str,
    bytes: &[u8],
    check: impl FnOnce(T) -> Result<R, F>,
) -> Result<R, ConfigError>
where
    T: DeserializeOwned + JsonSchema,
{
    let schema = schema_of::<T>();
    let in_file = |faults: Faults| ConfigError::in_file(faults, file, &schema);
    let text = text_of(bytes).map_err(|fault| in_file(fault.into()))?;
    let mut walk = Walk::default();
    let (document, mut faults) = read(text, &mut walk, &schema);
    let checked = document.map(check).transpose();
    let checked = checked.map_err(|checked| {
        let checked = checked.into().0.into_iter();
        faults.extend(checked.filter(|fault| !walk.is_affected(&fault.key)));
    });
    match checked {
        Ok(Some(checked)) if faults.is_empty() => Ok(checked),
        _ => {
            faults.truncate(MAX_FAULTS);
            Err(located(file, bytes, Faults(faults), &schema))
        }
    }
}

/// The mistakes of a file, with the positions of their keys.
pub(crate) fn located(
    file: &str,
    bytes: &[u8],
    Faults(mut faults): Faults,
    schema: &Json,
) -> ConfigError {
    let text = text_of(bytes).unwrap_or_default();
    for fault in &mut faults {
        if fault.position.is_none() {
            fault.position = Fault::about("", "")
                .at(position::of(&fault.key, text, options))
                .position;
        }
    }
    ConfigError::in_file(Faults(faults), file, schema)
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

/// Reads a document again and again, each time without the value in which the last mistake was found. Returns what remains of it, if it can
/// be read at all, and the mistakes. The schema gives them keys and examples.
fn read<T: DeserializeOwned>(
    text: &str,
    walk: &mut Walk,
    schema: &Json,
) -> (Option<T>, Vec<Fault>) {
    let mut faults = Vec::new();
    loop {
        let mut path = String::new();
        let read = serde_saphyr::with_deserializer_from_str_with_options(text, options(), |yaml| {
            walk.read(yaml).map_err(|(error, failed)| {
                path = failed;
                error
            })
        });
        let error = match read {
            Ok(document) => return (Some(document), faults),
            Err(error) => error,
        };
        let fault = fault(&error, &path, schema);
        // What is found once more cannot be left out.
        if faults
            .iter()
            .any(|known: &Fault| known.position == fault.position)
        {
            return (None, faults);
        }
        // What is required is missing, or a list is too short, where something was left out.
        if !walk.has_left_out_within(&fault.key) {
            faults.push(fault);
        }
        let goes_on = !path.is_empty() && faults.len() < MAX_FAULTS && walk.leave_out(&path);
        if !goes_on {
            return (None, faults);
        }
    }
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
