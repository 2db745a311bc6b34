//! Interface, "Requests that exist but refuse keys", Errors, and the base address.

use axum::Router;
use axum::http::{Method, StatusCode};

use super::support::{FOLDERS, Portal};
use crate::Status;

#[tokio::test]
async fn what_only_an_administrator_may_do_is_403_for_a_good_key() {
    let portal = Portal::new();
    let file = portal.add("a.txt", "", Status::Done);
    let id = portal.folder;
    for (method, path) in [
        (Method::POST, FOLDERS.to_owned()),
        (Method::PATCH, format!("{FOLDERS}/{id}")),
        (Method::PUT, format!("{FOLDERS}/{id}")),
        (Method::DELETE, format!("{FOLDERS}/{id}")),
        (Method::DELETE, format!("{FOLDERS}/{id}/files")),
        (Method::POST, format!("{FOLDERS}/{id}/subfolders")),
        (Method::PATCH, format!("{FOLDERS}/{id}/subfolders")),
        (Method::PATCH, format!("{FOLDERS}/{id}/files/{file}")),
        (Method::GET, "/api/admin/users".to_owned()),
        (Method::POST, "/api/tasks".to_owned()),
    ] {
        let answer = portal.call(&method, &path).await;
        answer.is_refused(403, "not_open_to_keys");
    }
    let counts = portal.simulator.with(|world| world.counts(id));
    assert_eq!(counts.unwrap()[&Status::Done], 1);
}

#[tokio::test]
async fn a_refused_request_without_a_key_is_401() {
    let portal = Portal::new();
    let answer = portal.call_with(&Method::POST, FOLDERS, None).await;
    answer.is_refused(401, "key_missing");
}

#[tokio::test]
async fn every_request_of_a_deleted_folder_is_404() {
    let portal = Portal::new();
    let id = portal.folder;
    let deleted = portal.simulator.with(|world| world.delete_folder(id));
    deleted.unwrap();
    for (method, rest) in [
        (Method::GET, ""),
        (Method::GET, "/contents"),
        (Method::GET, "/files"),
        (Method::POST, "/files"),
        (Method::DELETE, "/files/no-uuid"),
        (Method::POST, "/reindex-failed"),
        (Method::POST, "/reindex-all"),
    ] {
        let answer = portal.call(&method, &format!("{FOLDERS}/{id}{rest}")).await;
        answer.is_refused(404, "folder_not_found");
    }
}

#[tokio::test]
async fn outside_the_interface_is_nothing() {
    let portal = Portal::new();
    portal.get("/").await.is_refused(404, "not_found");
}

#[tokio::test]
async fn an_error_has_a_message_and_details() {
    let portal = Portal::new();
    let answer = portal.get("/").await;
    let error = &answer.body["error"];
    assert!(error["message"].is_string() && error["details"]["reason"].is_string());
}

#[tokio::test]
async fn the_base_address_may_carry_a_path() {
    for base in ["/admin", "admin/"] {
        let portal = Portal::with(|options| base.clone_into(&mut options.base_path));
        let below = portal.get(&format!("/admin{FOLDERS}/mine")).await;
        assert_eq!(below.status, StatusCode::OK);
        let beside = portal.get(&format!("{FOLDERS}/mine")).await;
        beside.is_refused(404, "not_found");
    }
}

#[tokio::test]
async fn the_router_can_be_nested() {
    let mut portal = Portal::new();
    portal.router = Router::new().nest("/portal", portal.router);
    let answer = portal.get(&format!("/portal{FOLDERS}/mine")).await;
    assert_eq!(answer.status, StatusCode::OK);
}
