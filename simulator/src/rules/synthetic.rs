//! Folders that compute their files, by the same requests as others.

use std::collections::BTreeMap;

use axum::http::{Method, StatusCode};
use serde_json::json;
use uuid::Uuid;

use super::support::{Answer, FOLDERS, Portal, file};
use crate::{Counts, Equals, NewFile, Refusal, Status, Switches};

/// A portal with one folder that computes its files, whose path it gives as well.
struct Synthetic {
    portal: Portal,
    folder: Uuid,
}

impl Synthetic {
    fn new(counts: impl Into<Counts>) -> Self {
        Self::with(counts, |_| {})
    }

    fn with(counts: impl Into<Counts>, change: impl FnOnce(&mut Switches)) -> Self {
        let portal = Portal::with_switches(change);
        let folder = portal
            .simulator
            .with(|world| world.add_synthetic_folder("Large", &counts.into()));
        Self { portal, folder }
    }

    async fn files(&self, query: &str) -> Answer {
        let path = format!("{FOLDERS}/{}/files?pageSize=100&{query}", self.folder);
        self.portal.get(&path).await
    }

    /// One field of all rows, page by page.
    async fn all(&self, query: &str, field: &str) -> Vec<String> {
        let mut column = Vec::new();
        for page in 1.. {
            let rows = self.files(&format!("page={page}&{query}")).await;
            match rows.column(field) {
                rows if rows.is_empty() => break,
                rows => column.extend(rows),
            }
        }
        column
    }

    async fn post(&self, what: &str) -> Answer {
        let path = format!("{FOLDERS}/{}/{what}", self.folder);
        self.portal.call(&Method::POST, &path).await
    }

    fn counts(&self) -> Counts {
        let counts = self
            .portal
            .simulator
            .with(|world| world.counts(self.folder));
        counts.unwrap()
    }
}

fn counted(column: Vec<String>) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for value in column {
        *counts.entry(value).or_default() += 1;
    }
    counts
}

fn four_of_375(total: u64) -> Counts {
    let mut counts: Counts = Status::KNOWN.map(|status| (status, 375)).into();
    counts.insert(Status::Done, total - 1_500);
    counts
}

#[tokio::test]
async fn every_row_is_whole_and_every_file_is_listed_once() {
    let counts = [
        (Status::Done, 200),
        (Status::Failed, 40),
        (Status::Flagged, 7),
        ("archived".into(), 3),
    ];
    let folder = Synthetic::new(counts);
    let by_name = folder.all("sortBy=filename", "filename").await;
    assert!(by_name.is_sorted());
    let mut by_status = folder.all("sortBy=indexStatus", "filename").await;
    by_status.sort();
    assert_eq!(by_status, by_name);
    for field in ["id", "linkId", "filename"] {
        assert_eq!(counted(folder.all("", field).await).len(), 250, "{field}");
    }
    let expected = [
        ("archived", 3),
        ("done", 200),
        ("failed", 40),
        ("flagged", 7),
    ];
    let expected: BTreeMap<_, _> = expected.map(|(s, n)| (s.to_owned(), n)).into();
    assert_eq!(counted(folder.all("", "indexStatus").await), expected);
    let reasons = counted(folder.all("", "indexError").await);
    assert_eq!(reasons["null"], 203, "{reasons:?}");
    let counted = folder
        .portal
        .simulator
        .with(|world| world.errors(folder.folder));
    assert_eq!(counted.values().sum::<u64>(), 47);
    assert!(counted.keys().all(|reason| reasons.contains_key(reason)));
    let row = &folder.files("").await.body["data"][0];
    assert_eq!(row["mimeType"], "application/pdf");
    let bytes = folder.portal.simulator.with(|w| w.sizes(folder.folder));
    assert_eq!(
        row["fileSize"].as_u64().unwrap() * 40,
        bytes[&Status::Failed].bytes
    );
}

#[tokio::test]
async fn a_file_is_the_same_in_every_order_and_at_every_request() {
    let folder = Synthetic::new(four_of_375(2_000));
    let pairs = async |query: &str| {
        let names = folder.all(query, "filename").await;
        let ids = folder.all(query, "id").await;
        let created = folder.all(query, "createdAt").await;
        let mut rows: Vec<_> = names
            .into_iter()
            .zip(ids.into_iter().zip(created))
            .collect();
        rows.sort();
        rows
    };
    let by_name = pairs("").await;
    assert_eq!(pairs("sortOrder=desc").await, by_name);
    assert_eq!(pairs("sortBy=indexStatus").await, by_name);
    assert_eq!(pairs("sortBy=indexStatus&sortOrder=desc").await, by_name);
}

