//! The process itself: stopped for a while, asked slowly, given a wrong configuration.

use std::time::{Duration, Instant};

use super::{KEY, counted, scene};
use crate::faults::witness;
use crate::support::exporter::Exporter;
use crate::support::wait::wait_for;

/// Longer than the interval, and than two.
const STOPPED: Duration = Duration::from_millis(2_500);

#[tokio::test]
async fn a_process_that_was_stopped_for_longer_than_the_interval_collects_on() {
    let (portal, folders, workspace) = scene(|_| {}).await;
    let exporter = Exporter::start(&workspace).await;
    counted(&exporter, &portal).await;
    exporter.signal("STOP");
    let asked = portal.requests_to("/mine");
    let stopped = Instant::now();
    portal.fail_one(folders[0]);
    wait_for("the process was stopped long enough", async || {
        (stopped.elapsed() > STOPPED).then_some(())
    })
    .await;
    assert!(
        portal.requests_to("/mine") <= asked + 1,
        "it was not stopped"
    );
    exporter.signal("CONT");
    counted(&exporter, &portal).await;
    exporter.collected_again().await;
    assert_eq!(exporter.status("/livez").await, 200);
    exporter.stop().await;
}

#[tokio::test]
async fn a_wrong_configuration_leaves_the_old_one_in_use_however_it_is_reloaded() {
    let (portal, folders, workspace) = scene(|_| {}).await;
    let mut command = workspace.command();
    let exporter = Exporter::launch(command.args(["run", "--web.enable-lifecycle"])).await;
    counted(&exporter, &portal).await;
    let right = std::fs::read_to_string(workspace.path("config.yml")).unwrap();
    let wrong = [
        "portals: [".to_owned(),
        String::new(),
        right.replace("\"schedule\"", "\"shedule\""),
        right.replace(&portal.base_url(), "ftp://portal.example"),
    ];
    for wrong in &wrong {
        workspace.configure(wrong);
        assert_eq!(reload(&exporter).await, 500, "{wrong}");
        let metrics = exporter.metrics().await;
        let successful = metrics.value("kb_exporter_config_last_reload_successful", &[]);
        assert_eq!(successful, Some(0.0), "{wrong}");
        portal.fail_one(folders[0]);
        counted(&exporter, &portal).await;
    }
    workspace.configure(&right);
    assert_eq!(reload(&exporter).await, 200);
    workspace.configure(&wrong[0]);
    exporter.signal("HUP");
    exporter
        .metrics_when("the signal was followed", |metrics| {
            metrics.value("kb_exporter_config_last_reload_successful", &[]) == Some(0.0)
        })
        .await;
    portal.fail_one(folders[1]);
    counted(&exporter, &portal).await;
    witness::reads_well(&exporter, KEY).await;
    witness::was_well(&exporter, KEY);
}

async fn reload(exporter: &Exporter) -> u16 {
    let url = format!("http://{}/-/reload", exporter.address());
    let client = crate::support::exporter::client();
    client.post(url).send().await.unwrap().status().as_u16()
}
