//! Interface, DELETE and the two reindex requests, and what the logs make of them.

use axum::http::{Method, StatusCode};
use serde_json::json;
use uuid::Uuid;

use super::support::{FOLDERS, Portal, file, text};
use crate::{ReindexAnswer, Status};

fn delete_path(folder: Uuid, file: impl std::fmt::Display) -> String {
    format!("{FOLDERS}/{folder}/files/{file}")
}

#[tokio::test]
async fn delete_removes_the_file_from_this_folder_only() {
    let portal = Portal::new();
    let file = portal.add("a.txt", "", Status::Done);
    let other = portal.simulator.with(|world| {
        let other = world.add_folder("Second");
        world.share_file(portal.folder, file, other).unwrap();
        other
    });
    let path = delete_path(portal.folder, file);
    let answer = portal.call(&Method::DELETE, &path).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.body, json!({"data": {"success": true}}));
    let left = portal
        .simulator
        .with(|world| (world.file_ids(portal.folder), world.file_ids(other)));
    assert_eq!(left, (vec![], vec![file]));
    let again = portal.call(&Method::DELETE, &path).await;
    again.is_refused(404, "file_not_found");
    let last = portal
        .call(&Method::DELETE, &delete_path(other, file))
        .await;
    assert_eq!(last.status, StatusCode::OK);
    let gone = portal
        .call(&Method::DELETE, &delete_path(other, file))
        .await;
    gone.is_refused(404, "file_not_found");
}

#[tokio::test]
async fn delete_removes_the_file_at_every_path_of_the_folder() {
    let portal = Portal::new();
    let paths = text("relativePaths", r#"["", "2024"]"#);
    let parts = [file("a.txt", b"same"), file("a.txt", b"same"), paths];
    portal.upload(parts).await;
    let listed = portal.files("").await;
    let ids = listed.column("id");
    assert_eq!((ids.len(), &ids[0]), (2, &ids[1]));
    assert_ne!(listed.column("linkId")[0], listed.column("linkId")[1]);
    let path = delete_path(portal.folder, &ids[0]);
    portal.call(&Method::DELETE, &path).await;
    assert_eq!(portal.files("").await.body["pagination"]["total"], 0);
}

#[tokio::test]
async fn delete_takes_the_id_and_not_the_link_id() {
    let portal = Portal::new();
    portal.add("a.txt", "", Status::Done);
    let link = portal.files("").await.column("linkId").remove(0);
    for id in [link.as_str(), "no-uuid"] {
        let answer = portal
            .call(&Method::DELETE, &delete_path(portal.folder, id))
            .await;
        answer.is_refused(404, "file_not_found");
    }
    assert_eq!(portal.files("").await.body["pagination"]["total"], 1);
}

async fn reindex(portal: &Portal, which: &str) -> serde_json::Value {
    let path = format!("{FOLDERS}/{}/reindex-{which}", portal.folder);
    let answer = portal.call(&Method::POST, &path).await;
    assert_eq!(answer.status, StatusCode::OK);
    answer.body
}

fn one_of_each(portal: &Portal) {
    for (name, status) in ["a", "b", "c", "d", "e"].into_iter().zip(Status::KNOWN) {
        portal.add(name, "", status);
    }
}

#[tokio::test]
async fn reindex_failed_requeues_failed_files_only_and_counts_them() {
    let portal = Portal::new();
    one_of_each(&portal);
    assert_eq!(
        reindex(&portal, "failed").await,
        json!({"data": {"updated": 1}})
    );
    let expected = ["pending", "processing", "done", "pending", "flagged"];
    let answer = portal.files("").await;
    assert_eq!(answer.column("indexStatus"), expected);
    assert_eq!(answer.column("indexError")[3], "null");
    assert_eq!(
        reindex(&portal, "failed").await,
        json!({"data": {"updated": 0}})
    );
}

#[tokio::test]
async fn reindex_all_requeues_every_file() {
    let portal = Portal::new();
    one_of_each(&portal);
    assert_eq!(
        reindex(&portal, "all").await,
        json!({"data": {"updated": 5}})
    );
    assert_eq!(portal.files("").await.column("indexStatus"), ["pending"; 5]);
}

#[tokio::test]
async fn a_file_at_two_paths_is_one_affected_file() {
    let portal = Portal::new();
    let paths = text("relativePaths", r#"["", "2024"]"#);
    let parts = [file("a.txt", b"same"), file("a.txt", b"same"), paths];
    portal.upload(parts).await;
    assert_eq!(reindex(&portal, "all").await["data"]["updated"], 1);
}

#[tokio::test]
async fn a_requeued_file_may_take_another_state() {
    let portal = Portal::with_switches(|switches| switches.requeued = Status::Processing);
    portal.add("a", "", Status::Failed);
    reindex(&portal, "failed").await;
    assert_eq!(portal.files("").await.column("indexStatus"), ["processing"]);
}

#[tokio::test]
async fn the_count_of_a_reindex_may_be_unreadable() {
    for (switch, data) in [
        (ReindexAnswer::Text, json!({"updated": "0"})),
        (ReindexAnswer::Absent, json!({})),
    ] {
        let portal = Portal::with_switches(|switches| switches.reindex_answer = switch);
        assert_eq!(reindex(&portal, "failed").await["data"], data);
    }
}

#[tokio::test]
async fn the_logs_tell_what_was_true_at_each_request() {
    let portal = Portal::new();
    portal.add("a", "", Status::Failed);
    portal.files("?page=1").await;
    reindex(&portal, "failed").await;
    portal.add("b", "", Status::Done);
    portal.files("?page=2").await;
    portal.simulator.with(|world| {
        let requests: Vec<_> = world.requests().cloned().collect();
        let queries: Vec<_> = requests.iter().map(|r| (&*r.method, &*r.query)).collect();
        assert_eq!(
            queries,
            [("GET", "page=1"), ("POST", ""), ("GET", "page=2")]
        );
        let then = |at: usize| {
            world
                .counts_at(portal.folder, requests[at].sequence)
                .unwrap()
        };
        assert_eq!(then(0), [(Status::Failed, 1)].into());
        assert_eq!(then(1), [(Status::Failed, 1)].into());
        assert_eq!(then(2), [(Status::Pending, 1), (Status::Done, 1)].into());
    });
}
