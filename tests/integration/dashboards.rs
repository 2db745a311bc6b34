//! The committed dashboards keep to the rules, and their queries have answers.

mod live;
mod queries;
mod text;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The files of the dashboards.
fn files() -> Vec<PathBuf> {
    let entries = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/dashboards")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let files: Vec<_> = paths
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    assert_eq!(files.len(), 4);
    files
}

fn read(file: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

/// Every dashboard that is committed.
pub(crate) fn committed() -> Vec<Value> {
    files().iter().map(|file| read(file)).collect()
}

/// Its panels, rows included.
fn panels(board: &Value) -> impl Iterator<Item = &Value> {
    board["panels"].as_array().unwrap().iter()
}

/// The queries of a panel.
fn targets(panel: &Value) -> impl Iterator<Item = &Value> {
    panel["targets"].as_array().into_iter().flatten()
}

/// Its variables but for the data source.
fn variables(board: &Value) -> impl Iterator<Item = &Value> {
    let list = board["templating"]["list"].as_array().unwrap().iter();
    list.filter(|variable| variable["type"] != "datasource")
}
