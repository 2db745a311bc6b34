//! Values of the configuration that no message shows: where a path or a name is expected, a key or a password may have been written.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

/// Largest file that is read, in bytes: a bundle of all public authorities has a quarter of it.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// A value that messages never show. They name the configuration key that has it.
#[derive(Clone)]
pub struct Hidden<T> {
    /// The key of the configuration, or the environment variable, that has it.
    key: Arc<str>,
    shown: Arc<str>,
    value: T,
}

/// A file that the configuration names.
pub type HiddenPath = Hidden<PathBuf>;

/// Why a file that the configuration names cannot be read.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{file} cannot be read: {cause}")]
pub struct FileError {
    file: HiddenPath,
    cause: Arc<io::Error>,
}

impl FileError {
    pub fn new(file: &HiddenPath, cause: io::Error) -> Self {
        Self {
            file: file.clone(),
            cause: cause.into(),
        }
    }

    /// Whether the process, or the machine, has no descriptor left to open a file with.
    pub fn lacks_descriptors(&self) -> bool {
        let number = Errno::from_io_error(&self.cause);
        matches!(number, Some(Errno::MFILE | Errno::NFILE))
    }
}

impl<T> Hidden<T> {
    /// The value of a key, which is shown as `shown`.
    pub fn new(key: &str, shown: &str, value: T) -> Self {
        Self {
            key: key.into(),
            shown: shown.into(),
            value,
        }
    }

    pub fn key(&self) -> &str {
        &self.key
    }

    /// The value, to be used. Nothing may show it.
    pub const fn expose(&self) -> &T {
        &self.value
    }
}

impl HiddenPath {
    /// The file whose path a configuration key has.
    pub fn file(key: &str, path: impl Into<PathBuf>) -> Self {
        Self::new(key, &format!("the file that {key} names"), path.into())
    }

    pub fn read(&self) -> Result<Vec<u8>, FileError> {
        read_file(&self.value).map_err(|cause| FileError::new(self, cause))
    }
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

impl<T> fmt::Display for Hidden<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl<T> fmt::Debug for Hidden<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// Values are the same wherever they are written: a reload that changes the order of portals changes none of them.
impl<T: PartialEq> PartialEq for Hidden<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Hidden<T> {}
