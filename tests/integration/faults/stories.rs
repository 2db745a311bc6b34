//! Stories of faults that do not fit into a table.

mod disk;
mod key;
mod process;
mod rest;
mod size;
mod stale;

use serde_json::{Value, json};

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::workspace::Workspace;

const KEY: &str = "kbk_story_5b1e77";

/// A portal with two folders, and a workspace that collects it each second.
async fn scene(change: impl FnOnce(&mut Value)) -> (Portal, [uuid::Uuid; 2], Workspace) {
    let portal = Portal::keyed(KEY).await;
    let folders = [
        portal.mixed_folder("First", 120),
        portal.mixed_folder("Second", 7),
    ];
    let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
        config["collect"]["schedule"] = "1s".into();
        config["request"] = json!({"timeout": "1s", "connect_timeout": "500ms", "retries": 0});
        change(config);
    });
    std::fs::write(workspace.path("key"), KEY).unwrap();
    (portal, folders, workspace)
}

/// Waits until everything is counted as it is now.
async fn counted(exporter: &Exporter, portal: &Portal) {
    let folders = portal.world(|world| world.folder_ids());
    exporter
        .metrics_when("every folder is counted as it is", |metrics| {
            metrics.value("kb_portal_up", &[]) == Some(1.0) && portal.are_counted(&folders, metrics)
        })
        .await;
}
