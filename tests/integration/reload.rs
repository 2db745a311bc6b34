//! What a reload keeps.

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::server::Asked;
use crate::support::wait::{until, wait_for};
use crate::support::workspace::Workspace;

use serde_json::Value;

/// Requests per second, in each of these stories.
const RATE: f64 = 10.0;

/// A portal with more folders than are read meanwhile.
async fn large_portal() -> Portal {
    let portal = Portal::start().await;
    for number in 0..200 {
        portal.folder(&format!("Folder {number}"));
    }
    portal
}

fn at_the_rate(config: &mut Value) {
    config["collect"]["max_requests_per_second"] = RATE.into();
}

/// No more requests came than the rate allows, give or take the lists that come first: what follows them waits for their answers.
fn keeps_the_rate(asked: &[Asked]) {
    let (first, last) = (asked.first().unwrap().at, asked.last().unwrap().at);
    let took = last.duration_since(first).unwrap_or_default();
    let allowed = took.as_secs_f64() * RATE + 3.0;
    let number = f64::from(u32::try_from(asked.len()).unwrap());
    assert!(number <= allowed, "{number} in {took:?}");
}

/// Waits until this number of requests came, and returns them.
async fn asked(portal: &Portal, number: usize) -> Vec<Asked> {
    wait_for("requests come", async || {
        let asked = portal.asked();
        (asked.len() >= number).then_some(asked)
    })
    .await
}

#[tokio::test]
async fn reloads_do_not_exceed_the_rate() {
    let portal = large_portal().await;
    let mut workspace = Workspace::with(&[("main", portal.base_url())], at_the_rate);
    let exporter = Exporter::start(&workspace).await;
    for reload in 1_usize..=10 {
        asked(&portal, 2 * reload).await;
        workspace.change(|config| config["collect"]["stale_after"] = format!("{reload}h").into());
        exporter.signal("HUP");
    }
    keeps_the_rate(&asked(&portal, 60).await);
}

#[tokio::test]
async fn portals_at_one_address_share_its_rate() {
    let portal = large_portal().await;
    let addresses = [portal.base_url(), format!("{}/", portal.base_url())];
    let [first, second] = addresses;
    let workspace = Workspace::with(&[("a", first), ("b", second)], at_the_rate);
    let exporter = Exporter::start(&workspace).await;
    let lists = wait_for("both are read", async || {
        let metrics = exporter.metrics().await;
        let up = metrics
            .all("kb_portal_up", &[])
            .filter(|up| up.count() == 1);
        (up.count() == 2).then_some(portal.requests_with("/mine"))
    });
    assert_eq!(lists.await, 2);
    keeps_the_rate(&asked(&portal, 40).await);
}

#[tokio::test]
async fn a_file_that_cannot_be_used_is_said_on_the_page_until_it_can() {
    let portal = Portal::start().await;
    let mut workspace = Workspace::new(&[("main", portal.base_url())]);
    let exporter = Exporter::start(&workspace).await;
    for (schedule, is_said) in [("never", true), ("1m", false)] {
        workspace.change(|config| config["collect"]["schedule"] = schedule.into());
        exporter.signal("HUP");
        until("the page says how the reload ended", async || {
            let page = exporter.get("/").await.text().await.unwrap();
            let says = page.contains("runbook#kbexporterproblem");
            says == is_said
        })
        .await;
    }
}
