//! The main job on real input: a portal over HTTP, the exporter beside it, a real Prometheus that scrapes it.

use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;
use std::process::Command;

use crate::support::exporter::{Exporter, client, json_of};
use crate::support::process::Process;
use crate::support::wait::wait_for;
use crate::support::workspace::program;

use serde_json::{Value, json};
use tempfile::TempDir;
use url::Url;

/// Files by folder and status.
type Totals = BTreeMap<(String, String), u64>;

/// A Prometheus server that scrapes one target each second.
struct Prometheus {
    _process: Process,
    address: SocketAddr,
    _folder: TempDir,
}

impl Prometheus {
    async fn scraping(target: SocketAddr) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = json!({"scrape_configs": [{
            "job_name": "kb-exporter",
            "scrape_interval": "1s",
            "scrape_timeout": "1s",
            "static_configs": [{"targets": [target]}],
        }]});
        let file = folder.path().join("prometheus.yml");
        fs::write(&file, config.to_string()).unwrap();
        let mut command = Command::new("prometheus");
        command.arg("--config.file").arg(file);
        command
            .arg("--storage.tsdb.path")
            .arg(folder.path().join("data"));
        command.args(["--web.listen-address", "127.0.0.1:0"]);
        let mut process = Process::start(&mut command);
        let address = process.line("Prometheus listens", listening).await;
        Self {
            _process: process,
            address,
            _folder: folder,
        }
    }

    /// The result of an instant query; none where the server is not ready or has nothing.
    async fn query(&self, query: &str) -> Vec<Value> {
        let url = format!("http://{}/api/v1/query", self.address);
        let url = Url::parse_with_params(&url, [("query", query)]).unwrap();
        let response = client().get(url).send().await.unwrap();
        if !response.status().is_success() {
            return Vec::new();
        }
        let answer = json_of(response).await;
        answer["data"]["result"].as_array().unwrap().clone()
    }
}

fn listening(line: &str) -> Option<SocketAddr> {
    let (_, after) = line.split_once("Listening on")?;
    let (_, address) = after.split_once("address=")?;
    Some(address.trim().parse().unwrap())
}

/// What the portal itself says, by a walk of its own over the portal's interface.
async fn totals_of_the_portal(portal: SocketAddr) -> Totals {
    let mut totals = Totals::new();
    for folder in get(portal, "mine").await["data"].as_array().unwrap() {
        let id = folder["id"].as_str().unwrap();
        for status in ["pending", "processing", "done", "failed", "flagged"] {
            totals.insert((id.to_owned(), status.to_owned()), 0);
        }
        let mut page = 0;
        loop {
            page += 1;
            let path = format!("{id}/files?pageSize=100&page={page}");
            let body = get(portal, &path).await;
            let rows = body["data"].as_array().unwrap();
            for row in rows {
                let status = row["indexStatus"].as_str().unwrap();
                *totals.get_mut(&(id.to_owned(), status.to_owned())).unwrap() += 1;
            }
            if page >= body["pagination"]["totalPages"].as_u64().unwrap() {
                break;
            }
        }
    }
    totals
}

async fn get(portal: SocketAddr, path: &str) -> Value {
    let url = format!("http://{portal}/api/admin/library-folders/{path}");
    let request = client().get(url).bearer_auth("kbk_demo");
    json_of(request.send().await.unwrap()).await
}

fn totals_of_the_query(result: &[Value]) -> Totals {
    let totals = result.iter().map(|series| {
        let label = |name: &str| series["metric"][name].as_str().unwrap().to_owned();
        let count = series["value"][1].as_str().unwrap().parse().unwrap();
        ((label("folder_id"), label("status")), count)
    });
    totals.collect()
}

#[tokio::test]
async fn a_real_prometheus_has_the_totals_of_the_portal() {
    let mut demo = program();
    demo.args([
        "demo",
        "--portal.listen-address",
        "127.0.0.1:0",
        "--portal.speed",
        "0",
    ]);
    let mut exporter = Exporter::launch(&mut demo).await;
    let portal = exporter.logged("simulated portal listening").await;
    let prometheus = Prometheus::scraping(exporter.address()).await;
    let expected = totals_of_the_portal(portal).await;
    assert_eq!(expected.values().sum::<u64>(), 60_000);
    assert_eq!(expected.len(), 12 * 5);
    let totals = wait_for("every folder is in Prometheus", async || {
        let result = prometheus.query("kb_folder_files").await;
        (result.len() >= expected.len()).then(|| totals_of_the_query(&result))
    })
    .await;
    assert_eq!(totals, expected);
    let up = prometheus.query("up == 1").await;
    assert_eq!(up.len(), 1);
    exporter.stop().await;
}
