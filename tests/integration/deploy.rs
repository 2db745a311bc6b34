//! The files in `deploy/` fit each other and what they deploy, and the tools that they are for accept them.

mod compose;
mod kubernetes;
mod monitoring;
mod release;

use std::env;
use std::process::Command;

use serde_json::Value;

use crate::support::repository::root;

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
