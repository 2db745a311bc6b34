//! Limits belong to the portal, whatever its entries in the configuration are called.

use serde_json::Value;

use super::ledger;
use super::scene::{LONG_AGO, Scene, budget_of};
use crate::support::portal::Portal;
use crate::support::wait::until;
use kb_exposition::Exposition;

#[tokio::test]
async fn two_entries_with_one_address_send_a_folder_once_and_share_the_budget() {
    let scene = Scene::with("enforce", |config| {
        let mut again = config["portals"][0].clone();
        let address = again["base_url"].as_str().unwrap().to_owned();
        again["name"] = "again".into();
        again["base_url"] = format!("{address}/").into();
        config["portals"].as_array_mut().unwrap().push(again);
    })
    .await;
    let exporter = scene.start_with_old_ledger().await;
    exporter
        .metrics_when("both see what is left of the budget", |metrics| {
            ["main", "again"]
                .iter()
                .all(|name| budget_of(metrics, name) == Some(4_998))
        })
        .await;
    scene.helped_and_failed_anew(&exporter).await;
    let metrics = exporter
        .metrics_when("both hold the folder", |metrics| {
            let held = metrics.all("kb_reindex_hold", &[("reason", "cooldown")]);
            held.count() == 2
        })
        .await;
    let accepted = metrics.all("kb_reindex_attempts_total", &[("result", "accepted")]);
    assert!(accepted.into_iter().all(|sample| sample.count() == 1));
    scene.sent_in_all(exporter, 1).await;
}

#[tokio::test]
async fn a_portal_with_another_name_keeps_its_cooldown_and_its_counters() {
    let mut scene = Scene::new("enforce").await;
    let exporter = scene.start_with_old_ledger().await;
    let before = scene.in_cooldown(&exporter).await;
    let entries = |metrics: &Exposition| metrics.by_status("kb_folder_status_entries_total");
    for name in ["other", "main"] {
        let renamed = |config: &mut Value| config["portals"][0]["name"] = name.into();
        scene.reconfigure(&exporter, renamed).await;
        let held = [("portal", name), ("reason", "cooldown")];
        exporter.until_value("kb_reindex_hold", &held, 1.0).await;
        let metrics = exporter.collected_again().await;
        assert_eq!(entries(&metrics), entries(&before), "{name}");
    }
    scene.sent_in_all(exporter, 1).await;
}

#[tokio::test]
async fn nothing_is_sent_to_an_address_that_a_reload_replaced() {
    let mut scene = Scene::new("enforce").await;
    let other = Portal::start().await;
    let exporter = scene.held_at_the_first_check(scene.folder).await;
    let moved = |config: &mut Value| config["portals"][0]["base_url"] = other.base_url().into();
    scene.reconfigure(&exporter, moved).await;
    scene.portal.heal();
    other.until_asked("/mine", 1).await;
    let asked = scene.portal.asked().len();
    scene.sent_in_all(exporter, 0).await;
    assert_eq!(scene.portal.asked().len(), asked, "nor anything else");
}

#[tokio::test]
async fn one_portal_under_two_host_names_is_reindexed_under_the_first_alone() {
    let scene = Scene::with("enforce", |config| {
        let mut again = config["portals"][0].clone();
        let address = again["base_url"].as_str().unwrap();
        again["base_url"] = address.replace("127.0.0.1", "localhost").into();
        again["name"] = "again".into();
        config["portals"].as_array_mut().unwrap().push(again);
    })
    .await;
    let exporter = scene.start().await;
    let are_met = async || ledger::has_met(&scene.workspace, 2);
    until("both are met", are_met).await;
    exporter.stop().await;
    ledger::age(&scene.workspace, LONG_AGO);
    let exporter = scene.start().await;
    let attempts = |metrics: &Exposition, portal| {
        let labels = [("portal", portal), ("result", "accepted")];
        metrics.count("kb_reindex_attempts_total", &labels)
    };
    exporter
        .metrics_when("the first one made its attempt", |metrics| {
            let held = [("portal", "again"), ("reason", "portal")];
            attempts(metrics, "main") == Some(1)
                && metrics.value("kb_reindex_hold", &held) == Some(1.0)
        })
        .await;
    scene.settle(&kb_simulator::Status::Failed);
    let metrics = exporter.collected_again().await;
    assert_eq!(attempts(&metrics, "again"), Some(0));
    scene.sent_in_all(exporter, 1).await;
}
