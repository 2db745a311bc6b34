//! Interface, Authentication.

use axum::http::{Method, StatusCode};
use chrono::{TimeDelta, Utc};
use uuid::Uuid;

use super::support::{FOLDERS, Portal};

#[tokio::test]
async fn a_good_key_is_admitted() {
    let portal = Portal::new();
    let answer = portal.get(&format!("{FOLDERS}/mine")).await;
    assert_eq!(answer.status, StatusCode::OK);
}

#[tokio::test]
async fn a_missing_malformed_or_unknown_key_is_401() {
    let portal = Portal::new();
    let table = [
        (None, "key_missing"),
        (Some(""), "key_malformed"),
        (Some("kbk_demo"), "key_malformed"),
        (Some("Basic kbk_demo"), "key_malformed"),
        (Some("Bearer demo"), "key_malformed"),
        (Some("Bearer kbk_"), "key_malformed"),
        (Some("Bearer kbk_other"), "key_unknown"),
    ];
    for (header, reason) in table {
        let path = format!("{FOLDERS}/mine");
        let answer = portal.call_with(&Method::GET, &path, header).await;
        answer.is_refused(401, reason);
    }
}

#[tokio::test]
async fn a_key_is_what_whoever_starts_the_portal_says() {
    let portal = Portal::with(|options| "secret".clone_into(&mut options.key));
    let path = format!("{FOLDERS}/mine");
    let header = Some("Bearer secret");
    let answer = portal.call_with(&Method::GET, &path, header).await;
    assert_eq!(answer.status, StatusCode::OK);
}

#[tokio::test]
async fn a_session_cookie_does_not_replace_the_key() {
    let portal = Portal::new();
    let request = axum::http::Request::get(format!("{FOLDERS}/mine"))
        .header("cookie", "session=kbk_demo")
        .body(axum::body::Body::empty());
    let answer = portal.send(request.unwrap()).await;
    answer.is_refused(401, "key_missing");
}

#[tokio::test]
async fn a_revoked_or_expired_key_is_401_from_the_next_request_on() {
    let portal = Portal::new();
    let path = format!("{FOLDERS}/mine");
    let past = Utc::now() - TimeDelta::seconds(1);
    portal
        .simulator
        .with(|world| world.expire_key("kbk_demo", Some(past)));
    portal.get(&path).await.is_refused(401, "key_expired");
    let future = Utc::now() + TimeDelta::hours(1);
    portal
        .simulator
        .with(|world| world.expire_key("kbk_demo", Some(future)));
    assert_eq!(portal.get(&path).await.status, StatusCode::OK);
    portal.simulator.with(|world| world.revoke_key("kbk_demo"));
    portal.get(&path).await.is_refused(401, "key_revoked");
}

#[tokio::test]
async fn a_folder_outside_the_set_is_403_and_a_change_counts_from_the_next_request_on() {
    let portal = Portal::new();
    let other = portal.simulator.with(|world| {
        let other = world.add_folder("Second");
        world.key_folders("kbk_demo", [other]);
        other
    });
    let path = format!("{FOLDERS}/{}/files", portal.folder);
    portal
        .get(&path)
        .await
        .is_refused(403, "folder_not_allowed");
    let mine = portal.get(&format!("{FOLDERS}/mine")).await;
    assert_eq!(mine.column("id"), [other.to_string()]);
    portal
        .simulator
        .with(|world| world.grant("kbk_demo", portal.folder));
    assert_eq!(portal.get(&path).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_folder_granted_twice_is_listed_once() {
    let portal = Portal::new();
    portal
        .simulator
        .with(|world| world.grant("kbk_demo", portal.folder));
    let mine = portal.get(&format!("{FOLDERS}/mine")).await;
    assert_eq!(mine.body["meta"]["total"], 1);
}

#[tokio::test]
async fn every_request_of_a_folder_outside_the_set_is_403() {
    let portal = Portal::new();
    let strange = Uuid::from_u128(7);
    for (method, rest) in [
        (Method::GET, String::new()),
        (Method::GET, "/contents".to_owned()),
        (Method::GET, "/files".to_owned()),
        (Method::POST, "/files".to_owned()),
        (Method::DELETE, format!("/files/{strange}")),
        (Method::POST, "/reindex-failed".to_owned()),
        (Method::POST, "/reindex-all".to_owned()),
    ] {
        for id in [strange.to_string(), "no-uuid".to_owned()] {
            let answer = portal.call(&method, &format!("{FOLDERS}/{id}{rest}")).await;
            answer.is_refused(403, "folder_not_allowed");
        }
    }
}

#[tokio::test]
async fn a_foreign_address_is_403_before_the_key_is_looked_at() {
    let portal = Portal::new();
    let allowed = "10.0.0.1".parse().unwrap();
    portal
        .simulator
        .with(|world| world.allow_addresses(Some([allowed].into())));
    for key in [Some("Bearer kbk_demo"), Some("Bearer kbk_other"), None] {
        let answer = portal.call_from("10.0.0.2:4000", key).await;
        answer.is_refused(403, "ip_not_allowed");
        let message = answer.body["error"]["message"].as_str().unwrap();
        assert!(message.contains("administrator panel is forbidden from 10.0.0.2"));
    }
    let key = Some("Bearer kbk_demo");
    let good = portal.call_from("10.0.0.1:4000", key).await;
    assert_eq!(good.status, StatusCode::OK);
    // An IPv4 caller on a dual-stack listener is the same caller.
    let mapped = portal.call_from("[::ffff:10.0.0.1]:4000", key).await;
    assert_eq!(mapped.status, StatusCode::OK);
}

#[tokio::test]
async fn the_log_has_key_code_folder_and_files_of_each_call() {
    let portal = Portal::new();
    portal.add("a.txt", "", crate::Status::Done);
    portal.files("").await;
    portal
        .get(&format!("{FOLDERS}/{}/files", Uuid::nil()))
        .await;
    portal.simulator.with(|world| world.revoke_key("kbk_demo"));
    portal.get(&format!("{FOLDERS}/mine")).await;
    let path = format!("{FOLDERS}/mine");
    portal.call_with(&Method::GET, &path, None).await;
    let calls: Vec<_> = portal.simulator.with(|world| {
        let calls = world.requests();
        calls
            .map(|call| (call.key.clone(), call.status, call.folder, call.files))
            .collect()
    });
    let key = Some("kbk_demo".to_owned());
    let expected = [
        (key.clone(), 200, Some(portal.folder), 1),
        (key.clone(), 403, Some(Uuid::nil()), 0),
        (key, 401, None, 0),
        (None, 401, None, 0),
    ];
    assert_eq!(calls, expected);
}
