//! A secret that was written into a wrong place of the configuration is shown nowhere. Messages name the key of the configuration.

use std::fs;
use std::process::Command;

use axum::Router;
use axum::http::StatusCode;
use kb_simulator::{NewFile, Options, Status};
use serde_json::{Value, json};

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::process::{run, said};
use crate::support::server::serve;
use crate::support::wait::until;
use crate::support::workspace::{Workspace, program};

/// What must not be shown, in capital or in small letters.
const SECRET: &str = "HV9X3KQ7RZ2LMW8C";

/// A secret that could be the path of a file.
const PATH: &str = "Hv9x3Kq7Rz2LmW8c/x+Q=";

/// A secret in an address.
const URL: &str = "postgres://kb:hv9x3kq7rz2lmw8c@db.example/kb";

fn assert_hidden(place: &str, text: &str) {
    let shown = text.to_uppercase().contains(SECRET);
    assert!(!shown, "{place}: {text}");
}

/// Both streams of a command that ends with a code, in which the key is named and the secret is not.
fn assert_refused(command: &mut Command, code: i32, key: &str) {
    let output = run(command.args(["--log.level", "trace"]), "");
    let text = said(&output);
    assert_hidden(key, &text);
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert!(text.contains(key), "{key}: {text}");
}

/// A configuration with a value in the place that a JSON pointer names.
fn workspace(place: &str, value: &str) -> Workspace {
    let portal = [("main", "https://127.0.0.1:1".to_owned())];
    Workspace::with(&portal, |config| set(config, place, value))
}

fn set(config: &mut Value, place: &str, value: &str) {
    let (parent, key) = place.rsplit_once('/').unwrap();
    let section = config.pointer_mut(parent).unwrap();
    section[key] = value.into();
    if key == "api_key_env" {
        section.as_object_mut().unwrap().remove("api_key_file");
    }
}

#[test]
fn what_cannot_be_right_is_refused_by_its_key() {
    let small = SECRET.to_lowercase();
    let with_password = "http://me:hv9x3kq7rz2lmw8c@proxy.example";
    let refused = |place: &str, values: [&str; 2], key: &str| {
        for value in values {
            let workspace = workspace(place, value);
            assert_refused(workspace.command().arg("--config.check"), 2, key);
            assert_refused(workspace.command().arg("run"), 2, key);
        }
    };
    for (places, values) in [
        (
            "portals/0/api_key_file portals/0/api_key_env",
            [&*small, URL],
        ),
        (
            "portals/0/ca_file portals/0/cert_file portals/0/key_file",
            [SECRET, URL],
        ),
        (
            "portals/0/base_url portals/0/proxy_url",
            [SECRET, with_password],
        ),
        (
            "state/postgres_url_file collect/timezone collect/schedule",
            [SECRET, URL],
        ),
        ("state/path", [URL, with_password]),
    ] {
        for place in places.split(' ') {
            let key = place.replace("s/0", "s[0]").replace('/', ".");
            refused(&format!("/{place}"), values, &format!("{key}: "));
        }
    }
    for (place, says) in [("api_key", "a literal key"), (&small, "unknown key")] {
        let place = format!("/portals/0/{place}");
        refused(&place, [SECRET, URL], &format!("portals[0]: {says}"));
    }
}

#[test]
fn files_that_cannot_be_read_are_named_by_their_keys() {
    for key in ["ca_file", "cert_file", "key_file"] {
        let mut workspace = workspace(&format!("/portals/0/{key}"), PATH);
        // A client certificate is complete with both files; the other one can be read.
        let other = match key {
            "cert_file" => "key_file",
            _ => "cert_file",
        };
        if key != "ca_file" {
            let readable = workspace.path("key");
            workspace.change(|config| config["portals"][0][other] = json!(readable));
        }
        let named = format!("the file that {key} names cannot be read: No such file");
        assert_refused(workspace.command().arg("check"), 1, &named);
    }
}

#[test]
fn what_the_environment_has_is_named_by_its_variable() {
    let set = [
        ("KB_BASE_URL", "http://127.0.0.1:1"),
        ("KB_API_KEY_FILE", "/nowhere"),
    ];
    let start = |variable: &str, value: &str, command: &str| {
        let mut program = program();
        program.envs(set).env(variable, value).arg(command);
        program
    };
    for variable in ["KB_BASE_URL", "KB_API_KEY_FILE", "KB_CA_FILE"] {
        for value in [SECRET, URL] {
            assert_refused(&mut start(variable, value, "run"), 2, variable);
        }
    }
    let named = "the file that KB_API_KEY_FILE names cannot be read";
    assert_refused(&mut start("KB_API_KEY_FILE", PATH, "check"), 1, named);
    let named = "the file that KB_CA_FILE names cannot be read";
    assert_refused(&mut start("KB_CA_FILE", PATH, "check"), 1, named);
}

