//! The files in `deploy/` fit each other and what they deploy, and the tools that they are for accept them.

mod compose;
mod kubernetes;
mod monitoring;
mod release;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::process::run;

/// The root of the repository.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file of the repository.
fn text(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The content of a YAML file.
fn yaml(path: impl AsRef<Path>) -> Value {
    serde_saphyr::from_str(&text(path)).unwrap()
}

/// The items of a list; none where there is no list.
fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A list of texts.
fn texts(value: &Value) -> Vec<&str> {
    list(value).map(|item| item.as_str().unwrap()).collect()
}

/// A tool that `tests/run` installs for these tests. None where it could not, which it says and tells with a variable.
pub(crate) fn tool(name: &str) -> Option<Command> {
    let installed = root().join("target/tools/bin").join(name);
    if installed.exists() {
        return Some(Command::new(installed));
    }
    let without = env::var_os("KB_WITHOUT_TOOLS").is_some();
    assert!(without, "{} is missing: use tests/run", installed.display());
    None
}

/// Runs a command that must succeed, and returns its output.
#[track_caller]
fn output(command: &mut Command) -> String {
    let output = run(command, "");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}
