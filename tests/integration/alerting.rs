//! Alertmanager with the shipped configuration and a webhook: who is notified, and how often. When an alert fires and ends, `alerts/tests`
//! shows.

use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime};

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use regex::{Captures, Regex};
use serde_json::{Value, json};

use crate::support::alertmanager::{self, Webhook};
use crate::support::exporter::client;
use crate::support::prometheus::{Prometheus, Running};
use crate::support::wait::until;
use crate::support::{rules, server};

/// The shipped configuration of Alertmanager.
const ALERTMANAGER: &str = include_str!("../../deploy/alertmanager.yml");

/// How much faster than in life time goes by.
const FASTER: u64 = 120;

/// The shipped configuration, which notifies a webhook, with its times divided.
fn scaled(webhook: &str) -> String {
    let time = Regex::new(r"(group_wait|group_interval|repeat_interval): ([0-9smh]+)").unwrap();
    let config = time.replace_all(ALERTMANAGER, |found: &Captures<'_>| {
        format!(
            "{}: {}ms",
            &found[1],
            rules::milliseconds(&found[2]) / FASTER
        )
    });
    let receivers = ["- name: operators\n", "- name: on-call\n"];
    receivers
        .iter()
        .fold(config.into_owned(), |config, receiver| {
            assert!(config.contains(receiver));
            let hook = format!("{receiver}    webhook_configs: [{{url: '{webhook}'}}]\n");
            config.replace(receiver, &hook)
        })
}

/// Several alerts of a portal with the same name.
struct Incident {
    webhook: Webhook,
    alertmanager: Running,
    /// The labels of each alert.
    alerts: Vec<Value>,
}

impl Incident {
    /// One that has not begun: an alert for each value of a label.
    async fn of(name: &str, severity: &str, label: &str, values: &[String]) -> Self {
        let webhook = Webhook::start().await;
        let alertmanager = alertmanager::start(&scaled(&webhook.url())).await;
        let alerts = values.iter().map(
            |value| json!({"alertname": name, "severity": severity, "job": "kb", "portal": "main", label: value}),
        );
        Self {
            webhook,
            alertmanager,
            alerts: alerts.collect(),
        }
    }

    /// Says of some alerts that they fire or have ended, as Prometheus does.
    async fn send(&self, alerts: &[Value], fire: bool) {
        let now = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
        let time = if fire { "startsAt" } else { "endsAt" };
        let alerts = alerts
            .iter()
            .map(|labels| json!({"labels": labels, time: now}));
        let body = alerts.collect::<Value>().to_string();
        let url = format!("http://{}/api/v2/alerts", self.alertmanager.address());
        let request = client()
            .post(url)
            .header("content-type", "application/json");
        request
            .body(body)
            .send()
            .await
            .unwrap()
            .error_for_status()
            .unwrap();
    }

    /// Waits until the last notification names this number of alerts that fire.
    async fn until_told(&self, firing: usize) {
        until(&format!("{firing} alerts that fire are told"), async || {
            let told = self.webhook.notifications();
            told.last()
                .is_some_and(|told| number_firing(told) == firing)
        })
        .await;
    }

    /// One alert is followed by the others, and ends before them. This receiver is notified, and once in an interval at most.
    async fn play(self, receiver: &str, interval: &str) {
        let begun = Instant::now();
        let (first, others) = self.alerts.split_at(1);
        self.send(first, true).await;
        self.until_told(1).await;
        self.send(others, true).await;
        self.until_told(self.alerts.len()).await;
        self.send(first, false).await;
        self.until_told(others.len()).await;
        self.send(others, false).await;
        self.until_told(0).await;

        let told = self.webhook.notifications();
        let intervals = begun.elapsed().as_millis() * u128::from(FASTER)
            / u128::from(rules::milliseconds(interval));
        assert!(told.len() as u128 <= 1 + intervals, "{told:#?}");
        for notification in told {
            assert_eq!(notification["receiver"], receiver);
        }
    }
}

/// How many alerts of a notification fire.
fn number_firing(notification: &Value) -> usize {
    let alerts = notification["alerts"].as_array().unwrap().iter();
    alerts.filter(|alert| alert["status"] == "firing").count()
}

#[tokio::test]
async fn spikes_of_sixty_folders_are_told_together_every_ten_minutes_at_most() {
    let folders: Vec<_> = (0..60).map(|number| format!("f{number}")).collect();
    let incident = Incident::of("KbFailedSpike", "warning", "folder_id", &folders).await;
    incident.play("operators", "10m").await;
}

#[tokio::test]
async fn reasons_of_a_portal_are_told_together_to_who_is_on_call() {
    let reasons = ["unreachable", "server_error"].map(ToOwned::to_owned);
    let incident = Incident::of("KbPortalUnreadable", "critical", "reason", &reasons).await;
    incident.play("on-call", "2m").await;
}

/// Serves the metrics of an exporter while it runs.
async fn serve(runs: Arc<AtomicBool>) -> SocketAddr {
    let answer = move || async move {
        let runs = runs.load(Ordering::Relaxed);
        runs.then_some("kb_portal_active{portal=\"main\"} 1\n")
            .ok_or(StatusCode::SERVICE_UNAVAILABLE)
    };
    server::serve(Router::new().route("/metrics", get(answer))).await
}

/// A server that scrapes an exporter, follows the shipped rules in divided times, and tells an Alertmanager.
async fn watching(exporter: SocketAddr, alertmanager: SocketAddr) -> Prometheus {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rules.yml");
    fs::write(&file, rules::faster(FASTER)).unwrap();
    let config = json!({
        "global": {"scrape_interval": "500ms", "scrape_timeout": "500ms"},
        "rule_files": [file],
        "scrape_configs": [{"job_name": "kb-exporter", "static_configs": [{"targets": [exporter]}]}],
        "alerting": {"alertmanagers": [{"static_configs": [{"targets": [alertmanager]}]}]},
    });
    // What was sent before Alertmanager was found is sent again: as it is shipped, after a minute.
    Prometheus::start(&config, folder, &["--rules.alert.resend-delay=500ms"]).await
}

#[tokio::test]
async fn an_exporter_that_does_not_answer_is_told_and_called_off_when_it_does() {
    let webhook = Webhook::start().await;
    let alertmanager = alertmanager::start(&scaled(&webhook.url())).await;
    let runs = Arc::new(AtomicBool::new(false));
    let exporter = serve(Arc::clone(&runs)).await;
    let _prometheus = watching(exporter, alertmanager.address()).await;

    let told = webhook.told("KbExporterDown", "firing").await;
    assert_eq!(told["labels"]["job"], "kb-exporter");
    runs.store(true, Ordering::Relaxed);
    webhook.told("KbExporterDown", "resolved").await;
}
