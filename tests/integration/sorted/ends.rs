//! A portal that refuses the pages far from the start of a list, as search engines do.

use kb_exposition::Exposition;
use kb_simulator::Status;
use kb_simulator::faults::{Fault, RetryAfter, Target};
use uuid::Uuid;

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::workspace::Workspace;

#[tokio::test]
async fn folders_are_counted_from_both_ends() {
    let portal = Portal::start().await;
    let add = |name, failed, done| {
        let counts = [(Status::Failed, failed), (Status::Done, done)].into();
        portal.world(|world| world.add_synthetic_folder(name, &counts))
    };
    let exact = [
        (add("A million", 375, 999_625), 375),
        (add("Many failed", 9_000, 91_000), 9_000),
    ];
    let refuse = |folder, status| {
        let fault = Fault::Status(status, RetryAfter::Absent);
        portal.strike(Target::PagesBehind(folder, 100), fault);
    };
    let half = add("Half failed", 50_000, 50_000);
    refuse(exact[0].0, 400);
    refuse(exact[1].0, 500);
    refuse(half, 400);
    // A scan of its few pages shows that the portal sorts.
    add("A few", 60, 400);
    let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
        config["collect"]["schedule"] = "1s".into();
        config["collect"]["strategy"] = "auto".into();
        config["request"]["retries"] = 1.into();
    });
    let exporter = Exporter::start(&workspace).await;
    let consistent = |metrics: &Exposition, folder: Uuid| {
        metrics.value(
            "kb_folder_consistent",
            &[("folder_id", &folder.to_string())],
        )
    };
    let metrics = exporter
        .metrics_when("all folders are counted", |metrics| {
            let mut exact = exact.iter();
            exact.all(|(folder, _)| consistent(metrics, *folder) == Some(1.0))
                && consistent(metrics, half).is_some()
        })
        .await;
    let failed = |folder: Uuid| metrics.by_status("kb_folder_files", &folder.to_string())["failed"];
    for (folder, files) in exact {
        assert_eq!(failed(folder), files);
    }
    // The statuses meet where no page can be read.
    assert_eq!(failed(half), 10_000);
    assert_eq!(consistent(&metrics, half), Some(0.0));
}
