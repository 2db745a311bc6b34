//! What the first page claims: the line that asks a portal, the metrics that it shows, and its numbers.

use serde_json::Value;

use kb_exporter::config::json_schema;

use super::markdown;
use super::shell::{Expected, follow};
use crate::sorted::{MOST_REQUESTS_IF_ALL_DONE, MOST_REQUESTS_WITH_1_500_NOT_DONE};
use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::repository::text;
use crate::support::server::serve;

/// The line that tells whether a portal has the interface.
fn question() -> String {
    let blocks = markdown::blocks(&text("README.md"), "sh");
    blocks.into_iter().next().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_line_tells_whether_a_portal_has_the_interface() {
    let portal = Portal::start().await;
    let other = format!("http://{}", serve(axum::Router::new()).await);
    tokio::task::spawn_blocking(move || {
        let folder = tempfile::tempdir().unwrap();
        for (address, output) in [(portal.base_url(), "401 application/json"), (other, "404")] {
            let line = question().replace("https://portal.example/admin", &address);
            let expected = [Expected { block: "", output }];
            follow(folder.path(), &[line], &expected, "");
        }
    })
    .await
    .unwrap();
}

/// On a fresh machine, two commands do everything for users, and two for who changes the code.
#[test]
fn two_commands_are_enough() {
    let blocks = markdown::blocks(&text("README.md"), "sh");
    let [_, try_it, test_it] = blocks.as_slice() else {
        panic!("{blocks:#?}");
    };
    let commands: Vec<_> = try_it.lines().collect();
    let [clone, up] = commands.as_slice() else {
        panic!("{commands:?}");
    };
    assert!(clone.starts_with("git clone "), "{clone}");
    assert!(text("deploy/compose.yml").contains(&format!("#   {up}\n")));
    assert_eq!(test_it, "tests/run\n");
}

#[tokio::test]
async fn the_metrics_that_it_shows_are_those_of_the_demo() {
    let shown = markdown::blocks(&text("README.md"), "text");
    let lines: Vec<_> = shown[0].lines().collect();
    assert!(lines.len() >= 6);
    let exporter = Exporter::demo(&["--portal.speed", "0"]).await;
    exporter
        .metrics_when("every failed file was read", |metrics| {
            let unread = metrics.all("kb_folder_file_errors", &[("error", "unread")]);
            metrics.all("kb_folder_up", &[]).count() == 12 && unread.count() == 0
        })
        .await;
    let metrics = exporter.get("/metrics").await.text().await.unwrap();
    let metrics: Vec<_> = metrics.lines().collect();
    for line in lines {
        assert!(metrics.contains(&line), "{line}");
    }
}

#[test]
fn the_numbers_are_true() {
    let readme = text("README.md");
    let readme = readme.split_whitespace().collect::<Vec<_>>().join(" ");
    let classes = json_schema();
    let classes: &Value = &classes["properties"]["errors"]["properties"]["max_classes"]["default"];
    let (files, page, rate) = (1_000_000, 100, 5);
    let script = files / page;
    let minutes = script / rate / 60;
    let rust = env!("CARGO_PKG_RUST_VERSION");
    for claim in [
        format!("at most {classes} [classes]"),
        format!("needs {MOST_REQUESTS_IF_ALL_DONE} requests for a folder of any size"),
        format!("at most {MOST_REQUESTS_WITH_1_500_NOT_DONE} if 1,500 files are not"),
        format!("{},000 for a million files", script / 1_000),
        format!("takes {minutes} minutes at five a second"),
        format!("Rust {rust} or newer"),
    ] {
        assert!(readme.contains(&claim), "{claim}");
    }
}
