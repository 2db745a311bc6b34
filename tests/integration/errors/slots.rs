//! Which classes have a label of their own while classes come and go.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::workspace::Workspace;
use kb_exposition::Exposition;

use kb_simulator::{NewFile, Status};
use uuid::Uuid;

/// Words that make classes that differ.
const WORDS: [&str; 12] = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
    "lambda", "mu",
];

/// Puts files into a folder that failed or were flagged for one reason.
fn add(portal: &Portal, folder: Uuid, status: &Status, reason: &str, files: u32) -> Vec<Uuid> {
    let file =
        |number| NewFile::new(format!("{reason} {number:05}.pdf"), status.clone()).because(reason);
    (0..files)
        .map(|number| portal.add(folder, &file(number)))
        .collect()
}

/// The files of a folder by class.
fn files_by_class(metrics: &Exposition, folder: Uuid) -> BTreeMap<String, u64> {
    let id = folder.to_string();
    let mut files = BTreeMap::new();
    for sample in metrics.all("kb_folder_file_errors", &[("folder_id", &id)]) {
        *files.entry(sample.labels["error"].clone()).or_default() += sample.count();
    }
    files
}

fn without_other(files: &BTreeMap<String, u64>) -> BTreeSet<String> {
    let labels = files.keys().filter(|label| *label != "other");
    labels.cloned().collect()
}

#[tokio::test]
async fn classes_that_go_leave_their_slots_to_those_that_come_and_a_restart_changes_no_label() {
    let portal = Portal::start().await;
    let folder = portal.folder("Inbox");
    let add_all = |status: Status, what: &str, files: u32| -> Vec<Uuid> {
        let words = WORDS.iter().take(8);
        words
            .flat_map(|word| add(&portal, folder, &status, &format!("{word} {what}"), files))
            .collect()
    };
    let workspace = Workspace::each_second(&[("main", portal.base_url())]);
    let exporter = Exporter::start(&workspace).await;
    let shown = async |exporter: &Exporter, what: &str| {
        let metrics = exporter
            .metrics_when("no file is in the class `other`", |metrics| {
                let files = files_by_class(metrics, folder);
                without_other(&files).len() == 8 && files.keys().all(|label| label.ends_with(what))
            })
            .await;
        files_by_class(&metrics, folder)
    };
    for (status, what, files) in [
        (Status::Failed, "broke", 3),
        (Status::Flagged, "is suspicious", 40),
        (Status::Failed, "broke again", 1),
    ] {
        let wave = add_all(status, what, files);
        let labels = shown(&exporter, what).await;
        assert!(labels.values().all(|count| *count == u64::from(files)));
        for file in wave {
            portal.set(folder, file, Status::Done);
        }
    }
    let last = add_all(Status::Failed, "broke for good", 2);
    let before = shown(&exporter, "broke for good").await;
    assert_eq!(before.values().sum::<u64>(), last.len() as u64);
    // More classes than slots: those that have one keep it, also in another process.
    for word in &WORDS[..6] {
        add(&portal, folder, &Status::Failed, &format!("{word} too"), 9);
    }
    let crowded = exporter
        .metrics_when("the new files are counted", |metrics| {
            files_by_class(metrics, folder).values().sum::<u64>() == 16 + 54
        })
        .await;
    let crowded = without_other(&files_by_class(&crowded, folder));
    assert!(
        before.keys().all(|label| crowded.contains(label)),
        "{crowded:?}"
    );
    let settled = without_other(&files_by_class(&exporter.collected_again().await, folder));
    exporter.kill().await;
    let exporter = Exporter::start(&workspace).await;
    let after = files_by_class(&exporter.collected().await, folder);
    assert_eq!(without_other(&after), settled);
    exporter.stop().await;
}
