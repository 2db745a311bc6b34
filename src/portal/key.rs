//! The key: where it comes from, and how it is held (docs/operations.md, Security).

use std::fmt::Display;

use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};
use thiserror::Error;

use crate::config::{FileError, KeySource};

/// A shorter key is no secret, and would hide ordinary words.
const SHORTEST_SECRET: usize = 8;

/// A portal's key. Its `Debug` form does not show it, and it is wiped when dropped.
#[derive(Debug, Clone)]
pub struct ApiKey(SecretString);

/// Why there is no key to send.
#[derive(Debug, Clone, Error)]
pub enum KeyError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{0} is not set; it should hold the key")]
    Unset(String),
    /// There is nothing in it, or something that cannot be sent.
    #[error("{0} holds no usable key: expected one line of printable characters without spaces")]
    Malformed(String),
}

impl ApiKey {
    /// Reads the key anew from its source. Blocks for a small file.
    pub fn read(source: &KeySource) -> Result<Self, KeyError> {
        match source {
            KeySource::File(file) => Self::new(&file.read()?, file),
            KeySource::Environment(name) => {
                let key = std::env::var(name.expose());
                let key = key.map_err(|_| KeyError::Unset(name.to_string()))?;
                Self::new(key.as_bytes(), name)
            }
        }
    }

    fn new(bytes: &[u8], origin: &impl Display) -> Result<Self, KeyError> {
        let key = bytes.trim_ascii();
        match std::str::from_utf8(key) {
            Ok(text) if !key.is_empty() && key.iter().all(u8::is_ascii_graphic) => {
                Ok(Self(text.into()))
            }
            _ => Err(KeyError::Malformed(origin.to_string())),
        }
    }

    /// Overwrites the key in an answer that quotes it, before anything of the answer is kept or shown.
    pub(super) fn hide_in(&self, answer: &mut [u8]) {
        let key = self.0.expose_secret().as_bytes();
        if key.len() < SHORTEST_SECRET {
            return;
        }
        let mut at = 0;
        while let Some(found) = memchr::memmem::find(&answer[at..], key) {
            let start = at + found;
            at = start + key.len();
            answer[start..at].fill(b'*');
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Hidden, HiddenPath};

    fn key(text: &str) -> Result<ApiKey, KeyError> {
        ApiKey::new(text.as_bytes(), &"here")
    }

    #[test]
    fn a_key_that_an_answer_quotes_is_overwritten() {
        let key = |key: &str| ApiKey(key.into());
        for (text, answer, hidden) in [
            (
                "kbk_secret",
                "no kbk_secret, kbk_secretkbk_secret",
                "no **********, ********************",
            ),
            ("kbk_secret", "kbk_secre", "kbk_secre"),
            ("data", r#"{"data":[]}"#, r#"{"data":[]}"#),
        ] {
            let mut answer = answer.as_bytes().to_vec();
            key(text).hide_in(&mut answer);
            assert_eq!(answer, hidden.as_bytes());
        }
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
    fn what_has_no_key_is_named_by_its_place_in_the_configuration() {
        let file = HiddenPath::file("portals[0].api_key_file", "/nonexistent/s3cret");
        let error = ApiKey::read(&KeySource::File(file)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the file that portals[0].api_key_file names cannot be read: No such file or directory (os error 2)"
        );
        let variable = Hidden::new("the environment variable KB_KEY", "s3cret".to_owned());
        let error = ApiKey::read(&KeySource::Environment(variable)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the environment variable KB_KEY is not set; it should hold the key"
        );
    }
}
