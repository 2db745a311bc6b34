//! What scripts use: documents that satisfy their schemas, files that are written as a whole, completions of a shell.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use kb_exposition::Exposition;
use kb_simulator::Status;
use serde_json::Value;

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::promtool;
use crate::support::schema;
use crate::support::workspace::Workspace;

/// A portal with a failed file, and the configuration of an exporter for it.
async fn scene() -> (Portal, Workspace) {
    let portal = Portal::start().await;
    let folder = portal.folder("Inbox");
    let file = portal.file(folder, "a.pdf", Status::Pending);
    portal.set(folder, file, Status::Failed);
    portal.folder("Empty");
    let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
        config["reindex"] = serde_json::json!({"mode": "dry_run"});
    });
    (portal, workspace)
}

/// Asserts that a document satisfies the schema of this name in the documents.
fn assert_satisfies(document: Value, name: &str) {
    let file = format!("{}/docs/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
    schema::satisfied(Path::new(&file), None, &[document]);
}

/// What a command prints, and its code.
async fn output(workspace: &Workspace, arguments: &[&str]) -> (String, Option<i32>) {
    let output = workspace.run(arguments).await;
    (
        String::from_utf8(output.stdout).unwrap(),
        output.status.code(),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_satisfy_their_schemas() {
    let (portal, workspace) = scene().await;
    for command in ["scan", "check"] {
        let (text, code) = output(&workspace, &[command, "--output", "json"]).await;
        assert_eq!(code, Some(0));
        let document: Value = serde_json::from_str(&text).unwrap();
        if command == "scan" {
            assert_eq!(document["folders"][1]["failed"], 1, "{text}");
            assert_eq!(document["errors"][0]["error"], "a reason", "{text}");
        }
        assert_satisfies(document, "scan");
    }
    let exporter = Exporter::start(&workspace).await;
    exporter.collected().await;
    let health = exporter.json("/health").await;
    assert_satisfies(health, "health");
    exporter.stop().await;

    portal.world(|world| world.revoke_key("kbk_demo"));
    for command in ["scan", "check"] {
        let (text, code) = output(&workspace, &[command, "--output", "json"]).await;
        assert_eq!(code, Some(1));
        assert_satisfies(serde_json::from_str(&text).unwrap(), "scan");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_writes_a_file_for_the_textfile_collector_as_a_whole() {
    let (portal, workspace) = scene().await;
    let folder = workspace.path("textfile");
    fs::create_dir(&folder).unwrap();
    let file = folder.join("kb.prom");
    fs::write(&file, "the text before").unwrap();
    let arguments = [
        "scan",
        "--output",
        "prometheus",
        "--output.file",
        file.to_str().unwrap(),
    ];
    let (printed, code) = output(&workspace, &arguments).await;
    assert_eq!((printed.as_str(), code), ("", Some(0)));
    let text = fs::read_to_string(&file).unwrap();
    promtool::has_nothing_to_say(&text);
    let metrics = Exposition::parse(&text).unwrap();
    assert_eq!(
        metrics
            .all("kb_folder_files", &[("status", "failed")])
            .map(kb_exposition::Sample::count)
            .sum::<u64>(),
        1
    );
    assert!(!text.contains("process_"), "node_exporter has these itself");
    assert!(
        !text.contains("kb_state_writable"),
        "a scan writes to no store"
    );
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o644
    );
    assert_eq!(
        fs::read_dir(&folder).unwrap().count(),
        1,
        "nothing is left over"
    );

    // The file that a link leads to is written, and what is no file stays what it is.
    let link = workspace.path("link");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    fs::write(&file, "the text before").unwrap();
    let [to_link, to_full] =
        [link.as_path(), Path::new("/dev/full")].map(|path| path.to_str().unwrap());
    let (_, code) = output(&workspace, &["scan", "--output.file", to_link]).await;
    assert_eq!(code, Some(0));
    assert!(link.is_symlink());
    assert_ne!(fs::read_to_string(&file).unwrap(), "the text before");
    let (_, code) = output(&workspace, &["scan", "--output.file", to_full]).await;
    assert_eq!(code, Some(1), "no space left");
    assert!(!fs::metadata(to_full).unwrap().is_file());

    let asked = || portal.world(|world| world.requests().count());
    let before = asked();
    for nowhere in ["nowhere/kb.prom", "nowhere/", ""] {
        let nowhere = workspace.path(nowhere);
        let (_, code) = output(
            &workspace,
            &["scan", "--output.file", nowhere.to_str().unwrap()],
        )
        .await;
        assert_eq!(code, Some(1), "{nowhere:?}");
        assert_eq!(asked(), before, "nothing is counted that cannot be written");
    }
}
