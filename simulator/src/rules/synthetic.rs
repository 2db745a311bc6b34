//! Folders that compute their files, by the same requests as others.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use uuid::Uuid;

use super::support::{FOLDERS, Portal};
use crate::{Counts, NewFile, Refusal, Status};

/// A portal with a folder that computes its files.
fn synthetic(counts: &Counts) -> (Portal, Uuid) {
    let portal = Portal::new();
    let folder = portal
        .simulator
        .with(|world| world.add_synthetic_folder("Large", counts));
    (portal, folder)
}

/// One field of all rows, page by page.
async fn all(portal: &Portal, folder: Uuid, query: &str, field: &str) -> Vec<String> {
    let mut column = Vec::new();
    for page in 1.. {
        let page = portal.page(folder, &format!("page={page}&{query}")).await;
        match page.column(field) {
            rows if rows.is_empty() => break,
            rows => column.extend(rows),
        }
    }
    column
}

#[tokio::test]
async fn every_file_is_listed_once_and_is_the_same_in_every_order() {
    let counts = [
        (Status::Done, 200),
        (Status::Failed, 40),
        (Status::Flagged, 7),
        ("archived".into(), 3),
    ];
    let (portal, folder) = synthetic(&counts.into());
    let rows = async |query| {
        let mut rows = BTreeMap::new();
        let ids = all(&portal, folder, query, "id").await;
        for field in [
            "filename",
            "linkId",
            "createdAt",
            "indexStatus",
            "indexError",
        ] {
            let column = all(&portal, folder, query, field).await;
            for (id, value) in ids.iter().zip(column) {
                rows.insert((id.clone(), field), value);
            }
        }
        rows
    };
    let by_name = rows("sortBy=filename").await;
    assert_eq!(by_name.len(), 5 * 250);
    assert_eq!(rows("sortBy=indexStatus").await, by_name);
    assert_eq!(rows("sortBy=indexStatus&sortOrder=desc").await, by_name);
    for field in ["filename", "linkId"] {
        let values = by_name.iter().filter(|((_, of), _)| *of == field);
        let values: BTreeSet<_> = values.map(|(_, value)| value).collect();
        assert_eq!(values.len(), 250, "{field}");
    }
    let reasons = by_name.iter().filter(|((_, of), _)| *of == "indexError");
    let given = reasons.filter(|(_, reason)| *reason != "null");
    assert_eq!(given.count(), 47);
}

#[tokio::test]
async fn any_page_of_a_hundred_million_files_is_there_at_once() {
    let mut counts: Counts = Status::KNOWN.map(|status| (status, 375)).into();
    counts.insert(Status::Done, 99_998_500);
    let (portal, folder) = synthetic(&counts);
    let first = portal.page(folder, "").await;
    assert_eq!(
        first.body["pagination"],
        json!({"page": 1, "pageSize": 100, "total": 100_000_000, "totalPages": 1_000_000})
    );
    let last = portal.page(folder, "page=1000000").await.column("filename");
    assert_eq!(last.len(), 100);
    let border = portal.page(folder, "page=8&sortBy=indexStatus").await;
    let statuses = border.column("indexStatus");
    let done = statuses.iter().filter(|status| *status == "done").count();
    assert_eq!((done, statuses.len()), (50, 100));
}

#[tokio::test]
async fn other_counts_and_reindexing_are_changes_of_the_folder() {
    let before: Counts = [(Status::Done, 16), (Status::Failed, 4)].into();
    let (portal, folder) = synthetic(&before);
    let after: Counts = [(Status::Done, 17), (Status::Failed, 3)].into();
    let sequence = portal.simulator.with(|world| {
        let sequence = world.sequence();
        world.set_counts(folder, &after).unwrap();
        sequence
    });
    let path = format!("{FOLDERS}/{folder}/reindex-failed");
    assert_eq!(
        portal.post(&path).await.body,
        json!({"data": {"updated": 3}})
    );
    portal.simulator.with(|world| {
        let then = |changes| world.counts_at(folder, sequence + changes);
        assert_eq!(then(0), Some(before));
        assert_eq!(then(1), Some(after));
        let requeued = [(Status::Done, 17), (Status::Pending, 3)];
        assert_eq!(then(2), Some(requeued.into()));
        let computed = Err(Refusal::FilesComputed);
        let added = world.add_file(folder, &NewFile::default());
        assert_eq!(added.map(drop), computed);
    });
}
