//! Folders whose requests are repeated much later.

use kb_simulator::faults::{Fault, RetryAfter, Target};
use serde_json::json;

use super::{counted, scene};
use crate::support::exporter::Exporter;

/// A minute, as long as a request rests at most.
const MINUTE: RetryAfter = RetryAfter::Seconds(60);

#[tokio::test]
async fn folders_whose_requests_rest_stop_no_other() {
    let (portal, _, workspace) = scene(|config| {
        config["request"] = json!({"timeout": "1s", "retries": 4});
    })
    .await;
    let resting = [1, 2, 3, 4].map(|number| portal.mixed_folder(&format!("Resting {number}"), 3));
    let others =
        [1, 2, 3, 4, 5, 6].map(|number| portal.mixed_folder(&format!("Other {number}"), 3));
    let exporter = Exporter::start(&workspace).await;
    counted(&exporter, &portal).await;
    for folder in resting {
        portal.strike(Target::Folder(folder), Fault::Status(503, MINUTE));
    }
    for folder in resting {
        let labels = [("folder_id", &*folder.to_string())];
        exporter.until_value("kb_folder_up", &labels, 0.0).await;
    }
    for folder in others {
        portal.fail_one(folder);
    }
    exporter
        .metrics_when("the other folders are counted", |metrics| {
            portal.are_counted(&others, metrics)
        })
        .await;
}
