//! Where the key to a portal is found, and how a key that stands in the wrong place is kept from being shown.

use std::path::PathBuf;

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny};

use crate::config::redact::{is_key, looks_like_key};
use crate::config::scalar;

/// Where the key is found. Never the key itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// The file that holds it.
    File(PathBuf),
    /// The environment variable that holds it.
    Environment(String),
}

/// The name of an environment variable, as `api_key_env` takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VariableName(pub(super) String);

impl VariableName {
    /// Takes a name; the error is a sentence that does not repeat what may be a key.
    fn parse(text: &str) -> Result<Self, String> {
        if is_variable_name(text) && !looks_like_key(text) {
            return Ok(Self(text.to_owned()));
        }
        Err(format!(
            "this is not the name of an environment variable, such as KB_API_KEY; if it is a key: {REASON}"
        ))
    }
}

impl<'de> Deserialize<'de> for VariableName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        scalar::parse(deserializer, Self::parse)
    }
}

/// The path of a file that holds a key, as `api_key_file` takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyFile(pub(super) PathBuf);

impl KeyFile {
    /// Takes a path; the error is a sentence.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if is_key(text) {
            return Err(format!(
                "this looks like a key, not like the path of a file; {REASON}"
            ));
        }
        scalar::file_path(text).map(Self)
    }
}

impl<'de> Deserialize<'de> for KeyFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        scalar::parse(deserializer, Self::parse)
    }
}

/// Stands where a key itself would: there is none, and any value is an error.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NoLiteralKey;

/// Why a key must not stand in the file, and what to do instead.
const REASON: &str = "a key here would be seen by whoever reads, copies or backs up the configuration: put it in a file of its own \
     (api_key_file) or in an environment variable (api_key_env), and replace it if the configuration was ever shared";

impl<'de> Deserialize<'de> for NoLiteralKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer)?;
        Err(D::Error::custom(format!(
            "a literal key is refused; {REASON}"
        )))
    }
}

fn is_variable_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|other| other.is_ascii_alphanumeric() || other == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::redact::redact;

    #[test]
    fn names_of_variables_are_told_from_keys() {
        for name in ["KB_API_KEY", "_x", "kb_key", "KB_API_KEY_OF_PORTAL_2026"] {
            assert!(VariableName::parse(name).is_ok(), "{name}");
        }
        for text in [
            "kbk_secret",
            "se-cret",
            "2secret",
            "sec ret",
            "sk4Qf8sLq02mZrT7yPw1",
        ] {
            let message = VariableName::parse(text).unwrap_err();
            assert!(!message.contains(text), "{message}");
        }
        assert!(VariableName::parse("").is_err());
    }

    #[test]
    fn words_that_look_like_keys_are_replaced_and_others_stay() {
        for (text, shown) in [
            ("a-kbk_a1b2", "[not shown]"),
            ("\"kbk_a1b2\" is wrong", "\"[not shown]\" is wrong"),
            ("x=sk4Qf8sLq02mZrT7yPw1", "x=[not shown]"),
            (
                "portals[0].max_requests_per_second",
                "portals[0].max_requests_per_second",
            ),
            ("ключ kbk_x, и", "ключ [not shown], и"),
            ("", ""),
        ] {
            assert_eq!(redact(text), shown);
        }
    }
}
