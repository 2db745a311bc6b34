//! Paths of files, and names of variables, as they are written. Where one is expected, a key or a password may have been written: no message
//! repeats it, and only what cannot hold a secret is shown.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use rustix::io::Errno;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::config::read::read_file;
use crate::config::value::{NotShown, read_from_text};

/// A file that the configuration names. Messages have its key, and never the path.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(into = "String", title = "a path", extend("minLength" = 1, "writeOnly" = true), inline)]
pub struct HiddenPath {
    /// The key of the configuration, the environment variable, or the flag.
    key: String,
    path: NotShown<PathBuf>,
}

impl HiddenPath {
    pub fn file(key: &str, path: impl Into<PathBuf>) -> Self {
        Self {
            key: key.to_owned(),
            path: NotShown(path.into()),
        }
    }

    /// A value that is not the path of a file on this machine is refused early: it may be a secret.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        match ShownPath::parse(text) {
            Ok(path) if text.contains('/') || path.0.exists() => Ok(Self::file("", path.0)),
            Err(error) if is_for_a_shell(text) => Err(error),
            _ => Err("expected the path of a file: with a /, or of one that exists".to_owned()),
        }
    }

    /// The file of this key.
    pub(super) fn of(self, key: &str) -> Self {
        Self::file(key, self.path.0)
    }

    pub fn read(&self) -> Result<Vec<u8>, FileError> {
        read_file(&self.path.0).map_err(|cause| FileError::new(self, cause))
    }
}

impl Serialize for HiddenPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.path.serialize(serializer)
    }
}

impl fmt::Display for HiddenPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the file that {} names", self.key)
    }
}

/// Why a file that the configuration names cannot be read.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{file} cannot be read: {cause}")]
pub struct FileError {
    file: HiddenPath,
    cause: Arc<io::Error>,
}

impl FileError {
    pub fn new(file: &HiddenPath, cause: io::Error) -> Self {
        let (file, cause) = (file.clone(), cause.into());
        Self { file, cause }
    }

    /// Whether the process, or the machine, has no descriptor left to open a file with.
    pub fn lacks_descriptors(&self) -> bool {
        let number = Errno::from_io_error(&self.cause);
        matches!(number, Some(Errno::MFILE | Errno::NFILE))
    }
}

/// The name of an environment variable that holds a key. It is not shown: it may be a key that was written there.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(
    into = "String",
    title = "the name of an environment variable",
    extend("minLength" = 1, "writeOnly" = true),
    inline
)]
pub struct VariableName(NotShown<String>);

impl VariableName {
    /// The variable of a start without a file. This name can be shown.
    pub const USUAL: &str = "KB_API_KEY";

    pub(super) fn usual() -> Self {
        Self(NotShown(Self::USUAL.to_owned()))
    }

    /// A name with lowercase letters must be that of an existing variable, because nearly every key has such letters.
    pub fn parse(text: &str) -> Result<Self, String> {
        let usual = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let is_name = text.chars().all(usual) && !text.starts_with(|c: char| c.is_ascii_digit());
        // The system refuses to look for other names.
        let exists = || !text.contains(['=', '\0']) && std::env::var_os(text).is_some();
        if !text.is_empty() && (is_name || exists()) {
            return Ok(Self(NotShown(text.to_owned())));
        }
        let expected = "expected the name of an environment variable, such as KB_API_KEY; the key itself does not belong here";
        Err(expected.to_owned())
    }

    /// The name, to be used. Nothing may show it.
    pub fn expose(&self) -> &str {
        &self.0.0
    }
}

impl fmt::Display for VariableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.expose() {
            Self::USUAL => write!(f, "the environment variable {}", Self::USUAL),
            _ => f.write_str("the environment variable that api_key_env names"),
        }
    }
}

/// A path that is shown: of the state folder, where people look for its files, and of the kill switch, which they create. Neither is
/// expected to hold a secret, as the file of a key or of a database's address is; an address is refused.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String")]
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

read_from_text!(HiddenPath, VariableName, ShownPath);

/// Whether only a shell would find the file.
fn is_for_a_shell(path: &str) -> bool {
    path.starts_with(['~', '$'])
}
