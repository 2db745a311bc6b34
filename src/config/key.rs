//! Where the key to a portal is found. A key that is in the wrong place is never shown.

use std::path::PathBuf;

use crate::config::form::{FilePath, scalar};
use crate::config::hidden::{Hidden, HiddenPath};
use crate::config::keys::LITERAL_KEY;

/// Where the key is found. Never the key itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    File(HiddenPath),
    /// The environment variable that holds it.
    Environment(Hidden<String>),
}

impl KeySource {
    /// The key of the configuration, or the environment variable, that says so.
    pub fn key(&self) -> &str {
        match self {
            Self::File(file) => file.key(),
            Self::Environment(variable) => variable.key(),
        }
    }
}

/// The name of an environment variable, for `api_key_env`.
pub(super) struct VariableName;

impl VariableName {
    /// A name with lowercase letters must be that of an existing variable, because nearly every key has such letters.
    fn parse(text: &str) -> Result<String, String> {
        let usual = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let is_name = text.chars().all(usual) && !text.starts_with(|c: char| c.is_ascii_digit());
        // The system refuses to look for other names.
        let exists = || !text.contains(['=', '\0']) && std::env::var_os(text).is_some();
        if !text.is_empty() && (is_name || exists()) {
            return Ok(text.to_owned());
        }
        let expected = "expected the name of an environment variable, such as KB_API_KEY";
        Err(format!("{expected}{}", perhaps_a_key(text)))
    }
}

scalar! {
    VariableName as String,
    read: VariableName::parse,
    schema: {
        "title": "the name of an environment variable",
        "type": "string",
        "minLength": 1,
        "writeOnly": true,
    }
}

/// The path of a file that holds a key, for `api_key_file`.
pub(super) struct KeyFile;

impl KeyFile {
    pub fn parse(text: &str) -> Result<PathBuf, String> {
        FilePath::parse(text).map_err(|error| error + &perhaps_a_key(text))
    }
}

/// What else a text may be that was to say where a key is found: the end of a sentence.
fn perhaps_a_key(text: &str) -> String {
    if text.is_empty() || text.starts_with(['~', '$']) {
        return String::new();
    }
    format!("; if this is a key: {LITERAL_KEY}")
}

scalar! {
    KeyFile as PathBuf,
    read: KeyFile::parse,
    schema: { "title": "a path", "type": "string", "minLength": 1, "writeOnly": true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_variables_and_keys_are_distinguished() {
        for name in ["KB_API_KEY", "_X", "KB_API_KEY_OF_PORTAL_2026"] {
            assert!(VariableName::parse(name).is_ok(), "{name}");
        }
        for text in [
            "kbk_secret",
            "SE-CRET",
            "2SECRET",
            "SEC RET",
            "SECRET=1",
            "",
            "ключ",
        ] {
            let message = VariableName::parse(text).unwrap_err();
            assert!(text.is_empty() || !message.contains(text), "{message}");
        }
    }

    #[test]
    fn the_path_of_a_key_file_is_refused_where_it_cannot_be_one() {
        for path in ["/run/secrets/kb-key", "secrets/kb-key", "Cargo.toml"] {
            assert!(KeyFile::parse(path).is_ok(), "{path}");
        }
        for text in [
            "",
            "sk4Qf8sLq02mZrT7yPw1",
            "https://portal.example/key",
            "a\0/b",
        ] {
            let message = KeyFile::parse(text).unwrap_err();
            assert!(text.is_empty() || !message.contains(text), "{message}");
        }
    }
}
