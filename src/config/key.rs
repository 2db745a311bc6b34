//! Where the key to a portal is found. A key that is in the wrong place is never shown.

use std::path::PathBuf;

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny};

use crate::config::form::{FilePath, scalar};
use crate::config::redact::{is_key, looks_like_key};

/// Where the key is found. Never the key itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// The file that holds it.
    File(PathBuf),
    /// The environment variable that holds it.
    Environment(String),
}

/// The name of an environment variable, for `api_key_env`.
pub(super) struct VariableName;

impl VariableName {
    /// The error does not repeat the text, which may be a key.
    fn parse(text: &str) -> Result<String, String> {
        if is_variable_name(text) && !looks_like_key(text) {
            return Ok(text.to_owned());
        }
        Err(format!(
            "this is not the name of an environment variable, such as KB_API_KEY; if it is a key: {REASON}"
        ))
    }
}

scalar! {
    VariableName as String,
    read: VariableName::parse,
    schema: {
        "title": "the name of an environment variable",
        "type": "string",
        "pattern": "^[A-Za-z_][A-Za-z0-9_]*$",
    }
}

/// The path of a file that holds a key, for `api_key_file`.
pub(super) struct KeyFile;

impl KeyFile {
    pub fn parse(text: &str) -> Result<PathBuf, String> {
        if is_key(text) {
            return Err(format!(
                "this looks like a key, not like the path of a file; {REASON}"
            ));
        }
        FilePath::parse(text)
    }
}

scalar! {
    KeyFile as PathBuf,
    read: KeyFile::parse,
    schema: { "title": "a path", "type": "string", "minLength": 1 }
}

/// For keys whose value would be an API key: any value is an error.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NoLiteralKey;

/// Why a key must not be in the file, and what to do instead.
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
    let is_usual = |character: char| character.is_ascii_alphanumeric() || character == '_';
    !text.is_empty()
        && text.chars().all(is_usual)
        && !text.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::redact::redact;

    #[test]
    fn names_of_variables_and_keys_are_distinguished() {
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
