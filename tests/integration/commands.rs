//! The command line: what it says, and with which code it ends.

mod history;

use std::fs;
use std::io::Write as _;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::process::{Process, run, said};
use crate::support::schema::judged;
use crate::support::wait::until;
use crate::support::workspace::{Workspace, program};

use kb_exposition::Sample;
use kb_simulator::Status;

/// A key that must never be seen.
const SECRET: &str = "kbk_9f8e7d6c5b4a39281706f5e4d3c2b1a0";

/// Checks a configuration whose key is there, and returns the code and the output.
fn check(config: &str) -> (Option<i32>, String) {
    check_with(config, "")
}

/// The same with a web configuration.
fn check_with(config: &str, web: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kb.yml");
    let key = folder.path().join("key");
    fs::write(&key, "kbk_1").unwrap();
    let key = key.to_str().unwrap();
    let config = ["/run/key", "/run/secrets/kb-key"]
        .iter()
        .fold(config.to_owned(), |config, shown| {
            config.replace(shown, key)
        });
    fs::write(&file, config).unwrap();
    let web_file = folder.path().join("web.yml");
    fs::write(&web_file, web).unwrap();
    fs::write(folder.path().join("no-key"), "").unwrap();
    let mut command = program();
    command.current_dir(folder.path());
    command.args(["--config.check", "--config.file"]).arg(&file);
    command.arg("--web.config.file").arg(&web_file);
    let output = run(&mut command, "");
    (output.status.code(), said(&output))
}

#[test]
fn a_configuration_that_is_right_ends_with_0() {
    let config = "portals:\n  - name: main\n    base_url: https://portal.example\n    api_key_file: /run/key\n";
    let (code, text) = check(config);
    assert_eq!(code, Some(0), "{text}");
    let expected = "the configuration is correct: 1 portal(s)\nreindexing: off\n";
    assert_eq!(text, expected);
}

#[test]
fn a_configuration_that_is_wrong_ends_with_2_and_names_file_line_and_column() {
    let portal =
        "portals:\n  - {name: main, base_url: 'https://portal.example', api_key_file: /run/key}\n";
    for (lines, place, hint) in [
        ("collect:\n  schedule: soon\n", "kb.yml:4:13", "duration"),
        ("colect:\n  schedule: 1m\n", "kb.yml:3:1", "unknown key"),
        ("collect: {schedule: 1m\n", "kb.yml:", ""),
        ("reindex:\n  mode: sometimes\n", "kb.yml:4:9", "dry_run"),
    ] {
        let (code, text) = check(&format!("{portal}{lines}"));
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(place) && text.contains(hint), "{text}");
    }
}

/// A key may be a credential of a service that does not run, and may be replaced while the exporter runs.
#[test]
fn what_can_be_replaced_while_the_exporter_runs_is_a_warning() {
    let config = "\
portals:
  - name: main
    base_url: https://portal.example
    api_key_file: /nonexistent/key
    ca_file: /nonexistent/ca.pem
    cert_file: /nonexistent/own.pem
    key_file: /nonexistent/own.key
  - {name: other, base_url: 'https://other.example', api_key_env: KB_NO_SUCH_VARIABLE}
  - {name: empty, base_url: 'https://empty.example', api_key_file: ./no-key}
  - {name: unlike, base_url: 'https://unlike.example', api_key_file: /run/key, ca_file: /run/key}
state: {postgres_url_file: /run/key}
";
    let web = "tls_server_config: {cert_file: none.crt, key_file: none.key}\n";
    let (code, text) = check_with(config, web);
    assert_eq!(code, Some(0), "{text}");
    let warnings = text
        .lines()
        .filter_map(|line| line.strip_prefix("warning: "));
    let warnings: Vec<_> = warnings.collect();
    let keys = [
        "portals[0]: the file that api_key_file names",
        "portals[0]: the file that ca_file names",
        "portals[0]: the file that cert_file names",
        "portals[0]: the file that key_file names",
        "portals[1]: the environment variable that api_key_env names",
        "portals[2]: the file that api_key_file names is empty",
        "portals[3]: the file that ca_file names holds no certificate",
        "the file that state.postgres_url_file names cannot be used: ",
        "tls_server_config: the file that cert_file names cannot be read",
    ];
    assert_eq!(warnings.len(), keys.len(), "{text}");
    for (warning, key) in warnings.iter().zip(keys) {
        assert!(warning.contains(key), "{text}");
    }
}

