//! The key: where it comes from, and how it is held (docs/operations.md, Security).

use std::fmt::Display;
use std::time::Duration;

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
    #[error("{origin} could not be read within {limit:?}: does its file system answer?")]
    Late { origin: String, limit: Duration },
    /// It holds something else than a key.
    #[error("{origin} {found}")]
    NoKey { origin: String, found: &'static str },
}

/// Longest key: longer text is something else.
const LONGEST: usize = 4096;

/// What was found instead of a key, and what to do; nothing of it is repeated.
fn mistake(text: &str) -> Option<&'static str> {
    let is_assignment = |text: &str| {
        let (name, _) = text.split_once('=')?;
        let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        (name.contains('_') && name.chars().all(is_name)).then_some(())
    };
    let quoted = |quote| text.starts_with(quote) || text.ends_with(quote);
    Some(match text {
        "" => "is empty: it should hold the key",
        _ if text.starts_with('\u{feff}') => {
            "begins with a byte order mark: save it as UTF-8 without one"
        }
        _ if text.len() > LONGEST => "is too long for a key: it should hold the key alone",
        _ if text.contains('\n') => "has several lines: it should hold the key alone",
        _ if is_assignment(text).is_some() => {
            "has NAME=… in front of the key, as environment files have: it should hold the key alone"
        }
        _ if quoted('"') || quoted('\'') => "has quotation marks around the key: remove them",
        _ if text
            .get(..6)
            .is_some_and(|start| start.eq_ignore_ascii_case("bearer")) =>
        {
            "has \"Bearer\" in front of the key: remove it"
        }
        _ if !text.bytes().all(|byte| byte.is_ascii_graphic()) => {
            "has spaces or other characters that no key has: it should hold the key alone"
        }
        _ => return None,
    })
}

impl KeyError {
    /// Reading it took too long.
    pub(super) fn late(source: &KeySource, limit: Duration) -> Self {
        let origin = match source {
            KeySource::File(file) => file.to_string(),
            KeySource::Environment(name) => name.to_string(),
        };
        Self::Late { origin, limit }
    }

    /// Reading it ended in an internal error.
    pub(super) fn unknown() -> Self {
        Self::Unset("the source of the key".to_owned())
    }
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
        let text = std::str::from_utf8(bytes.trim_ascii());
        let found = match text.map(|text| (text, mistake(text))) {
            Ok((text, None)) => return Ok(Self(text.into())),
            Ok((_, Some(found))) => found,
            Err(_) => "is not UTF-8 text: it should hold the key alone",
        };
        let origin = origin.to_string();
        Err(KeyError::NoKey { origin, found })
    }

    /// Overwrites the key in a text that quotes it, before anything of the text is kept or shown.
    pub fn hide_in(&self, text: &mut [u8]) {
        let key = self.0.expose_secret().as_bytes();
        if key.len() < SHORTEST_SECRET {
            return;
        }
        let mut at = 0;
        while let Some(found) = memchr::memmem::find(&text[at..], key) {
            let start = at + found;
            at = start + key.len();
            text[start..at].fill(b'*');
        }
    }

    /// The value of the header `Authorization` (docs/portal.md, Authentication), marked as sensitive.
    pub(super) fn header(&self) -> Result<HeaderValue, KeyError> {
        let mut value = HeaderValue::try_from(format!("Bearer {}", self.0.expose_secret()))
            .map_err(|_| KeyError::unknown())?;
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
        for (text, found) in [
            ("", "here is empty"),
            (" \n", "here is empty"),
            ("\u{feff}kbk_1", "here begins with a byte order mark"),
            ("\"kbk_1\"", "here has quotation marks"),
            ("'kbk_1'\n", "here has quotation marks"),
            ("KB_API_KEY=kbk_1", "here has NAME=… in front"),
            ("KB_API_KEY=\"kbk_1\"", "here has NAME=… in front"),
            ("Bearer kbk_1", "here has \"Bearer\" in front"),
            ("kbk 1", "here has spaces"),
            ("kbk_1\nkbk_2", "here has several lines"),
            ("kbk_\u{1b}", "here has spaces or other"),
            ("ключ", "here has spaces or other"),
            (&"k".repeat(5000), "here is too long"),
        ] {
            let error = key(text).unwrap_err().to_string();
            assert!(error.starts_with(found), "{error}");
            assert!(!error.contains("kbk"), "{error}");
        }
        assert!(key("kbk_a-b/c+d==").is_ok());
    }

    #[test]
    fn nothing_that_holds_a_key_shows_it() {
        let key = key("kbk_secret").unwrap();
        assert!(!format!("{key:?} {:?}", key.header().unwrap()).contains("secret"));
    }
}
