//! The disk: state that cannot be used is served without, said aloud, and never overwritten.

use std::fs;
use std::path::Path;
use std::process::Command;

use kb_simulator::Status;

use super::{counted, scene};
use crate::support::exporter::Exporter;
use crate::support::workspace::Workspace;

/// Serves on with a state folder that was prepared, says so, and leaves its file as it was.
async fn served_without_state(prepare: impl FnOnce(&Path), says: &str) {
    let (portal, folders, workspace) = scene(|_| {}).await;
    let folder = workspace.path("state");
    prepare(&folder);
    let before = contents(&folder);
    let exporter = Exporter::start(&workspace).await;
    counted(&exporter, &portal).await;
    portal.fail_one(folders[0]);
    counted(&exporter, &portal).await;
    let health = exporter.json("/health").await;
    assert_eq!(health["status"], "warn");
    let output = health["checks"]["portal:main"][0]["output"].to_string();
    assert!(output.contains(says), "{output}");
    let is_logged = |line: &String| line.contains("state cannot be used") && line.contains(says);
    assert!(
        exporter.output().iter().any(is_logged),
        "the log does not say it"
    );
    exporter.stop().await;
    assert_eq!(contents(&folder), before, "it was changed");
}

fn contents(folder: &Path) -> Option<Vec<u8>> {
    fs::read(folder.join("state.db")).ok()
}

#[tokio::test]
async fn counts_are_served_without_a_state_folder_that_cannot_be_made() {
    let file_in_its_place = |folder: &Path| fs::write(folder, "not a folder").unwrap();
    served_without_state(file_in_its_place, "the state folder").await;
}

#[tokio::test]
async fn a_corrupt_state_file_is_not_used_and_stays() {
    let corrupt = |folder: &Path| {
        fs::create_dir(folder).unwrap();
        fs::write(
            folder.join("state.db"),
            "this was a database once ".repeat(400),
        )
        .unwrap();
    };
    served_without_state(corrupt, "the state file").await;
}

#[tokio::test]
async fn a_newer_state_file_is_not_used_and_stays() {
    let newer = |folder: &Path| {
        fs::create_dir(folder).unwrap();
        let database = rusqlite::Connection::open(folder.join("state.db")).unwrap();
        database.pragma_update(None, "user_version", 9_999).unwrap();
    };
    served_without_state(newer, "newer version").await;
}

#[tokio::test]
async fn counts_are_served_without_a_state_folder_that_another_process_has() {
    let (portal, _, workspace) = scene(|_| {}).await;
    let first = Exporter::start(&workspace).await;
    counted(&first, &portal).await;
    let second = Exporter::start(&workspace).await;
    counted(&second, &portal).await;
    let output = health_of(&second).await;
    assert!(output.contains("in use by another process"), "{output}");
    assert_eq!(health_of(&first).await, "null");
    stop_both(first, second, &workspace).await;
}

/// Files that need more space than a file may take.
const TOO_MANY: usize = 40_000;

/// The program with files of at most two mebibytes, as if the disk were full then.
fn on_a_small_disk(workspace: &Workspace) -> Command {
    let program = workspace.command();
    let mut command = Command::new("bash");
    command
        .args([
            "-c",
            r#"trap "" XFSZ; ulimit -S -f 2048; exec "$@""#,
            "bash",
        ])
        .arg(program.get_program())
        .args(program.get_args())
        .arg("run");
    command
}

/// Frees space on the disk of a running process.
fn free_space(pid: u32) {
    let pid = pid.to_string();
    let limits = ["--pid", &pid, "--fsize=unlimited:unlimited"];
    assert!(
        Command::new("prlimit")
            .args(limits)
            .status()
            .unwrap()
            .success()
    );
}

#[tokio::test]
async fn while_the_disk_is_full_counts_go_on_and_counters_stand_still_until_there_is_space() {
    let (portal, folders, workspace) = scene(|config| {
        config["request"]["timeout"] = "10s".into();
    })
    .await;
    let folder = folders[1].to_string();
    let exporter = Exporter::launch(&mut on_a_small_disk(&workspace)).await;
    counted(&exporter, &portal).await;
    portal.world(|world| {
        let files = world.add_files(folders[1], &Status::Failed, TOO_MANY);
        assert_eq!(files.unwrap().len(), TOO_MANY);
    });
    counted(&exporter, &portal).await;
    let labels = [("folder_id", folder.as_str()), ("status", "failed")];
    let entries = "kb_folder_status_entries_total";
    let metrics = exporter.metrics().await;
    assert_eq!(metrics.value(entries, &labels), Some(0.0));
    let said = health_of(&exporter).await;
    assert!(said.contains("counters of entries stand still"), "{said}");

    free_space(exporter.pid());
    exporter
        .metrics_when("what entered meanwhile is counted", |metrics| {
            metrics.value(entries, &labels) == Some(40_000.0)
        })
        .await;
    exporter.stop().await;
}

async fn health_of(exporter: &Exporter) -> String {
    let health = exporter.json("/health").await;
    health["checks"]["portal:main"][0]["output"].to_string()
}

async fn stop_both(first: Exporter, second: Exporter, workspace: &Workspace) {
    second.stop().await;
    first.stop().await;
    assert!(workspace.path("state").join("state.db").exists());
}