#[tokio::test]
async fn statuses_lie_in_runs_and_descending_is_ascending_backwards() {
    let folder = Synthetic::new(four_of_375(2_500));
    let mut up = folder.all("sortBy=indexStatus&sortOrder=asc", "id").await;
    let down = folder.all("sortBy=indexStatus&sortOrder=desc", "id").await;
    up.reverse();
    assert_eq!(up, down);
    let statuses = folder.all("sortBy=indexStatus", "indexStatus").await;
    let runs: Vec<_> = statuses
        .chunk_by(|a, b| a == b)
        .map(<[String]>::len)
        .collect();
    assert_eq!(runs, [375, 375, 1_000, 375, 375]);
    let names = folder.all("sortBy=indexStatus", "filename").await;
    assert!(names[..375].is_sorted());
    assert!(names[374] > names[375]);
}

#[tokio::test]
async fn any_page_of_a_hundred_million_files_is_there_at_once() {
    let folder = Synthetic::new(four_of_375(100_000_000));
    let first = folder.files("").await;
    let pagination = &first.body["pagination"];
    assert_eq!(
        *pagination,
        json!({"page": 1, "pageSize": 100, "total": 100_000_000, "totalPages": 1_000_000})
    );
    let last = folder.files("page=1000000").await.column("filename");
    assert_eq!(last.len(), 100);
    assert!(last[0] > first.column("filename")[99]);
    let border = folder.files("page=8&sortBy=indexStatus").await;
    let statuses = counted(border.column("indexStatus"));
    assert_eq!(
        statuses,
        [("done".into(), 50), ("processing".into(), 50)].into()
    );
    let behind = folder.files("page=1000001").await;
    assert_eq!(behind.body["data"], json!([]));
}

#[tokio::test]
async fn equals_shift_within_their_run_if_a_portal_does_that() {
    let folder = Synthetic::with(four_of_375(2_000), |s| s.equals = Equals::Shifting);
    let query = "sortBy=indexStatus&page=4";
    let (first, second) = (folder.files(query).await, folder.files(query).await);
    assert_ne!(first.column("id"), second.column("id"));
    assert_eq!(first.column("indexStatus"), second.column("indexStatus"));
    let by_name = "page=4";
    let (first, second) = (folder.files(by_name).await, folder.files(by_name).await);
    assert_eq!(first.column("id"), second.column("id"));
}

#[tokio::test]
async fn other_counts_move_as_few_files_as_can_be_and_are_a_change_of_the_folder() {
    let folder = Synthetic::new(four_of_375(2_000));
    let before = folder.all("", "indexStatus").await;
    let mut counts = folder.counts();
    *counts.get_mut(&Status::Failed).unwrap() -= 1;
    *counts.get_mut(&Status::Pending).unwrap() += 1;
    let sequence = folder.portal.simulator.with(|world| {
        let sequence = world.sequence();
        world.set_counts(folder.folder, &counts).unwrap();
        sequence
    });
    let after = folder.all("", "indexStatus").await;
    let moved: Vec<_> = before.iter().zip(&after).filter(|(b, a)| b != a).collect();
    assert_eq!(moved, [(&"failed".to_owned(), &"pending".to_owned())]);
    folder.portal.simulator.with(|world| {
        let then = world.counts_at(folder.folder, sequence).unwrap();
        assert_eq!(then, four_of_375(2_000));
        assert_eq!(world.counts_at(folder.folder, sequence + 1), Some(counts));
        assert_eq!(world.sequence(), sequence + 1);
    });
}

