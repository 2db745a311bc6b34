//! Prometheus with the shipped rules, Alertmanager and a webhook in incidents of an hour and more: how often somebody is notified. Each job
//! plays one; a minute is half a second.

use std::fmt::Write as _;
use std::fs;
use std::net::SocketAddr;
use std::time::Instant;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use regex::{Captures, Regex};
use serde_json::json;

use crate::support::alertmanager::{self, Webhook};
use crate::support::prometheus::Prometheus;
use crate::support::{rules, server};

/// The shipped configuration of Alertmanager.
const ALERTMANAGER: &str = include_str!("../../deploy/alertmanager.yml");

/// The same, which notifies a webhook, with its times divided.
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

/// How much faster than in life time goes by.
const FASTER: u64 = 120;

/// How many seconds a minute takes.
const MINUTE: f64 = 0.5;

/// When the incidents begin, in minutes: until then, all is well.
const BEGIN: f64 = 20.0;

/// When they end.
const END: f64 = 80.0;

/// When the workers run again that stopped at the begin: it takes an hour to be told.
const REPAIRED: f64 = 100.0;

const FOLDERS: usize = 60;

/// What an exporter serves in a minute of the story; nothing while it does not answer.
type Page = fn(f64) -> String;

/// In each of sixty folders, 25 of 65 new files fail, all within six minutes.
fn many_folders(minute: f64) -> String {
    let mut page = "kb_portal_up{portal=\"main\"} 1\n".to_owned();
    for number in 0..FOLDERS {
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let has_failed = minute >= BEGIN + number as f64 / 10.0;
        let (done, failed) = if has_failed { (240, 25) } else { (200, 0) };
        let folder = format!("portal=\"main\",folder_id=\"f{number}\",folder=\"Folder {number}\"");
        for line in [
            format!("kb_folder_up{{{folder}}} 1"),
            format!("kb_folder_files{{{folder},status=\"done\"}} {done}"),
            format!("kb_folder_files{{{folder},status=\"failed\"}} {failed}"),
            format!("kb_folder_status_entries_total{{{folder},status=\"done\"}} {done}"),
            format!("kb_folder_status_entries_total{{{folder},status=\"failed\"}} {failed}"),
        ] {
            // Writing to a string cannot fail.
            let _ = writeln!(page, "{line}");
        }
    }
    page
}

/// The process that reads three portals.
fn active(minute: f64) -> String {
    let is_dead = (BEGIN..END).contains(&minute);
    if is_dead { String::new() } else { reading(1) }
}

/// A process that waits for it, and does not become active.
fn standby(_: f64) -> String {
    reading(0)
}

fn reading(active: u8) -> String {
    let portals = ["a", "b", "c"];
    portals
        .map(|name| format!("kb_portal_active{{portal=\"{name}\"}} {active}\n"))
        .concat()
}

/// The list is read once in fourteen minutes.
fn seldom_read(minute: f64) -> String {
    let is_read = !(BEGIN..END).contains(&minute) || (minute - BEGIN) % 14.0 >= 12.8;
    let (up, down) = (u8::from(is_read), u8::from(!is_read));
    format!(
        "kb_portal_up{{portal=\"main\"}} {up}\n\
         kb_portal_unavailable{{portal=\"main\",reason=\"unreachable\"}} {down}\n\
         kb_collection_interval_seconds{{portal=\"main\"}} {MINUTE}\n"
    )
}

/// The workers stop while forty files wait.
fn no_workers(minute: f64) -> String {
    let done = if minute < REPAIRED {
        minute.min(BEGIN)
    } else {
        minute - REPAIRED + BEGIN
    };
    let folder = "portal=\"main\",folder_id=\"f\",folder=\"Inbox\"";
    let interval = format!("kb_collection_interval_seconds{{portal=\"main\"}} {MINUTE}\n");
    let portal = format!("kb_portal_up{{portal=\"main\"}} 1\n{interval}");
    let pending = format!("kb_folder_files{{{folder},status=\"pending\"}} 40\n");
    let entries = format!("kb_folder_status_entries_total{{{folder},status=\"done\"}} {done:.0}\n");
    portal + &pending + &entries
}

/// Serves a page on a free port of loopback until the test ends.
async fn serve(begun: Instant, page: Page) -> SocketAddr {
    let answer = move || async move {
        let minute = begun.elapsed().as_secs_f64() / MINUTE;
        let page = page(minute);
        (!page.is_empty())
            .then_some(page)
            .ok_or(StatusCode::SERVICE_UNAVAILABLE)
    };
    server::serve(Router::new().route("/metrics", get(answer))).await
}

/// A server that scrapes the jobs, follows the rules, and tells an Alertmanager.
async fn watching(jobs: &[(&str, Vec<SocketAddr>)], alertmanager: SocketAddr) -> Prometheus {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rules.yml");
    fs::write(&file, rules::faster(FASTER)).unwrap();
    let scrapes = jobs
        .iter()
        .map(|(name, targets)| json!({"job_name": name, "static_configs": [{"targets": targets}]}));
    let config = json!({
        "global": {"scrape_interval": "500ms", "scrape_timeout": "500ms", "evaluation_interval": "500ms"},
        "rule_files": [file],
        "scrape_configs": scrapes.collect::<Vec<_>>(),
        "alerting": {"alertmanagers": [{"static_configs": [{"targets": [alertmanager]}]}]},
    });
    // As it is shipped, a value counts for five minutes.
    Prometheus::start(&config, folder, &["--query.lookback-delta=2500ms"]).await
}

#[tokio::test]
async fn an_incident_is_told_a_few_times_and_called_off() {
    let webhook = Webhook::start().await;
    let alertmanager = alertmanager::start(&scaled(&webhook.url())).await;
    let begun = Instant::now();
    let jobs = [
        ("kb-many", vec![serve(begun, many_folders).await]),
        (
            "kb-exporter",
            vec![serve(begun, active).await, serve(begun, standby).await],
        ),
        ("kb-seldom", vec![serve(begun, seldom_read).await]),
        ("kb-queue", vec![serve(begun, no_workers).await]),
    ];
    let _prometheus = watching(&jobs, alertmanager.address()).await;

    let names = [
        "KbFailedSpike",
        "KbExporterDown",
        "KbPortalUnreadable",
        "KbQueueStuck",
    ];
    for name in names {
        webhook.told(name, "firing").await;
    }
    for name in names {
        webhook.told(name, "resolved").await;
    }

    for (job, most) in [
        ("kb-many", 4),
        ("kb-exporter", 2),
        ("kb-seldom", 2),
        ("kb-queue", 2),
    ] {
        let told = webhook.notifications();
        let told: Vec<_> = told
            .iter()
            .filter(|told| told["groupLabels"]["job"] == job)
            .map(|told| format!("{} {}", told["groupLabels"], told["status"]))
            .collect();
        assert!(told.len() <= most, "{job}: {told:#?}");
    }
}