/// A schema tells an editor what the parser would refuse.
#[test]
fn the_schema_accepts_and_refuses_what_the_parser_does() {
    let folder = tempfile::tempdir().unwrap();
    let schema = folder.path().join("schema.json");
    let printed = |what: &str| run(program().args(["config", what]), "").stdout;
    fs::write(&schema, printed("schema")).unwrap();
    let portal = "{name: a, base_url: 'https://p', api_key_env: K}";
    let right = [
        String::from_utf8(printed("example")).unwrap(),
        include_str!("../../docs/example.yml").to_owned(),
        format!("portals: [{portal}]\ncollect:\nreindex: {{mode: false, budget:}}\n"),
    ];
    let wrong = [
        "{}".to_owned(),
        "portals: []".to_owned(),
        "portals: [{name: a}]".to_owned(),
        "portals: [{name: a, base_url: ftp://p, api_key_env: K}]".to_owned(),
        format!("portals: [{portal}]\ncollect: {{tiemout: 1s}}"),
        format!("portals: [{portal}]\ncollect: {{concurrency: 65}}"),
        format!("portals: [{portal}]\ncollect: {{strategy: fast}}"),
        format!("portals: [{portal}]\nreindex: {{max_failed_ratio: 1.5}}"),
        format!("portals: [{portal}]\nreindex: {{match: a}}"),
        format!("portals: [{portal}]\nreindex: {{folders: [{{mode: off}}]}}"),
        format!("portals: [{portal}]\nreindex: {{folders: [{{match: a, folders: []}}]}}"),
        format!("portals: [{portal}]\nstate: {{path: ''}}"),
    ];
    let documents: Vec<_> = right.iter().chain(&wrong).collect();
    let values = documents
        .iter()
        .map(|yaml| serde_saphyr::from_str(yaml).unwrap());
    let Some(judged) = judged(&schema, None, &values.collect::<Vec<_>>()) else {
        return;
    };
    for (number, (yaml, judged)) in documents.iter().zip(judged).enumerate() {
        let (is_right, (code, text)) = (number < right.len(), check(yaml));
        assert_eq!(judged == "ok", is_right, "{yaml}: {judged}");
        assert_eq!(code == Some(0), is_right, "{yaml}: {text}");
    }
}

#[test]
fn without_a_configuration_the_error_names_what_to_set() {
    let output = run(program().arg("run"), "");
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("KB_BASE_URL"), "{}", said(&output));
}

#[test]
fn arguments_that_are_wrong_end_with_2() {
    for line in [
        &["--no-such-flag"][..],
        &["no-such-command"],
        &["demo", "--portal.speed", "-1"],
        &["--web.listen-address", "nowhere"],
        &["--web.telemetry-path", "metrics"],
        &["--web.telemetry-path", "/livez"],
        &["--web.telemetry-path", "/"],
        &["--web.external-url", "https://KB_BASE_URL:word@kb.example"],
        &["--log.level", "loud"],
        &["portal", "--portal.transcription", "perhaps"],
        &["rules", "--set", "spike_factor=often"],
        &["reindex", "history"],
    ] {
        let output = run(program().args(line), "");
        assert_eq!(output.status.code(), Some(2), "{line:?}");
        let said = said(&output);
        assert!(!said.contains("KB_BASE_URL"), "{line:?}: {said}");
    }
}

#[test]
fn an_address_that_is_taken_ends_with_1_and_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let portals = [("main", "http://127.0.0.1:9".to_owned())];
    let workspace = Workspace::new(&portals);
    let mut command = workspace.command();
    let output = run(command.args(["--web.listen-address", &address]), "");
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains(&address), "{}", said(&output));
}

#[tokio::test]
async fn metrics_have_another_path_when_the_flag_says_so() {
    let portal = Portal::start().await;
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let mut command = workspace.command();
    command.args(["--web.telemetry-path", "/kb/metrics"]);
    let exporter = Exporter::launch(&mut command).await;
    assert_eq!(exporter.status("/kb/metrics").await, 200);
    assert_eq!(exporter.status("/metrics").await, 404);
}

#[tokio::test]
async fn demo_prints_the_addresses_to_open() {
    let flags = ["--portal.folders", "3", "--portal.files", "30"];
    let mut exporter = Exporter::demo(&flags).await;
    let portal = exporter.logged("simulated portal listening").await;
    let metrics = exporter.collected().await;
    assert_eq!(metrics.count("kb_portal_folders", &[]), Some(3));
    let rehearses = metrics.all("kb_reindex_mode", &[("mode", "dry_run")]);
    assert!(rehearses.map(Sample::count).eq([1; 3]));
    let text = exporter.output().join("\n");
    let address = exporter.address();
    for url in [
        format!("http://{address}/"),
        format!("http://{address}/metrics"),
        format!("http://{address}/health"),
        format!("http://{portal}/"),
    ] {
        assert!(text.contains(&url), "{url} is not in {text}");
    }
}

