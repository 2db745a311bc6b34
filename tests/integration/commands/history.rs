//! `kb-exporter reindex history`.

use std::os::unix::fs::MetadataExt;
use std::process::Command;

use super::*;

#[test]
fn the_reindex_history_needs_a_state_folder_and_a_ledger_in_it() {
    let output = run(program().args(["reindex", "history"]), "");
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("--config.file"), "{}", said(&output));
    let workspace = Workspace::new(&[("main", "http://127.0.0.1:9".to_owned())]);
    let output = run(workspace.command().args(["reindex", "history"]), "");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).contains("nothing is stored yet"),
        "{}",
        said(&output)
    );
    assert!(!workspace.path("state").join("state.db").exists());
}

#[tokio::test]
async fn the_reindex_history_is_read_beside_the_running_exporter_and_without_the_key() {
    let portal = Portal::start().await;
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let exporter = Exporter::start(&workspace).await;
    exporter.collected().await;
    fs::remove_file(workspace.path("key")).unwrap();
    let mut command = workspace.command();
    let output = run(command.args(["reindex", "history", "--output", "json"]), "");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document, serde_json::json!({"attempts": []}));
    exporter.stop().await;
    let state = workspace.path("state");
    let mut command = program();
    let environment = [
        ("KB_BASE_URL", portal.base_url()),
        ("KB_API_KEY", "kbk_demo".to_owned()),
    ];
    command.envs(environment).env("KB_STATE_PATH", &state);
    let output = run(command.args(["reindex", "history"]), "");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));

    // Nor need whoever reads it be able to write there.
    let folder = workspace.path("");
    let chmod = Command::new("chmod")
        .args(["-R", "a=rX"])
        .arg(&folder)
        .status();
    assert!(chmod.unwrap().success());
    let mut command = by_nobody(&workspace.command());
    let output = run(command.args(["reindex", "history"]), "");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let chmod = Command::new("chmod")
        .args(["-R", "u+w"])
        .arg(&folder)
        .status();
    assert!(chmod.unwrap().success());
}

/// The same command, run by a user without rights.
fn by_nobody(command: &Command) -> Command {
    let mut other = Command::new("setpriv");
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        other.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    }
    other.arg("--").arg(command.get_program());
    other.args(command.get_args());
    other
}
