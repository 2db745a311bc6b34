//! Real servers, with the files that `compose.yml` mounts: Prometheus scrapes the demo, has the alerts, and finds Alertmanager.

use std::fs;

use serde_json::Value;

use super::compose::{health_path, mounted, services};
use super::list;
use crate::support::alertmanager;
use crate::support::exporter::{Exporter, client};
use crate::support::prometheus::Prometheus;
use crate::support::rules;
use crate::support::wait::wait_for;

/// The mounted configuration of Prometheus, with the addresses that the servers have here.
fn configuration(prometheus: &Value, exporter: &str, alertmanager: &str) -> Value {
    let rules = "/etc/prometheus/kb-exporter.yml";
    let file = mounted(prometheus, "/etc/prometheus/prometheus.yml");
    let config = [
        ("kb-exporter.example:15732", exporter),
        ("alertmanager.example:9093", alertmanager),
        (rules, mounted(prometheus, rules).to_str().unwrap()),
        ("scrape_interval: 1m", "scrape_interval: 1s"),
    ]
    .iter()
    .fold(
        fs::read_to_string(file).unwrap(),
        |config, (shipped, here)| {
            assert!(config.contains(shipped), "{shipped}");
            config.replace(shipped, here)
        },
    );
    serde_saphyr::from_str(&config).unwrap()
}

/// Whether the target is up, all rules are loaded, and Alertmanager is found.
async fn is_complete(prometheus: &Prometheus, alertmanager: &str) -> Option<bool> {
    let targets = prometheus.ask("targets", &[]).await?;
    let up = list(&targets["data"]["activeTargets"]).filter(|target| target["health"] == "up");
    let found = prometheus.ask("alertmanagers", &[]).await?;
    let found = list(&found["data"]["activeAlertmanagers"])
        .any(|found| found["url"].as_str().unwrap().contains(alertmanager));
    let loaded = prometheus.ask("rules", &[]).await?;
    let loaded = list(&loaded["data"]["groups"]).flat_map(|group| list(&group["rules"]));
    Some(up.count() == 1 && found && loaded.count() == rules::all().len())
}

/// Asks as the health check of the service does.
async fn assert_healthy(service: &Value, address: &str) {
    let url = format!("http://{address}{}", health_path(service));
    let answer = client().get(&url).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{url}");
}

#[tokio::test]
async fn prometheus_scrapes_the_demo_has_the_alerts_and_finds_alertmanager() {
    let services = services();
    let file = mounted(
        &services["alertmanager"],
        "/etc/alertmanager/alertmanager.yml",
    );
    let alertmanager = alertmanager::start(&fs::read_to_string(file).unwrap()).await;
    let target = alertmanager.address().to_string();
    let exporter = Exporter::demo(&[]).await;
    let config = configuration(
        &services["prometheus"],
        &exporter.address().to_string(),
        &target,
    );
    let prometheus = Prometheus::start(&config, tempfile::tempdir().unwrap(), &[]).await;

    wait_for(
        "the target, the rules and Alertmanager are there",
        async || {
            is_complete(&prometheus, &target)
                .await
                .filter(|complete| *complete)
        },
    )
    .await;
    let counts = wait_for("the counts of the demo are there", async || {
        Some(prometheus.query("kb_folder_files").await).filter(|counts| !counts.is_empty())
    })
    .await;
    assert_eq!(
        counts[0]["metric"]["job"], "kb-exporter",
        "the alerts expect this job"
    );
    assert_healthy(&services["prometheus"], &prometheus.0.address().to_string()).await;
    assert_healthy(&services["alertmanager"], &target).await;
}
