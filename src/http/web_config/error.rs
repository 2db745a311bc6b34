//! What is wrong with the web configuration file.

use std::io;
use std::path::{Path, PathBuf};

use serde_saphyr::{Error as YamlError, Location};

/// Why the web configuration file cannot be used. It quotes no value of the file, so it shows no secret.
#[derive(Debug, thiserror::Error)]
#[error("{}{}: {fault}", file.display(), position(*at))]
pub struct WebConfigError {
    file: PathBuf,
    at: Option<(u64, u64)>,
    #[source]
    fault: Fault,
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("cannot be read: {0}")]
    Unreadable(#[source] io::Error),
    #[error("{key}: {} cannot be read: {error}", file.display())]
    File {
        key: &'static str,
        file: PathBuf,
        #[source]
        error: io::Error,
    },
    #[error("{key}: {message}")]
    Value { key: String, message: String },
    #[error("{0}")]
    Yaml(String),
    #[error("tls_server_config: {0}")]
    Tls(#[from] rustls::Error),
}

impl Fault {
    pub(super) fn value(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Value {
            key: key.into(),
            message: message.into(),
        }
    }

    pub(super) fn in_file(self, file: &Path) -> WebConfigError {
        WebConfigError {
            file: file.to_owned(),
            at: None,
            fault: self,
        }
    }
}

impl WebConfigError {
    /// What the YAML parser or serde found wrong at `path`.
    pub(super) fn of_yaml(file: &Path, path: &str, error: &YamlError) -> Self {
        let message = yaml_message(error);
        let text = if path.is_empty() || path == "." {
            message
        } else {
            format!("{path}: {message}")
        };
        Self {
            at: error.location().map(place),
            ..Fault::Yaml(text).in_file(file)
        }
    }
}

fn place(location: Location) -> (u64, u64) {
    (location.line(), location.column())
}

fn position(at: Option<(u64, u64)>) -> String {
    at.map_or_else(String::new, |(line, column)| format!(":{line}:{column}"))
}

/// A sentence without any value of the file.
fn yaml_message(error: &YamlError) -> String {
    match error {
        YamlError::AliasError { error, .. } => yaml_message(error),
        YamlError::SerdeUnknownField {
            field, expected, ..
        } => format!(
            "unknown key {field}; the keys here are {}",
            expected.join(", ")
        ),
        YamlError::SerdeUnknownVariant { expected, .. } => {
            format!("expected one of {}", expected.join(", "))
        }
        YamlError::DuplicateMappingKey { key: Some(key), .. } => format!("{key} is there twice"),
        YamlError::SerdeInvalidType { expected, .. }
        | YamlError::SerdeInvalidValue { expected, .. } => format!("expected {expected}"),
        YamlError::Message { msg, .. } => msg.clone(),
        _ => "is not valid YAML of this format".to_owned(),
    }
}
