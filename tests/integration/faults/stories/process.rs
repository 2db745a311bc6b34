//! A wrong configuration.

use super::{KEY, counted, scene};
use crate::faults::witness;
use crate::support::exporter::Exporter;

const SUCCESSFUL: &str = "kb_exporter_config_last_reload_successful";

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
        let successful = metrics.value(SUCCESSFUL, &[]);
        assert_eq!(successful, Some(0.0), "{wrong}");
        portal.fail_one(folders[0]);
        counted(&exporter, &portal).await;
    }
    workspace.configure(&right);
    assert_eq!(reload(&exporter).await, 200);
    workspace.configure(&wrong[0]);
    exporter.signal("HUP");
    exporter.until_value(SUCCESSFUL, &[], 0.0).await;
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
