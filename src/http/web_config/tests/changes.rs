//! Files that change while they are used.

use std::fs;

use super::{Folder, HASH, tls};

#[test]
fn what_protects_the_server_is_changed_and_not_taken_away() {
    let folder = Folder::new();
    let users = |name: &str| format!("basic_auth_users:\n  {name}: {HASH}\n");
    let headers = "http_server_config:\n  headers:\n    X-Frame-Options: deny\n";
    let limit = "rate_limit:\n  interval: 1s\n  burst: 5\n";
    let kind = "client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: ca.crt";
    let names = "client_allowed_sans: [client.example]";
    let version = "min_version: TLS13";
    let keys = [kind, names, version];
    let all = tls(&keys) + &users("alice") + headers + limit;
    let file = folder.open(&all).unwrap();
    let before = file.current();
    for without in [
        String::new(),
        "# nothing\n".to_owned(),
        "{}\n".to_owned(),
        all.replace(&tls(&keys), ""),
        all.replace(&tls(&keys), "tls_server_config: {}\n"),
        all.replace(&format!("  {kind}\n  {names}\n"), ""),
        all.replace(&format!("  {names}\n"), ""),
        all.replace(&users("alice"), ""),
        all.replace(&users("alice"), "basic_auth_users: {}\n"),
        all.replace(headers, ""),
        all.replace(limit, ""),
        all.replace("deny", "sameorigin"),
        all.replace("TLS13", "TLS12"),
        all.replace("burst: 5", "burst: 6"),
        all.replace("interval: 1s", "interval: 500ms"),
        all.replace("interval: 1s", "interval: 0"),
    ] {
        assert_ne!(without, all);
        fs::write(folder.path("web.yml"), &without).unwrap();
        let is_kept = std::sync::Arc::ptr_eq(&before, &file.current());
        assert!(is_kept && !file.facts().reload_successful, "{without}");
    }
    let other = all.replace(&users("alice"), &users("bob"));
    let other = other.replace("interval: 1s", "interval: 2s");
    fs::write(folder.path("web.yml"), other).unwrap();
    assert!(file.current().users.contains_key("bob"));
    assert!(file.facts().reload_successful);
}

#[test]
fn a_certificate_of_clients_that_is_required_stays_required() {
    let folder = Folder::new();
    let ca = "client_ca_file: ca.crt";
    let kind = |name: &str| format!("client_auth_type: {name}");
    let [required, if_given, request] = [
        "RequireAndVerifyClientCert",
        "VerifyClientCertIfGiven",
        "RequestClientCert",
    ]
    .map(kind);
    let file = folder.open(&tls(&[&if_given, ca])).unwrap();
    let change = |keys: &[&str]| {
        fs::write(folder.path("web.yml"), tls(keys)).unwrap();
        file.facts().reload_successful
    };
    assert!(change(&[&required, ca]), "protects more");
    for less in [&[&*if_given, ca][..], &[&if_given], &[&request, ca], &[]] {
        assert!(!change(less), "{less:?}");
    }
    assert!(change(&[&required, "client_ca_file: own.crt"]));
}
