//! The key: rotated, refused for one folder, refused altogether.

use std::io::Write;

use kb_simulator::faults::{Fault, RetryAfter, Scope, Target};
use uuid::Uuid;

use super::{KEY, counted, scene};
use crate::faults::witness;
use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::workspace::Workspace;
use kb_exposition::Exposition;

const ROTATED: &str = "kbk_rotated_902c";

async fn until_unavailable(exporter: &Exporter, reason: &str) {
    let labels = [("reason", reason)];
    exporter
        .until_value("kb_portal_unavailable", &labels, 1.0)
        .await;
}

#[tokio::test]
async fn a_key_that_is_rotated_in_its_file_is_used_without_a_restart() {
    let (portal, folders, workspace) = scene(|_| {}).await;
    let exporter = Exporter::start(&workspace).await;
    counted(&exporter, &portal).await;
    portal.world(|world| {
        world.issue_key(ROTATED);
        world.key_folders(ROTATED, folders);
        world.revoke_key(KEY);
    });
    until_unavailable(&exporter, "unauthorized").await;
    std::fs::write(workspace.path("key"), format!("{ROTATED}\n")).unwrap();
    portal.fail_one(folders[0]);
    counted(&exporter, &portal).await;
    for key in [KEY, ROTATED] {
        witness::reads_well(&exporter, key).await;
        witness::was_well(&exporter, key);
    }
}

#[tokio::test]
async fn a_key_on_a_file_system_that_does_not_answer_is_said_and_delays_no_stop() {
    let (portal, folders, workspace) = scene(|_| {}).await;
    let exporter = Exporter::start(&workspace).await;
    counted(&exporter, &portal).await;
    put_pipe(&workspace);
    until_unavailable(&exporter, "key_unreadable").await;
    let said = exporter.notes().await;
    assert!(said.contains("could not be read within 1s"), "{said}");
    portal.fail_one(folders[0]);
    // The file is there before the pipe answers, so that nothing reads a pipe that nobody writes to any more.
    let mut pipe = std::fs::File::create(workspace.path("key")).unwrap();
    std::fs::write(workspace.path("file"), KEY).unwrap();
    std::fs::rename(workspace.path("file"), workspace.path("key")).unwrap();
    pipe.write_all(KEY.as_bytes()).unwrap();
    drop(pipe);
    counted(&exporter, &portal).await;
    put_pipe(&workspace);
    until_unavailable(&exporter, "key_unreadable").await;
    exporter.stop().await;
}

/// Puts a pipe in the place of the key, to read which takes until somebody writes.
fn put_pipe(workspace: &Workspace) {
    let pipe = workspace.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    std::fs::rename(pipe, workspace.path("key")).unwrap();
}

#[tokio::test]
async fn a_key_file_that_is_gone_for_a_while_is_the_portals_trouble_and_passes() {
    let (portal, folders, workspace) = scene(|_| {}).await;
    let exporter = Exporter::start(&workspace).await;
    counted(&exporter, &portal).await;
    std::fs::remove_file(workspace.path("key")).unwrap();
    until_unavailable(&exporter, "key_unreadable").await;
    let asked = portal.requests_with("/mine");
    exporter.collected_again().await;
    assert_eq!(
        portal.requests_with("/mine"),
        asked,
        "nothing is sent without a key"
    );
    std::fs::write(workspace.path("key"), KEY).unwrap();
    portal.fail_one(folders[0]);
    counted(&exporter, &portal).await;
}

/// Starts with everything counted, refuses the first folder's files, and waits for a reason. Collects once an hour, and again at a
/// reload, so that requests can be counted.
async fn refused(status: u16) -> (Portal, [Uuid; 2], Exporter) {
    let (portal, folders, workspace) = scene(|config| {
        config["collect"]["schedule"] = "1h".into();
    })
    .await;
    let fault = Fault::Status(status, RetryAfter::Absent);
    portal
        .faults
        .add(Scope::each(Target::Folder(folders[0])), fault);
    let exporter = Exporter::start(&workspace).await;
    exporter.collected().await;
    (portal, folders, exporter)
}

fn reason(metrics: &Exposition, folder: Uuid) -> Option<String> {
    let own = metrics.folder(folder);
    let mut reasons = own.all("kb_folder_unavailable", &[]);
    let reason = reasons.next()?.labels["reason"].clone();
    assert_eq!(reasons.next(), None);
    Some(reason)
}

#[tokio::test]
async fn a_refused_folder_that_is_still_listed_is_forbidden_after_one_request_for_the_list() {
    for status in [401, 403] {
        let (portal, folders, exporter) = refused(status).await;
        let metrics = exporter.metrics().await;
        assert_eq!(
            reason(&metrics, folders[0]).as_deref(),
            Some("forbidden"),
            "{status}"
        );
        assert_eq!(reason(&metrics, folders[1]), None, "{status}");
        assert_eq!(
            portal.requests_with("/mine"),
            2,
            "one to begin with, one to settle"
        );
        assert_eq!(
            portal.requests_with(&format!("{}/files", folders[0])),
            1,
            "{status}"
        );
    }
}