#[tokio::test]
async fn the_list_shows_how_many_files_there_are_and_when_that_changed() {
    let folder = Synthetic::new([(Status::Done, 5)]);
    let entry = async || {
        let list = folder.portal.get(&format!("{FOLDERS}/mine")).await;
        let entry = list.body["data"][1].clone();
        let single = format!("{FOLDERS}/{}", folder.folder);
        assert_eq!(folder.portal.get(&single).await.body["data"], entry);
        entry
    };
    let before = entry().await;
    assert_eq!(before["fileCount"], 5);
    let changed = folder.portal.simulator.with(|world| {
        let then = world.now();
        while world.now() == then {}
        world.set_counts(folder.folder, &[(Status::Done, 7)].into())
    });
    changed.unwrap();
    let after = entry().await;
    assert_eq!(after["fileCount"], 7);
    assert!(after["updatedAt"].as_str() > before["updatedAt"].as_str());
}

#[tokio::test]
async fn failed_files_are_requeued_all_at_once_and_stay_where_they_are_by_name() {
    let folder = Synthetic::new([(Status::Done, 10), (Status::Failed, 4)]);
    let before = folder.all("", "indexStatus").await;
    let answer = folder.post("reindex-failed").await;
    assert_eq!(answer.body, json!({"data": {"updated": 4}}));
    assert_eq!(
        folder.counts(),
        [(Status::Done, 10), (Status::Pending, 4)].into()
    );
    let after = folder.all("", "indexStatus").await;
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(
            (before == "failed", before == "done"),
            (after == "pending", after == "done")
        );
    }
    let again = folder.post("reindex-failed").await;
    assert_eq!(again.body, json!({"data": {"updated": 0}}));
}

#[tokio::test]
async fn all_files_are_requeued() {
    let folder = Synthetic::new([(Status::Done, 4), (Status::Flagged, 2)]);
    let answer = folder.post("reindex-all").await;
    assert_eq!(answer.body["data"]["updated"], 6);
    assert_eq!(folder.counts(), [(Status::Pending, 6)].into());
}

#[tokio::test]
async fn all_files_lie_in_the_root_and_search_finds_none() {
    let folder = Synthetic::new([(Status::Done, 3)]);
    let total = async |query: &str| folder.files(query).await.body["pagination"]["total"].clone();
    assert_eq!(total("path=").await, 3);
    assert_eq!(total("path=2024").await, 0);
    assert_eq!(total("search=Report").await, 0);
    let contents = async |query: &str| {
        let path = format!("{FOLDERS}/{}/contents{query}", folder.folder);
        folder.portal.get(&path).await.body
    };
    let root = contents("?page=2&pageSize=2").await;
    assert_eq!(root["data"]["folders"], json!([]));
    assert_eq!(root["data"]["files"].as_array().unwrap().len(), 1);
    assert_eq!(contents("?path=a").await["pagination"]["total"], 0);
}

#[tokio::test]
async fn single_files_cannot_be_brought_changed_or_removed() {
    let folder = Synthetic::new([(Status::Done, 3)]);
    let id = folder.files("").await.column("id").remove(0);
    let uploaded = folder
        .portal
        .upload_to(folder.folder, [file("a.txt", b"a")])
        .await;
    uploaded.is_refused(400, "files_computed");
    let path = format!("{FOLDERS}/{}/files/{id}", folder.folder);
    let deleted = folder.portal.call(&Method::DELETE, &path).await;
    deleted.is_refused(400, "files_computed");
    let id = id.parse().unwrap();
    folder.portal.simulator.with(|world| {
        let computed = Err(Refusal::FilesComputed);
        let at = folder.folder;
        assert_eq!(world.add_file(at, &NewFile::default()).map(drop), computed);
        assert_eq!(world.add_files(at, &Status::Done, 1).map(drop), computed);
        assert_eq!(world.set_status(at, id, Status::Failed, None), computed);
        assert_eq!(world.set_size(at, id, 1), computed);
        let counts = Counts::new();
        assert_eq!(
            world.set_counts(folder.portal.folder, &counts),
            Err(Refusal::FilesHeld)
        );
    });
    assert_eq!(folder.counts(), [(Status::Done, 3)].into());
}

#[tokio::test]
async fn a_deleted_one_is_listed_with_its_last_count_and_gone() {
    let folder = Synthetic::new([(Status::Done, 3)]);
    let deleted = folder
        .portal
        .simulator
        .with(|world| world.delete_folder(folder.folder));
    deleted.unwrap();
    let list = folder.portal.get(&format!("{FOLDERS}/mine")).await;
    assert_eq!(list.body["data"][1]["fileCount"], 3);
    assert_eq!(folder.files("").await.status, StatusCode::NOT_FOUND);
}