#[test]
fn what_the_web_configuration_has_is_named_by_its_key() {
    let workspace = workspace("/portals/0/name", "main");
    for (text, key) in [
        ("basic_auth_users: {alice: HASH}", "basic_auth_users: "),
        ("basic_auth_users: {HASH: alice}", "basic_auth_users: "),
        ("basic_auth_users: HASH", "basic_auth_users: "),
        ("HASH: {alice: bob}", "unknown key"),
        (
            "tls_server_config: {cert: HASH, key: HASH}",
            "tls_server_config.cert: ",
        ),
        (
            "tls_server_config: {cert_file: HASH, key_file: HASH}",
            "tls_server_config: the file that cert_file names cannot be read: No such file",
        ),
        ("basic_auth_users: {alice: [HASH]}", "web.yml:"),
        ("tls_server_config: {key: [HASH]}", "web.yml:"),
        ("tls_server_config: HASH", "web.yml:"),
        ("tls_server_config: {client_auth_type: HASH}", "web.yml:"),
        (
            "tls_server_config: {cipher_suites: {HASH: HASH}}",
            "web.yml:",
        ),
        ("http_server_config: {http2: HASH}", "web.yml:"),
        ("http_server_config: {headers: {HASH: x}}", "web.yml:"),
        ("rate_limit: {interval: HASH}", "web.yml:"),
    ] {
        let file = workspace.path("web.yml");
        fs::write(&file, text.replace("HASH", SECRET)).unwrap();
        let mut command = workspace.command();
        assert_refused(command.arg("--web.config.file").arg(&file), 2, key);
    }
}

#[tokio::test]
async fn a_running_exporter_shows_no_secret() {
    let portal = Portal::start().await;
    let portals = ["file", "variable"].map(|name| (name, portal.base_url()));
    let mut workspace = Workspace::with(&portals, |config| {
        set(config, "/portals/0/api_key_file", PATH);
        set(config, "/portals/1/api_key_env", SECRET);
        set(config, "/state/postgres_url_file", PATH);
    });
    let file = "the file that api_key_file names cannot be read";
    assert_refused(workspace.command().arg("check"), 1, file);
    assert_refused(workspace.command().arg("scan"), 1, file);
    let database = "the file that state.postgres_url_file names cannot be read";
    let history = ["reindex", "history"];
    assert_refused(workspace.command().args(history), 1, database);

    let mut command = workspace.command();
    let more = ["run", "--log.level", "trace", "--web.enable-lifecycle"];
    let exporter = Exporter::launch(command.args(more)).await;
    until("the database is said to be away", async || {
        let health = exporter.json("/health").await.to_string();
        health.contains(database)
    })
    .await;
    for path in ["/", "/health", "/metrics", "/config", "/errors", "/readyz"] {
        assert_hidden(path, &exporter.get(path).await.text().await.unwrap());
    }
    exporter.until_logged(database).await;

    workspace.change(|config| set(config, "/portals/0/ca_file", PATH));
    let url = format!("http://{}/-/reload", exporter.address());
    let reload = crate::support::exporter::client().post(url).send();
    let answer = reload.await.unwrap().text().await.unwrap();
    assert_hidden("/-/reload", &answer);
    assert_hidden("/", &exporter.get("/").await.text().await.unwrap());
    assert_hidden("output", &exporter.output().join("\n"));
}

/// A proxy or a portal may quote what it refuses, and a person may paste the key where it does not belong.
#[tokio::test]
async fn the_key_is_shown_nowhere_although_the_portal_quotes_it() {
    let key = Options::default().key;
    let portal = Portal::start().await;
    let folder = portal.folder(&format!("Inbox {key}"));
    let reason = format!("Bearer {key} was refused");
    let file = NewFile::new(format!("{key}.pdf"), Status::Failed).because(reason);
    portal.add(folder, &file);
    let refused = json!({"error": {"details": {"reason": format!("unknown key: {key}")}}});
    let refusing = Router::new()
        .fallback(move || async move { (StatusCode::UNAUTHORIZED, refused.to_string()) });
    let refusing = serve(refusing).await;
    let portals = [
        ("main", portal.base_url()),
        ("other", format!("http://{refusing}")),
    ];
    let workspace = Workspace::with(&portals, |config| {
        set(config, "/portals/0/user_agent", &format!("agent/{key}"));
        config["portals"][1]["folders"] = json!({"exclude": [key]});
    });
    let mut command = workspace.command();
    let exporter = Exporter::launch(command.args(["run", "--log.level", "trace"])).await;
    exporter.collected().await;
    for path in ["/metrics", "/health", "/", "/errors", "/config"] {
        let text = exporter.get(path).await.text().await.unwrap();
        assert!(!text.contains(&key), "{path}: {text}");
    }
    let health = exporter.get("/health").await.text().await.unwrap();
    assert!(health.contains("unknown key: ****"), "{health}");
    let said = exporter.output().join("\n");
    assert!(!said.contains(&key), "{said}");
    exporter.stop().await;
    for file in fs::read_dir(workspace.path("state")).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains(&key));
    }
}
