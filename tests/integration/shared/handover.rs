//! Folders that go from one process to another: the counters go on from where they were.

use std::collections::BTreeMap;

use kb_simulator::Status;
use uuid::Uuid;

use super::scene::Shared;
use crate::support::exporter::Exporter;
use kb_exposition::Exposition;

/// Enough for each of three processes to have some: shards go by a hash that
/// starts from the portal's address, whose port is random.
const FOLDERS: usize = 40;

/// Entries into `failed` by folder.
fn entries(metrics: &Exposition) -> BTreeMap<String, u64> {
    let failed = [("status", "failed")];
    let entries = metrics.all("kb_folder_status_entries_total", &failed);
    entries
        .map(|sample| (sample.labels["folder_id"].clone(), sample.count()))
        .collect()
}

/// Entries when all failures of all folders of a process are stored.
async fn stored(exporter: &Exporter, expected: impl Fn(&str) -> u64) -> BTreeMap<String, u64> {
    let metrics = exporter
        .metrics_when("every failure is stored", |metrics| {
            let entries = entries(metrics);
            !entries.is_empty() && entries.iter().all(|(id, entered)| *entered == expected(id))
        })
        .await;
    entries(&metrics)
}

/// Waits until all folders of a process were counted and the counts are stored.
async fn counted_once(exporter: &Exporter) {
    exporter.collected_again().await;
    let state = [("store", "state")];
    exporter
        .metrics_when("the counts are stored", |metrics| {
            metrics.value("kb_state_writable", &state) == Some(1.0)
        })
        .await;
}

fn fail_one_in_each(shared: &Shared, folders: &[Uuid], name: &str) {
    for folder in folders {
        shared.portal.file(*folder, name, Status::Failed);
    }
}

#[tokio::test]
async fn the_counters_of_folders_go_on_in_other_processes() {
    let shared = Shared::new("off").await;
    let more = (0..FOLDERS).map(|number| shared.portal.folder(&format!("Folder {number}")));
    let folders: Vec<_> = more.chain([shared.folder]).collect();
    let start = |index| Exporter::shard(&shared.workspace, index, 2, 1);
    let (first, second) = tokio::join!(start(0), start(1));
    for exporter in [&first, &second] {
        counted_once(exporter).await;
    }
    fail_one_in_each(&shared, &folders, "one.pdf");
    let of_first = stored(&first, |_| 1).await;
    let of_second = stored(&second, |_| 1).await;
    assert_eq!(of_first.len() + of_second.len(), folders.len(), "each once");
    assert!(of_first.keys().all(|id| !of_second.contains_key(id)));
    first.stop().await;
    second.stop().await;

    // One process takes all of them over.
    let alone = Exporter::shard(&shared.workspace, 0, 1, 1).await;
    let metrics = alone.collected().await;
    assert!(
        entries(&metrics).values().all(|entered| *entered == 1),
        "{:?}",
        entries(&metrics)
    );
    assert_eq!(entries(&metrics).len(), folders.len());
    fail_one_in_each(&shared, &folders, "two.pdf");
    stored(&alone, |_| 2).await;
    alone.stop().await;

    // A file that fails while nobody looks counts, too.
    fail_one_in_each(&shared, &folders, "three.pdf");
    let start = |index| Exporter::shard(&shared.workspace, index, 3, 1);
    let (first, second, third) = tokio::join!(start(0), start(1), start(2));
    let mut number = 0;
    for exporter in [first, second, third] {
        number += stored(&exporter, |_| 3).await.len();
        exporter.stop().await;
    }
    assert_eq!(number, folders.len());
}

/// For a moment two processes collect the same folders, as while a number of shards is being changed.
#[tokio::test]
async fn processes_of_the_old_and_the_new_number_of_shards_count_each_entry_once() {
    let shared = Shared::new("off").await;
    let more = (0..FOLDERS).map(|number| shared.portal.folder(&format!("Folder {number}")));
    let folders: Vec<_> = more.chain([shared.folder]).collect();
    let start = |index, count| Exporter::shard(&shared.workspace, index, count, 1);
    let (old, one, other) = tokio::join!(start(0, 1), start(0, 2), start(1, 2));
    let all = [old, one, other];
    for exporter in &all {
        counted_once(exporter).await;
    }
    for round in 1..=3 {
        fail_one_in_each(&shared, &folders, &format!("{round}.pdf"));
        for exporter in &all {
            stored(exporter, |_| round).await;
        }
    }
    for exporter in all {
        exporter.stop().await;
    }
}
