//! The disk: state that cannot be used is never overwritten, and a full disk stops no count.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{counted, scene};
use crate::support::exporter::Exporter;
use crate::support::process::Process;
use crate::support::sqlite::Sqlite;
use crate::support::wait::until;
use crate::support::workspace::Workspace;

/// Ends at once with a state folder that was prepared, says why in one sentence, and leaves its file as it was.
async fn refused(prepare: impl AsyncFnOnce(&Path), says: &str) {
    let (_portal, _, workspace) = scene(|_| {}).await;
    let folder = workspace.path("state");
    fs::create_dir(&folder).unwrap();
    prepare(&folder.join("state.db")).await;
    let before = contents(&folder);
    let mut process = Process::start(workspace.command().arg("run"));
    let code = process.ended().await.code();
    let said = process.output();
    assert_eq!(code, Some(1), "{said:#?}");
    let is_said = |line: &str| line.contains("the state cannot be used") && line.contains(says);
    assert!(said.iter().any(|line| is_said(line)), "{said:#?}");
    assert_eq!(contents(&folder), before, "it was changed");
}

fn contents(folder: &Path) -> Option<Vec<u8>> {
    fs::read(folder.join("state.db")).ok()
}

#[tokio::test]
async fn a_state_file_that_is_corrupt_newer_or_of_another_program_ends_the_process_and_stays() {
    let corrupt = async |file: &Path| {
        fs::write(file, "this was a database once ".repeat(400)).unwrap();
    };
    let newer = "CREATE TABLE lease (portal TEXT); CREATE TABLE version (number BIGINT);
                 INSERT INTO version (number) VALUES (9999)";
    let made =
        |statements| async move |file: &Path| drop(Sqlite::open(file).await.sql(statements).await);
    refused(corrupt, "not a database").await;
    refused(made(newer), "newer version").await;
    let foreign = "CREATE TABLE other (id BIGINT)";
    refused(made(foreign), "not one of kb-exporter").await;
}

/// A process in which a write beyond the limit of a file's size is an error, as it is on a full disk, and no signal.
fn without_the_signal(workspace: &Workspace) -> Command {
    let program = workspace.command();
    let mut command = Command::new("bash");
    command
        .args(["-c", r#"trap "" XFSZ; exec "$@""#, "bash"])
        .arg(program.get_program())
        .args(program.get_args())
        .arg("run");
    command
}

/// Limits how large files may become, in bytes or `unlimited`.
fn limit_files(exporter: &Exporter, size: &str) {
    let (pid, limit) = (exporter.pid().to_string(), format!("--fsize={size}:"));
    let status = Command::new("prlimit")
        .args(["--pid", &pid, &limit])
        .status();
    assert!(status.unwrap().success());
}

#[tokio::test]
async fn while_the_disk_is_full_counts_go_on_and_counters_stand_still_until_there_is_space() {
    let (portal, folders, workspace) = scene(|_| {}).await;
    let exporter = Exporter::launch(&mut without_the_signal(&workspace)).await;
    counted(&exporter, &portal).await;
    let folder = folders[1].to_string();
    let labels = [("folder_id", folder.as_str()), ("status", "failed")];
    let entered = "kb_folder_status_entries_total";
    portal.fail_one(folders[1]);
    exporter.until_value(entered, &labels, 1.0).await;

    // Nothing can be written to any file.
    limit_files(&exporter, "1");
    portal.fail_one(folders[1]);
    counted(&exporter, &portal).await;
    until("the health page says so", async || {
        let said = exporter.notes().await;
        said.contains("counters of entries do not change")
    })
    .await;
    assert_eq!(exporter.metrics().await.value(entered, &labels), Some(1.0));

    limit_files(&exporter, "unlimited");
    exporter.until_value(entered, &labels, 2.0).await;
    exporter.stop().await;
}
