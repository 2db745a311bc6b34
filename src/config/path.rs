//! Paths of files, and names of variables, as they are written. Where one is expected, a key or a password may have been written: no error
//! repeats it, and only what cannot hold a secret is shown.

use std::fmt;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::keys::LITERAL_KEY;
use crate::config::value::written_as_text;

/// What is shown in the place of a secret value.
pub(super) const NOT_SHOWN: &str = "[not shown]";

/// The path of a file that the program reads. It is never shown.
#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(title = "a path", extend("minLength" = 1, "writeOnly" = true), inline)]
pub(super) struct SecretPath(pub PathBuf);

impl SecretPath {
    /// A value that is not the path of a file on this machine is refused early: it may be a secret.
    pub fn parse(text: &str) -> Result<Self, String> {
        let path = ShownPath::parse(text);
        match path {
            Ok(path) if text.contains('/') || path.0.exists() => Ok(Self(path.0)),
            Err(error) if is_for_a_shell(text) => Err(error),
            _ => Err("expected the path of a file: with a /, or of one that exists".to_owned()),
        }
    }
}

impl fmt::Display for SecretPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NOT_SHOWN)
    }
}

/// The path of a file that holds a key, for `api_key_file`.
#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(title = "a path", extend("minLength" = 1, "writeOnly" = true), inline)]
pub(super) struct KeyFile(pub PathBuf);

impl KeyFile {
    pub fn parse(text: &str) -> Result<Self, String> {
        let path = SecretPath::parse(text);
        path.map(|path| Self(path.0))
            .map_err(|error| error + &perhaps_a_key(text))
    }
}

impl fmt::Display for KeyFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NOT_SHOWN)
    }
}

/// The name of an environment variable, for `api_key_env`.
#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(
    title = "the name of an environment variable",
    extend("minLength" = 1, "writeOnly" = true),
    inline
)]
pub(super) struct VariableName(pub String);

impl VariableName {
    /// A name with lowercase letters must be that of an existing variable, because nearly every key has such letters.
    fn parse(text: &str) -> Result<Self, String> {
        let usual = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let is_name = text.chars().all(usual) && !text.starts_with(|c: char| c.is_ascii_digit());
        // The system refuses to look for other names.
        let exists = || !text.contains(['=', '\0']) && std::env::var_os(text).is_some();
        if !text.is_empty() && (is_name || exists()) {
            return Ok(Self(text.to_owned()));
        }
        let expected = "expected the name of an environment variable, such as KB_API_KEY";
        Err(format!("{expected}{}", perhaps_a_key(text)))
    }
}

impl fmt::Display for VariableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NOT_SHOWN)
    }
}

/// A path that is shown: of the state folder, where people look for its files, and of the kill switch, which they create. Neither is
/// expected to hold a secret, as the file of a key or of a database's address is; an address is refused.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(title = "a path", extend("minLength" = 1), inline)]
pub(super) struct ShownPath(pub PathBuf);

impl ShownPath {
    pub fn parse(text: &str) -> Result<Self, String> {
        if is_for_a_shell(text) {
            return Err("~ and variables are not replaced here: write the whole path".to_owned());
        }
        if text.is_empty() || text.contains('\0') || text.contains("://") {
            return Err("expected a path, such as /var/lib/kb-exporter".to_owned());
        }
        Ok(Self(PathBuf::from(text)))
    }
}

impl fmt::Display for ShownPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Path::display(&self.0).fmt(f)
    }
}

written_as_text!(SecretPath, KeyFile, VariableName, ShownPath);

/// Whether only a shell would find the file.
fn is_for_a_shell(path: &str) -> bool {
    path.starts_with(['~', '$'])
}

/// What else a text may be that was to say where a key is found: the end of a sentence.
fn perhaps_a_key(text: &str) -> String {
    if text.is_empty() || is_for_a_shell(text) {
        return String::new();
    }
    format!("; if this is a key: {LITERAL_KEY}")
}
