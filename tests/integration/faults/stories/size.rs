//! A portal with 500 folders, and answers that are larger than they may be.

use kb_simulator::faults::{BodyFault, Fault, Target};

use super::{KEY, scene};
use crate::faults::witness;
use crate::support::exporter::Exporter;
use kb_exposition::Exposition;

const FOLDERS: usize = 500;

fn up(metrics: &Exposition) -> usize {
    let folders = metrics.all("kb_folder_up", &[]);
    folders.filter(|folder| folder.count() == 1).count()
}

#[tokio::test]
async fn bombs_do_not_make_the_process_large_however_many_folders_there_are() {
    let (portal, folders, workspace) = scene(|config| {
        config["request"]["timeout"] = "30s".into();
    })
    .await;
    for number in folders.len()..FOLDERS {
        portal.folder(&format!("Folder {number}"), 10);
    }
    let exporter = Exporter::start(&workspace).await;
    let all_up = |metrics: &Exposition| up(metrics) == FOLDERS;
    exporter
        .metrics_when("all folders are counted", all_up)
        .await;
    let usual = witness::was_well(&exporter, KEY);
    portal.strike(Target::Folder(folders[0]), Fault::Body(BodyFault::GzipBomb));
    let one_down = |metrics: &Exposition| up(metrics) == FOLDERS - 1;
    exporter.metrics_when("a page is a bomb", one_down).await;
    portal.faults.clear();
    exporter
        .metrics_when("all folders are counted again", all_up)
        .await;
    let peak = witness::was_well(&exporter, KEY);
    println!("most memory with {FOLDERS} folders: {usual} MiB, {peak} MiB with a bomb");
}
