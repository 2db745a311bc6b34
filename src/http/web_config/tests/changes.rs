//! Files that change while they are used.

use std::fs;

use super::{Folder, HASH, tls};

#[test]
fn what_changed_is_used_and_what_cannot_be_used_is_not() {
    let folder = Folder::new();
    let file = folder.open(&tls(&[])).unwrap();
    let first = file.current();
    assert!(
        std::sync::Arc::ptr_eq(&first, &file.current()),
        "nothing changed"
    );

    folder.certificates.issue("server");
    let second = file.current();
    assert!(
        !std::sync::Arc::ptr_eq(&first, &second),
        "another certificate"
    );

    fs::copy(folder.path("client.crt"), folder.path("server.crt")).unwrap();
    assert!(
        std::sync::Arc::ptr_eq(&second, &file.current()),
        "its key is another one's"
    );
    fs::copy(folder.path("client.key"), folder.path("server.key")).unwrap();
    let third = file.current();
    assert!(!std::sync::Arc::ptr_eq(&second, &third), "the key came");

    fs::remove_file(folder.path("server.key")).unwrap();
    assert!(std::sync::Arc::ptr_eq(&third, &file.current()), "no key");

    fs::write(
        folder.path("web.yml"),
        format!("basic_auth_users:\n  alice: {HASH}\n"),
    )
    .unwrap();
    assert!(file.current().users.contains_key("alice"));
    assert!(file.current().tls.is_none());
}

#[test]
fn a_limiter_outlives_other_changes() {
    let folder = Folder::new();
    let limit = "rate_limit:\n  interval: 1h\n  burst: 1\n";
    let file = folder.open(limit).unwrap();
    let admits = || {
        file.current()
            .limiter
            .as_ref()
            .unwrap()
            .requests
            .check()
            .is_ok()
    };
    assert!(admits());
    fs::write(
        folder.path("web.yml"),
        format!("{limit}basic_auth_users: {{}}\n"),
    )
    .unwrap();
    assert!(!admits());
    fs::write(folder.path("web.yml"), limit.replace("1h", "2h")).unwrap();
    assert!(admits());
}
