//! The log at its default level: one line for a collection, and never one for each of thousands of folders.

use kb_simulator::faults::{BodyFault, Fault, Target};
use serde_json::Value;

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::wait::wait_for;
use crate::support::workspace::Workspace;

const FOLDERS: usize = 60;

fn lines(exporter: &Exporter, message: &str) -> Vec<Value> {
    let lines = exporter.output().into_iter();
    let lines = lines.filter_map(|line| serde_json::from_str::<Value>(&line).ok());
    lines.filter(|line| line["msg"] == message).collect()
}

/// The lines of this number of collections, when these have ended.
async fn ended_collections(exporter: &Exporter, number: usize) -> Vec<Value> {
    wait_for("lines of collections", async || {
        let ended = lines(exporter, "collection ended");
        (ended.len() >= number).then_some(ended)
    })
    .await
}

#[tokio::test]
async fn many_folders_that_fail_at_once_leave_the_log_readable() {
    let portal = Portal::start().await;
    for _ in 0..FOLDERS {
        portal.folder("a");
    }
    portal.strike(Target::Files, Fault::Body(BodyFault::Garbage));
    let workspace = Workspace::each_second(&[("main", portal.base_url())]);
    // What the first collection asked for is not mixed with what the next one asks for.
    portal.hold_after("mine", 1);
    let exporter = Exporter::start(&workspace).await;
    ended_collections(&exporter, 1).await;
    portal.release();
    let ended = ended_collections(&exporter, 3).await;
    assert_eq!(ended[0]["portal"], "main");
    assert_eq!(ended[0]["result"], "failure");
    assert_eq!(ended[0]["failed"], 60);
    let why = ended[0]["why"].as_str().unwrap();
    assert!(why.starts_with("folder a: "), "{why}");
    assert_eq!(ended[0]["requests"], 61);
    assert!(ended[0]["seconds"].is_number());

    let named = exporter.lines_with("folder a");
    let ended = lines(&exporter, "collection ended").len();
    assert_eq!(named, ended, "one line of each collection");
}
