//! The main job on real input: a portal over HTTP, the exporter beside it, a real Prometheus that scrapes it.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use crate::support::exporter::{Exporter, client, json_of};
use crate::support::prometheus::Prometheus;
use crate::support::wait::wait_for;
use crate::support::workspace::program;

use serde_json::Value;

/// Files by folder and status.
type Totals = BTreeMap<(String, String), u64>;

/// What the portal itself says, by a scan of its own over the portal's interface.
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
