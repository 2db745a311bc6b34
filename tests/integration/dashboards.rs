//! The dashboards: what is committed is what is written down here, it keeps to the rules, and it has answers.

mod board;
mod boards;
mod colours;
mod frame;
mod live;
mod panel;
mod panels;
mod queries;
mod table;

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

/// With this variable set, the dashboards are written anew instead of being compared.
const UPDATE: &str = "UPDATE_DASHBOARDS";

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/dashboards"))
}

/// Every dashboard that is committed.
pub(crate) fn committed() -> Vec<Value> {
    let entries = fs::read_dir(folder()).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let boards: Vec<_> = paths
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .map(|path| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap())
        .collect();
    assert_eq!(boards.len(), boards::all().len());
    boards
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

#[test]
fn the_committed_dashboards_are_those_that_are_written_here() {
    for board in boards::all() {
        let (name, text) = board.file();
        let path = folder().join(name);
        if std::env::var_os(UPDATE).is_some() {
            fs::write(&path, &text).unwrap();
        }
        let committed = fs::read_to_string(&path).unwrap();
        assert!(
            committed == text,
            "{} is old; run the tests once with {UPDATE}=1",
            path.display()
        );
    }
}
