//! Reads YAML files into types. An error is the first mistake of the file.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use serde_path_to_error::{Deserializer, Path as KeyPath, Segment, Track};
use serde_saphyr::{Error, Location, Options};

use crate::text;

/// Largest file that is read, in bytes: a bundle of all public authorities has a quarter of it.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Longest file name that an error shows, in characters.
const FILE_CHARACTERS: usize = 250;

/// Why a key is not in the file, and what to do instead.
const LITERAL_KEY: &str = "a literal key is refused: whoever reads, copies or backs up the configuration would see it. Put it in a file of \
     its own (api_key_file) or in an environment variable (api_key_env), and replace it if the configuration was ever shared";

/// The first mistake of a configuration, and where it is: `kb.yml:7:13: collect.schedule: …`.
///
/// One line of less than 1000 characters. It has the names of keys that the program knows and words of the program, and nothing that is
/// written in the file, where a secret may be in any place (docs/operations.md, Security).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// The file and the position in it; empty for the environment.
    place: String,
    /// The key, or the environment variable; empty for the whole.
    key: String,
    message: String,
    /// Whether nothing is wrong but that a file cannot be read now.
    pub(crate) is_of_now: bool,
}

impl ConfigError {
    /// A mistake of a value whose file is not known yet, or of an environment variable.
    pub(crate) fn about(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            place: String::new(),
            key: key.into(),
            message: message.into(),
            is_of_now: false,
        }
    }

    pub(crate) fn in_file(self, file: &str) -> Self {
        let file = text::one_line(file);
        let place = text::cut(&file, FILE_CHARACTERS).into_owned();
        Self { place, ..self }
    }

    fn at(self, location: Location) -> Self {
        let (line, column) = (location.line(), location.column());
        let place = format!("{}:{line}:{column}", self.place);
        Self { place, ..self }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [&*self.place, &*self.key, &*self.message];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        f.write_str(&text::one_line(&parts.collect::<Vec<_>>().join(": ")))
    }
}

impl std::error::Error for ConfigError {}

/// Reads the bytes of a configuration file.
pub(crate) fn bytes_of(file: &Path) -> Result<Vec<u8>, ConfigError> {
    read_file(file).map_err(|error| {
        let message = format!("cannot be read: {error}");
        ConfigError::about("", message).in_file(&file.display().to_string())
    })
}

/// Reads a file that is no larger than [`MAX_FILE_BYTES`].
pub(super) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut file = File::open(path)?.take(MAX_FILE_BYTES + 1);
    if file.read_to_end(&mut bytes)? as u64 > MAX_FILE_BYTES {
        let cause = format!("it is larger than {MAX_FILE_BYTES} bytes");
        return Err(io::Error::new(ErrorKind::FileTooLarge, cause));
    }
    Ok(bytes)
}

/// Reads a document, which need not be text. `file` is what an error calls it.
pub(crate) fn yaml<T>(file: &str, bytes: &[u8]) -> Result<T, ConfigError>
where
    T: DeserializeOwned + JsonSchema,
{
    // A snippet would print the lines around a mistake, with what they hold.
    let options: Options =
        serde_saphyr::options! { with_snippet: false, reject_unsupported_tags: true };
    let mut track = Track::new();
    let read = serde_saphyr::with_deserializer_from_slice_with_options(bytes, options, |yaml| {
        T::deserialize(Deserializer::new(yaml, &mut track))
    });
    read.map_err(|error| {
        let schema = schema_of::<T>();
        let (mut key, section) = known(&schema, &track.path());
        let mut message = message(&error);
        if let Error::SerdeMissingField { field, .. } = error {
            if let Some(example) = section["properties"][field]["examples"][0].as_str() {
                message = format!("{message}; it could be {example}");
            }
            key = format!("{key}.{field}");
        }
        let key = key.trim_start_matches('.');
        let mistake = ConfigError::about(key, message).in_file(file);
        match error.location() {
            Some(location) => mistake.at(location),
            None => mistake,
        }
    })
}

/// The schema of a document: draft 7, which most editors support.
pub(crate) fn schema_of<T: JsonSchema>() -> Json {
    let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
    let generator = settings.into_generator();
    generator.into_root_schema_for::<T>().to_value()
}

/// The part of a path that the schema has, from its start, and the schema there.
fn known<'s>(schema: &'s Json, path: &KeyPath) -> (String, &'s Json) {
    let (mut known, mut at) = (String::new(), schema);
    for segment in path {
        let (key, schema) = match segment {
            Segment::Seq { index } => (format!("[{index}]"), at.get("items")),
            Segment::Map { key } => (format!(".{key}"), at["properties"].get(key)),
            Segment::Enum { .. } | Segment::Unknown => break,
        };
        let Some(schema) = schema else { break };
        known += &key;
        at = schema;
    }
    (known, at)
}

/// What is wrong, and what would be right, in words of this program.
fn message(error: &Error) -> String {
    match error {
        Error::AliasError { error, .. } => message(error),
        // Made by the types of this program.
        Error::Message { msg, .. } => msg.clone(),
        Error::SerdeUnknownField {
            field, expected, ..
        } => unknown(field, expected),
        Error::UnsupportedTag { .. } => "tags are not supported".to_owned(),
        Error::SerdeMissingField { .. } => "is missing".to_owned(),
        Error::SerdeUnknownVariant { expected, .. } => {
            // An empty text may be another name of the default.
            let words = expected.iter().copied().filter(|word| !word.is_empty());
            format!("expected one of {}", words.collect::<Vec<_>>().join(", "))
        }
        Error::SerdeInvalidType { expected, .. } | Error::SerdeInvalidValue { expected, .. } => {
            format!("{} is expected here", kind(expected))
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

/// An unknown key is only shown if at most three letters differ from a known one: anything else may be a secret.
fn unknown(key: &str, known: &[&'static str]) -> String {
    if known.contains(&"api_key_file") && ["api_key", "key", "token"].contains(&key) {
        return LITERAL_KEY.to_owned();
    }
    let near = known.iter().map(|it| (strsim::levenshtein(key, it), it));
    let near = near.min().filter(|(letters, _)| *letters <= 3);
    let near = near.map_or_else(String::new, |(_, it)| format!(" {key:?}: is {it} meant?"));
    format!("unknown key{near}; the keys here are {}", known.join(", "))
}

/// A kind of value, as a person calls it.
fn kind(expected: &str) -> &str {
    match expected {
        "string scalar" => "a single value",
        "mapping start" => "a section with keys",
        "sequence start" => "a list",
        "boolean" => "true or false",
        "u32" => "a whole number",
        other => other,
    }
}
