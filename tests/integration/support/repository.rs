//! The files of the repository.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Its root.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file.
pub(crate) fn text(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The content of a YAML file.
pub(crate) fn yaml(path: impl AsRef<Path>) -> Value {
    serde_saphyr::from_str(&text(path)).unwrap()
}
