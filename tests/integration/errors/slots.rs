//! Which classes have a label of their own while classes come and go.

use std::collections::{BTreeMap, BTreeSet};

use super::fill;
use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::workspace::Workspace;
use kb_exposition::Exposition;

use kb_simulator::{NewFile, Status};
use serde_json::json;
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
async fn the_class_of_a_rule_has_a_label_however_many_larger_classes_there_are() {
    let portal = Portal::start().await;
    let large = || {
        WORDS
            .iter()
            .flat_map(|word| vec![format!("{word} broke"); 5])
    };
    let inbox = fill(&portal, "Inbox", large());
    add(&portal, inbox, &Status::Failed, "Request timed out", 1);
    let archive = fill(&portal, "Archive", large());
    let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
        config["collect"]["schedule"] = json!("1s");
        config["errors"] = json!({
            "max_classes": 5,
            "max_classes_per_folder": 3,
            "rules": [
                {"match": "timed out", "class": "timeout"},
                {"match": "disk full", "class": "no space"},
            ],
        });
    });
    let exporter = Exporter::start(&workspace).await;
    let files = files_by_class(&exporter.collected().await, inbox);
    assert_eq!(files.get("timeout"), Some(&1), "{files:?}");
    assert_eq!(without_other(&files).len(), 3, "{files:?}");

    // Another rule's class comes up in a folder that has no free slot.
    add(&portal, archive, &Status::Failed, "disk full", 1);
    let metrics = exporter
        .metrics_when("the second rule's class is shown", |metrics| {
            files_by_class(metrics, archive).get("no space") == Some(&1)
        })
        .await;
    let files = files_by_class(&metrics, archive);
    assert_eq!(without_other(&files).len(), 3, "{files:?}");
    let metrics = exporter.collected_again().await;
    let classes = metrics.count("kb_error_classes", &[("portal", "main")]);
    assert!(classes <= Some(5), "{classes:?}");
    exporter.stop().await;
}

#[tokio::test]
async fn a_few_flagged_files_have_labels_beside_many_failed_ones() {
    let portal = Portal::start().await;
    let large = WORDS
        .iter()
        .flat_map(|word| vec![format!("{word} broke"); 9]);
    let folder = fill(&portal, "Inbox", large);
    let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
        config["collect"]["schedule"] = json!("1s");
        config["errors"] = json!({"max_classes_per_folder": 10});
    });
    let exporter = Exporter::start(&workspace).await;
    let before = files_by_class(&exporter.collected().await, folder);
    assert_eq!(without_other(&before).len(), 10, "{before:?}");
    let reasons = ["looks like an instruction", "asks for a password"];
    for reason in reasons {
        add(&portal, folder, &Status::Flagged, reason, 1);
    }
    let metrics = exporter
        .metrics_when("flagged files are counted", |metrics| {
            metrics.by_status("kb_folder_files", &folder.to_string())["flagged"] == 2
        })
        .await;
    let files = files_by_class(&metrics, folder);
    for reason in reasons {
        assert_eq!(files.get(reason), Some(&1), "{files:?}");
    }
    assert_eq!(without_other(&files).len(), 10, "{files:?}");
    exporter.stop().await;
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