#[tokio::test]
async fn a_portal_is_watched_without_a_file() {
    let portal = Portal::start().await;
    let folder = portal.folder("Inbox");
    portal.file(folder, "a.pdf", Status::Done);
    let mut command = program();
    command.env("KB_BASE_URL", portal.base_url());
    command.env("KB_API_KEY", "kbk_demo");
    let exporter = Exporter::launch(&mut command).await;
    let metrics = exporter.collected().await;
    let done = [("portal", "default"), ("status", "done")];
    assert_eq!(metrics.count("kb_folder_files", &done), Some(1));
}

#[tokio::test]
async fn the_simulated_portal_runs_alone() {
    let mut command = program();
    command.args([
        "portal",
        "--portal.listen-address",
        "127.0.0.1:0",
        "--log.format",
        "json",
    ]);
    command.args(["--portal.files", "10", "--portal.key", SECRET]);
    let mut portal = Process::start(&mut command);
    let quoted = format!("KB_API_KEY='{SECRET}'");
    let line = portal
        .line("the portal listens", |line| {
            let line: serde_json::Value = serde_json::from_str(line).ok()?;
            Some(line["address"].as_str()?.to_owned())
        })
        .await;
    let url = format!("http://{line}/api/admin/library-folders/mine");
    let client = crate::support::exporter::client();
    let refused = client.get(&url).send().await.unwrap();
    assert_eq!(refused.status(), 401);
    let answered = client.get(&url).bearer_auth(SECRET).send().await.unwrap();
    assert_eq!(answered.status(), 200);
    portal.says(&quoted).await;
    portal.signal("TERM");
    assert_eq!(portal.ended().await.code(), Some(0));
}

#[tokio::test]
async fn the_first_signal_ends_a_demo_that_still_generates_its_portal() {
    let mut command = program();
    command.args(["demo", "--portal.files", "20000000"]);
    command.args(["--portal.listen-address", "127.0.0.1:0"]);
    command.args(["--web.listen-address", "127.0.0.1:0"]);
    let mut demo = Process::start(&mut command);
    demo.says("simulated portal listening").await;
    demo.signal("TERM");
    assert_eq!(demo.ended().await.code(), Some(0));
    let output = demo.output().join("\n");
    assert!(!output.contains("status page"), "{output}");
}

/// A client that has sent half a request keeps the process from ending by itself for a while.
#[tokio::test]
async fn a_second_signal_ends_the_process_at_once_unless_it_comes_with_the_first() {
    let workspace = Workspace::new(&[("main", "http://127.0.0.1:9".to_owned())]);
    let exporter = Exporter::start(&workspace).await;
    let mut client = TcpStream::connect(exporter.address()).unwrap();
    client.write_all(b"GET / HTTP/1.1\r\nhost: ").unwrap();
    assert_eq!(exporter.status("/livez").await, 200);
    let first = Instant::now();
    exporter.signal("TERM");
    exporter.until_logged("stopping").await;
    until("it exits", async || {
        exporter.signal("INT");
        exporter.lines_with("exiting before all work is finished") > 0
    })
    .await;
    assert!(first.elapsed() >= Duration::from_secs(1));
    assert_eq!(exporter.ended().await.code(), Some(130));
}

#[tokio::test]
async fn the_start_says_what_runs_what_is_watched_and_where_the_page_is() {
    let portal = Portal::start().await;
    portal.folder("Inbox");
    portal.folder("Archive");
    let mut workspace = Workspace::each_second(&[("main", portal.base_url())]);
    workspace.change(|config| {
        config["reindex"] =
            serde_json::json!({"budget": {"files": 0}, "folders": [{"match": "Inbox*", "mode": "enforce"}]});
    });
    let exporter = Exporter::start(&workspace).await;
    exporter.collected().await;
    let output = exporter.output();
    let is_said = |parts: &[&str]| {
        let has_all = |line: &&String| parts.iter().all(|part| line.contains(part));
        assert!(
            output.iter().any(|line| has_all(&line)),
            "{parts:?}: {output:#?}"
        );
    };
    is_said(&[
        "kb-exporter starts",
        env!("CARGO_PKG_VERSION"),
        "config.yml",
    ]);
    is_said(&["portal is watched", "main", &portal.base_url(), "enforce"]);
    is_said(&["status page", &format!("http://{}/", exporter.address())]);
    is_said(&["reindexing: enforce in 1 of 2 folders (Inbox)"]);
    is_said(&["reindex.budget.files is 0 under enforce"]);
    let flags = ["--web.external-url", "https://kb.example/x/"];
    let linked = Exporter::launch(workspace.command().args(flags)).await;
    linked.collected().await;
    let output = linked.output();
    assert!(
        output
            .iter()
            .any(|line| line.contains("\"https://kb.example/x/\"")),
        "{output:#?}"
    );
    exporter.stop().await;
}
