//! The first hour, word by word: each command of the document, with a portal, Prometheus and the first alert.

use kb_simulator::Status;

use super::markdown;
use super::shell::{Expected, follow};
use crate::support::portal::Portal;
use crate::support::process::free_port;
use crate::support::repository::text;

const DOCUMENT: &str = "docs/first-hour.md";

/// What the reader sees.
const SEEN: [Expected; 5] = [
    Expected {
        block: "library-folders/mine",
        output: "401 application/json",
    },
    Expected {
        block: "kb-exporter check",
        output: "Inbox",
    },
    Expected {
        block: "grep '^kb_folder_files'",
        output: "status=\"failed\"} 1",
    },
    Expected {
        block: "sum by (folder)",
        output: "{folder=\"Inbox\"} => 1 @",
    },
    Expected {
        block: "alertname=\"KbExporterDown\"",
        output: "=> 1 @",
    },
];

/// A minute is a second, the addresses are those of this machine, and the alert does not wait.
fn here(block: &str, portal: &Portal, ports: [u16; 2]) -> String {
    let [exporter, prometheus] = ports.map(|port| port.to_string());
    let alerts = "| sed 's/for: [25]m/for: 1s/; s/15m/15s/; s/\\[5m\\]/[5s]/g; s/offset 5m/offset 5s/; s/interval: 1m/interval: 1s/' >kb-alerts.yml";
    [
        ("https://portal.example/admin", portal.base_url().as_str()),
        ("15732", &exporter),
        ("9090", &prometheus),
        ("_interval: 1m", "_interval: 1s"),
        (">kb-alerts.yml", alerts),
    ]
    .iter()
    .fold(block.to_owned(), |block, (written, here)| {
        block.replace(written, here)
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_hour_is_as_it_is_told() {
    let portal = Portal::start().await;
    let folder = portal.folder("Inbox");
    let file = portal.file(folder, "a.pdf", Status::Pending);
    portal.set(folder, file, Status::Failed);
    let ports = [free_port(), free_port()];
    let blocks = markdown::blocks(&text(DOCUMENT), "sh");
    let blocks: Vec<_> = blocks
        .iter()
        .map(|block| here(block, &portal, ports))
        .collect();
    let place = tempfile::tempdir().unwrap();
    tokio::task::spawn_blocking(move || follow(place.path(), &blocks, &SEEN, "kbk_demo\n"))
        .await
        .unwrap();
}
