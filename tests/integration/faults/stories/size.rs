//! Answers that are larger than they may be, at a portal with many folders.

use kb_simulator::faults::{BodyFault, Fault, Target};

use super::{KEY, scene};
use crate::faults::witness;
use crate::support::exporter::Exporter;
use kb_exposition::Exposition;

const FOLDERS: usize = 60;

fn up(metrics: &Exposition) -> usize {
    let folders = metrics.all("kb_folder_up", &[]);
    folders.filter(|folder| folder.count() == 1).count()
}

#[tokio::test]
async fn bombs_do_not_make_the_process_large_however_many_folders_there_are() {
    let (portal, folders, workspace) = scene(|config| {
        config["request"]["timeout"] = "30s".into();
        config["request"]["max_body_bytes"] = (1 << 20).into();
    })
    .await;
    for number in folders.len()..FOLDERS {
        portal.mixed_folder(&format!("Folder {number}"), 10);
    }
    let exporter = Exporter::start(&workspace).await;
    let all_up = |metrics: &Exposition| up(metrics) == FOLDERS;
    exporter
        .metrics_when("all folders are counted", all_up)
        .await;
    let usual = witness::was_well(&exporter, KEY);
    let bomb = Fault::Body(BodyFault::GzipBomb);
    portal.strike(Target::Folder(folders[0]), bomb.clone());
    let one_down = |metrics: &Exposition| up(metrics) == FOLDERS - 1;
    exporter.metrics_when("a page is a bomb", one_down).await;
    portal.faults.clear();
    exporter
        .metrics_when("all folders are counted again", all_up)
        .await;
    portal.strike(Target::List, bomb);
    let invalid = |metrics: &Exposition| {
        let reason = [("reason", "invalid_response")];
        // Reads that were under way when the list failed may still count.
        metrics.value("kb_portal_unavailable", &reason) == Some(1.0) && up(metrics) == 0
    };
    let metrics = exporter.metrics_when("the list is a bomb", invalid).await;
    let counts = metrics.folder(folders[0]).by_status("kb_folder_files");
    assert_eq!(counts, portal.counts(folders[0]), "the last counts stay");
    portal.faults.clear();
    exporter
        .metrics_when("all is counted after the list's bomb", all_up)
        .await;
    witness::reads_well(&exporter, KEY).await;
    let peak = witness::was_well(&exporter, KEY);
    println!("most memory with {FOLDERS} folders: {usual} MiB, {peak} MiB with bombs");
}
