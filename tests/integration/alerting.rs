//! The whole path: a portal in trouble, the exporter, Prometheus with the shipped rules, Alertmanager, a webhook.

mod incidents;

use std::fs;
use std::path::Path;

use crate::support::alertmanager::{Alertmanager, Webhook};
use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::prometheus::{self, Prometheus};
use crate::support::rules;
use crate::support::wait::wait_for;
use crate::support::workspace::Workspace;

use kb_simulator::Status;
use regex::{Captures, Regex};
use serde_json::{Value, json};
use uuid::Uuid;

/// How much faster than in life time goes by for the rules: a minute is a second.
const FASTER: u64 = 60;

/// The key that the exporter has for the portals.
const KEY: &str = "kbk_demo";

/// The shipped configuration of Alertmanager.
const ALERTMANAGER: &str = include_str!("../../deploy/alertmanager.yml");

/// The shipped configuration, which notifies a webhook, with its times divided by a number.
fn scaled(webhook: &str, by: u64) -> String {
    let time = Regex::new(r"(group_wait|group_interval|repeat_interval): ([0-9smh]+)").unwrap();
    let config = time.replace_all(ALERTMANAGER, |found: &Captures<'_>| {
        format!("{}: {}ms", &found[1], rules::milliseconds(&found[2]) / by)
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

/// A server that scrapes an exporter, follows the rules in their fast form, and tells an Alertmanager.
async fn watching(exporter: &Exporter, alertmanager: &Alertmanager) -> Prometheus {
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join("rules.yml");
    fs::write(&rules, rules::faster(FASTER, FASTER)).unwrap();
    let config = config(exporter, &rules, alertmanager);
    // As it is shipped, a value counts for five minutes.
    Prometheus::start(&config, folder, &["--query.lookback-delta=5s"]).await
}

fn config(exporter: &Exporter, rules: &Path, alertmanager: &Alertmanager) -> Value {
    let mut config = prometheus::scraping(exporter.address());
    config["global"] = json!({"evaluation_interval": "1s"});
    config["rule_files"] = json!([rules]);
    config["alerting"] = json!({"alertmanagers": [
        {"static_configs": [{"targets": [alertmanager.address()]}]},
    ]});
    config
}

/// A folder with finished files.
fn folder(portal: &Portal, name: &str, files: usize) -> (Uuid, Vec<Uuid>) {
    let folder = portal.folder(name);
    let file = |number| portal.file(folder, &format!("{number}.pdf"), Status::Done);
    (folder, (0..files).map(file).collect())
}

#[tokio::test]
async fn a_spike_and_a_revoked_key_reach_whom_they_concern_and_are_called_off() {
    let portal = Portal::start().await;
    let other = Portal::start().await;
    let (invoices, bills) = folder(&portal, "Invoices & bills", 400);
    let (inbox, mails) = folder(&portal, "Inbox", 20);
    other.folder("Elsewhere");
    let portals = [("main", portal.base_url()), ("other", other.base_url())];
    let workspace = Workspace::each_second(&portals);
    let exporter = Exporter::start(&workspace).await;
    exporter.collected().await;
    let webhook = Webhook::start().await;
    let alertmanager = Alertmanager::start(&scaled(&webhook.url(), FASTER)).await;
    let prometheus = watching(&exporter, &alertmanager).await;
    wait_for("the rules know the folders", async || {
        let known = prometheus.query("kb:entries:new15m{folder_id!=''}").await;
        (known.len() == 6).then_some(())
    })
    .await;

    bills[..15]
        .iter()
        .for_each(|file| portal.set(invoices, *file, Status::Failed));
    mails[..4]
        .iter()
        .for_each(|file| portal.set(inbox, *file, Status::Flagged));
    other.world(|world| world.revoke_key(KEY));

    let failed = webhook.told("KbFailedSpike", "firing").await;
    assert_eq!(failed["labels"]["folder_id"], invoices.to_string());
    assert_eq!(failed["labels"]["portal"], "main");
    let annotations = &failed["annotations"];
    let description = annotations["description"].as_str().unwrap();
    assert!(
        description.starts_with("Folder \"Invoices & bills\" of the portal main: 15 of 15 files"),
        "{description}"
    );
    let runbook = "https://git.example/kb-exporter/blob/main/alerts/runbook.md#kbfailedspike";
    assert_eq!(annotations["runbook_url"], runbook);
    let page = format!("http://localhost:15732/folders/main/{invoices}");
    assert_eq!(annotations["page_url"], page);
    let board = format!(
        "http://localhost:3000/d/kb-folder?var-job=kb-exporter&var-portal=main&var-folder={invoices}"
    );
    assert_eq!(annotations["dashboard_url"], board);
    let flagged = webhook.told("KbFlaggedSpike", "firing").await;
    assert_eq!(flagged["labels"]["folder_id"], inbox.to_string());
    let rejected = webhook.told("KbPortalUnreadable", "firing").await;
    assert_eq!(rejected["labels"]["portal"], "other");
    assert_eq!(rejected["labels"]["reason"], "unauthorized");

    other.world(|world| world.issue_key(KEY));
    for name in ["KbFailedSpike", "KbFlaggedSpike", "KbPortalUnreadable"] {
        let resolved = webhook.told(name, "resolved").await;
        assert_eq!(
            resolved["labels"]["severity"],
            if name == "KbPortalUnreadable" {
                "critical"
            } else {
                "warning"
            }
        );
    }
    // The key is the reason, and nobody is told of what follows from it.
    let stale = |alert: &Value| alert["labels"]["alertname"] == "KbCollectionStale";
    let told = webhook.all();
    let consequences: Vec<_> = told.iter().filter(|alert| stale(alert)).collect();
    assert!(consequences.is_empty(), "{consequences:?}");
    exporter.stop().await;
}
