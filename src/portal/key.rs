//! The key: where it comes from, and how it is held (docs/operations.md, Security).

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};
use thiserror::Error;

use crate::config::KeySource;

/// Longest key file that is read, in bytes.
const MAX_BYTES: u64 = 16 * 1024;

/// A portal's key. Its `Debug` form does not show it, and it is wiped when dropped.
#[derive(Debug, Clone)]
pub struct ApiKey(SecretString);

/// Why there is no key to send.
#[derive(Debug, Clone, Error)]
pub enum KeyError {
    /// The file cannot be read.
    #[error("cannot read the key file {}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: String,
    },
    /// The environment variable is not set.
    #[error("the environment variable {0} is not set; it should hold the key")]
    Unset(String),
    /// There is nothing in it, or something that cannot be sent.
    #[error("{0} holds no usable key: expected one line of printable characters without spaces")]
    Malformed(String),
}

impl ApiKey {
    /// Reads the key anew from its source. Blocks for a small file.
    pub fn read(source: &KeySource) -> Result<Self, KeyError> {
        match source {
            KeySource::File(path) => {
                let text = read_file(path).map_err(|error| KeyError::File {
                    path: path.clone(),
                    cause: error.to_string(),
                })?;
                Self::new(&text, || path.display().to_string())
            }
            KeySource::Environment(name) => {
                let text = std::env::var(name).map_err(|_| KeyError::Unset(name.clone()))?;
                Self::new(&text, || name.clone())
            }
        }
    }

    fn new(text: &str, origin: impl FnOnce() -> String) -> Result<Self, KeyError> {
        let key = text.trim();
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(KeyError::Malformed(origin()));
        }
        Ok(Self(key.into()))
    }

    /// The value of the header `Authorization` (docs/portal.md, Authentication), marked as sensitive.
    pub(super) fn header(&self) -> Result<HeaderValue, KeyError> {
        let mut value = HeaderValue::try_from(format!("Bearer {}", self.0.expose_secret()))
            .map_err(|_| KeyError::Malformed("the source of the key".to_owned()))?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl PartialEq for ApiKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.expose_secret() == other.0.expose_secret()
    }
}

fn read_file(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?
        .take(MAX_BYTES)
        .read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Result<ApiKey, KeyError> {
        ApiKey::new(text, || "here".to_owned())
    }

    #[test]
    fn white_space_around_a_key_is_not_part_of_it() {
        assert!(key(" kbk_1\r\n").unwrap() == key("kbk_1").unwrap());
    }

    #[test]
    fn a_key_that_cannot_be_sent_is_refused_without_being_shown() {
        for text in ["", " \n", "kbk 1", "kbk\n2", "kbk_\u{1b}", "ключ"] {
            let error = key(text).unwrap_err().to_string();
            assert!(error.starts_with("here holds no usable key"), "{error}");
        }
    }

    #[test]
    fn nothing_that_holds_a_key_shows_it() {
        let key = key("kbk_secret").unwrap();
        assert!(!format!("{key:?} {:?}", key.header().unwrap()).contains("secret"));
    }

    #[test]
    fn a_missing_file_is_named() {
        let source = KeySource::File("/nonexistent/key".into());
        let error = ApiKey::read(&source).unwrap_err().to_string();
        assert!(error.contains("/nonexistent/key: No such file"), "{error}");
    }
}
