//! A process stands still past its lease while everything is moved to a folder: it does not act when it goes on.

use serde_json::json;

use super::ledger;
use super::scene::{Shared, says};
use super::takeover::stood_still;
use crate::support::exporter::Exporter;
use crate::support::process::run;
use crate::support::wait::wait_for;

#[tokio::test]
async fn a_process_that_stood_still_while_the_state_was_moved_sends_nothing() {
    let shared = Shared::new("enforce").await;
    let (first, _) = stood_still(&shared).await;
    let mut workspace = shared.by(&shared.database.url());
    let folder = workspace.path("moved");
    workspace.change(|config| config["state"]["path"] = json!(folder));
    // The lease must end first.
    wait_for("the state is moved", async || {
        let mut command = workspace.command();
        let output = run(command.args(["state", "migrate", "--to", "path"]), "");
        output.status.success().then_some(())
    })
    .await;
    first.signal("CONT");
    wait_for("the process is told where it went", async || {
        let path = folder.display();
        says(&first, &format!("was moved to {path}")).then_some(())
    })
    .await;
    first.collections(3).await;
    shared.held(&first, "ledger").await;
    assert_eq!(shared.sent(), 0);

    workspace.change(|config| config["state"] = json!({"path": folder}));
    let second = Exporter::start(&workspace).await;
    shared.attempted(&second, "accepted").await;
    first.collections(2).await;
    assert_eq!(shared.sent(), 1);
    assert!(ledger::attempts(&shared.database).is_empty());
    first.kill().await;
    second.stop().await;
}
