//! The queries of the documents, on a real Prometheus that scrapes a demo; those of the runbook are judged by promtool.

use std::fs;
use std::process::Command;

use serde_json::json;

use super::markdown;
use crate::support::exporter::Exporter;
use crate::support::process::output;
use crate::support::prometheus::Prometheus;
use crate::support::repository::text;
use crate::support::wait::wait_for;

/// The queries of `docs/metrics.md`, each after a line that says what it asks.
fn queries() -> Vec<String> {
    let blocks = markdown::blocks(&text("docs/metrics.md"), "promql").concat();
    let queries = blocks.lines().filter(|line| !line.starts_with('#'));
    queries
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn every_query_of_the_documents_has_a_result() {
    let queries = queries();
    assert!(queries.len() > 5);
    let exporter = Exporter::demo(&["--portal.folders", "3", "--portal.files", "600"]).await;
    let prometheus = Prometheus::scraping(exporter.address()).await;
    for query in queries {
        let what = format!("{query} has a result");
        wait_for(&what, async || {
            Some(prometheus.query(&query).await).filter(|result| !result.is_empty())
        })
        .await;
    }
}

/// Those that read the last hour have no result on a new Prometheus.
#[test]
fn prometheus_accepts_every_query_of_the_runbook() {
    let queries = markdown::blocks(&text("alerts/runbook.md"), "promql");
    assert_eq!(queries.len(), 2);
    let rules = queries.iter();
    let rules: Vec<_> = rules
        .map(|query| json!({"record": "asked", "expr": query}))
        .collect();
    let rules = json!({"groups": [{"name": "runbook", "rules": rules}]});
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("queries.json");
    fs::write(&file, rules.to_string()).unwrap();
    let mut promtool = Command::new("promtool");
    output(promtool.args(["check", "rules", "--lint=none"]).arg(&file));
}
