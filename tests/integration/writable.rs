//! Disks that refuse writes: `/metrics` and `/health` say which store cannot be written.

use std::os::unix::fs::PermissionsExt as _;

use kb_simulator::Status;
use kb_simulator::faults::Target;
use serde_json::json;

use crate::support::exporter::{Exporter, STORES, is_writable};
use crate::support::portal::Portal;
use crate::support::process::run;
use crate::support::sqlite::Sqlite;
use crate::support::workspace::Workspace;

/// The database of the state folder.
async fn open(workspace: &Workspace) -> Sqlite {
    Sqlite::open(&workspace.path("state").join("state.db")).await
}

#[tokio::test]
async fn a_database_that_refuses_writes_is_shown_also_when_there_is_nothing_to_write() {
    let portal = Portal::start().await;
    portal.folder("Inbox");
    let mut workspace = Workspace::each_second(&[("main", portal.base_url())]);
    workspace.change(|config| config["reindex"] = json!({"mode": "dry_run"}));
    let exporter = Exporter::start(&workspace).await;
    exporter.collected().await;
    portal.refuse(Target::List, 500);
    exporter.until_writable(&STORES, true).await;
    let mut database = open(&workspace).await;
    database.sql("BEGIN IMMEDIATE").await;
    exporter.until_writable(&STORES, false).await;
    let notes_of_refusals = ["counters of entries do not change", "nothing is reindexed"];
    let said = exporter.notes().await;
    for note in notes_of_refusals {
        assert!(said.contains(note), "{said}");
    }
    database.sql("ROLLBACK").await;
    exporter.until_writable(&STORES, true).await;
    let said = exporter.notes().await;
    for note in notes_of_refusals {
        assert!(!said.contains(note), "{said}");
    }
}

#[tokio::test]
async fn a_state_that_refuses_one_folder_is_not_writable_until_it_takes_it() {
    let portal = Portal::start().await;
    let refused = portal.folder("Inbox");
    portal.folder("Contracts");
    let workspace = Workspace::each_second(&[("main", portal.base_url())]);
    let exporter = Exporter::start(&workspace).await;
    let metrics = exporter.collected().await;
    assert_eq!(is_writable(&metrics, "state"), Some(true));
    let trigger = format!(
        "CREATE TRIGGER refuse BEFORE UPDATE ON folder WHEN new.folder = '{refused}'
         BEGIN SELECT RAISE(ABORT, 'refused'); END"
    );
    open(&workspace).await.sql(&trigger).await;
    portal.file(refused, "a.pdf", Status::Failed);
    exporter.until_writable(&["state"], false).await;
    for _ in 0..3 {
        // Other writes of the same collections succeed.
        let metrics = exporter.collections(1).await;
        assert_eq!(is_writable(&metrics, "state"), Some(false));
    }
    // It is written at once, and not only when it is read again.
    portal.refuse(Target::Folder(refused), 500);
    let drop = "DROP TRIGGER refuse";
    open(&workspace).await.sql(drop).await;
    exporter.until_writable(&["state"], true).await;
    assert_eq!(exporter.lines_with("state cannot be used"), 1);
    assert_eq!(exporter.lines_with("state can be used"), 1);
}

#[tokio::test]
async fn state_files_are_nobody_elses() {
    let portal = Portal::start().await;
    let workspace = Workspace::each_second(&[("main", portal.base_url())]);
    let exporter = Exporter::start(&workspace).await;
    exporter.until_writable(&["ledger"], true).await;
    let folder = workspace.path("state");
    let files = std::fs::read_dir(&folder).unwrap();
    let files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    assert!(files.len() >= 3, "{files:?}");
    for path in files.iter().chain([&folder]) {
        let mode = std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}: {mode:o}", path.display());
    }
}

#[test]
fn a_state_folder_that_cannot_be_used_ends_the_process_with_one_sentence() {
    let workspace = Workspace::each_second(&[("main", "http://127.0.0.1:9".to_owned())]);
    // A file is where the folder should be.
    std::fs::write(workspace.path("state"), "").unwrap();
    let listen = ["run", "--web.listen-address", "127.0.0.1:0"];
    let output = run(workspace.command().args(listen), "");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("the state cannot be used: "), "{said}");
    assert!(said.contains("state cannot be used: File exists"), "{said}");
}
