//! What audits find, and what is looked at before the first of them.

use super::*;

fn was_read_in_full(metrics: &Exposition) -> bool {
    let at = "kb_folder_last_full_read_timestamp_seconds";
    metrics.value(at, &[]).is_some()
}

#[tokio::test]
async fn a_page_that_lacks_rows_once_costs_no_count_its_mark() {
    let portal = Portal::start().await;
    let folder = portal.world(|world| {
        let folder = world.add_folder("Inbox");
        world.add_files(folder, &Status::Done, 2_980).unwrap();
        world.add_files(folder, &Status::Failed, 20).unwrap();
        folder
    });
    // Boundaries are not on this page, and the first look leaves it out: the audit reads it.
    let scope = Scope::nth(Target::Page(folder, 3), 1);
    portal
        .faults
        .add(scope, Fault::Page(PageFault::MissingRows));
    let workspace = workspace(portal.base_url(), |_| {});
    let exporter = Exporter::start(&workspace).await;
    exporter
        .metrics_when("sorting is shown", |metrics| {
            assert_ne!(is_consistent(metrics, folder), Some(false));
            sorting_is(metrics, "shown")
        })
        .await;
    assert_eq!(portal.faults.struck(), 1);
}

#[tokio::test]
async fn rows_that_an_audit_missed_are_remembered_across_a_restart() {
    let portal = Portal::start().await;
    let folder = portal.world(|world| {
        let folder = world.add_folder("Archive");
        world.add_files(folder, &Status::Done, 3_000).unwrap();
        folder
    });
    let page = Target::Page(folder, 3);
    portal.strike(page, Fault::Page(PageFault::MissingRows));
    let workspace = workspace(portal.base_url(), |_| {});
    let exporter = Exporter::start(&workspace).await;
    exporter
        .metrics_when("the folder was audited and counted again", |metrics| {
            was_read_in_full(metrics) && is_consistent(metrics, folder) == Some(false)
        })
        .await;
    exporter.stop().await;
    let exporter = Exporter::start(&workspace).await;
    let metrics = exporter.collected().await;
    assert_eq!(is_consistent(&metrics, folder), Some(false));
}
