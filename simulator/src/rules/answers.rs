//! Who is admitted, the lists with their fields and pages, the reindex request, and what the log has of each request.

use std::collections::BTreeSet;

use axum::http::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::support::{FOLDERS, Portal};
use crate::{DeletedFolders, EmptyPages, Status, UpdatedAt, World};

fn mine() -> String {
    format!("{FOLDERS}/mine")
}

#[tokio::test]
async fn a_request_is_refused_by_its_key_then_by_its_folder_and_then_by_its_path() {
    let portal = Portal::new();
    for (header, reason) in [
        (None, "key_missing"),
        (Some("kbk_demo"), "key_malformed"),
        (Some("Bearer kbk_"), "key_malformed"),
        (Some("Bearer kbk_other"), "key_unknown"),
    ] {
        let answer = portal.call(&Method::GET, &mine(), header).await;
        answer.is_refused(401, reason);
    }
    for folder in [&Uuid::from_u128(7).to_string(), "no-uuid"] {
        let files = portal.get(&format!("{FOLDERS}/{folder}/files")).await;
        files.is_refused(403, "folder_not_allowed");
    }
    for path in [
        FOLDERS.to_owned(),
        "/api/tasks".to_owned(),
        format!("{FOLDERS}/{}/files", portal.folder),
    ] {
        portal.post(&path).await.is_refused(403, "not_open_to_keys");
    }
    portal.get("/").await.is_refused(404, "not_found");
    portal.world(|world| world.revoke_key("kbk_demo"));
    portal.get(&mine()).await.is_refused(401, "key_revoked");
}

fn fields(value: &Value) -> BTreeSet<&str> {
    let object = value.as_object().unwrap();
    object.keys().map(String::as_str).collect()
}

#[tokio::test]
async fn folders_and_rows_have_the_fields_of_the_document() {
    let portal = Portal::new();
    let file = portal.add("a.txt", Status::Failed);
    let set = portal
        .world(|world| world.set_status(portal.folder, file, Status::Failed, Some("because")));
    set.unwrap();
    let list = portal.get(&mine()).await;
    assert_eq!(list.body["meta"], json!({"total": 1}));
    let folder = &list.body["data"][0];
    let expected = "createdAt description fileCount id name type updatedAt";
    assert_eq!(fields(folder), expected.split(' ').collect());
    assert_eq!(folder["id"], portal.folder.to_string());
    assert_eq!(folder["fileCount"], 1);
    let created = folder["createdAt"].as_str().unwrap();
    assert_eq!((created.len(), &created[23..]), (24, "Z"));

    let row = &portal.files("").await.body["data"][0];
    let expected = "createdAt fileSize filename id indexError indexStatus linkId mimeType";
    assert_eq!(fields(row), expected.split(' ').collect());
    assert_eq!(row["id"], file.to_string());
    assert_ne!(row["id"], row["linkId"]);
    for (field, value) in [
        ("mimeType", "text/plain"),
        ("indexStatus", "failed"),
        ("indexError", "because"),
    ] {
        assert_eq!(row[field], value, "{field}");
    }
}

#[tokio::test]
async fn pages_are_20_by_default_and_cut_to_100_or_lower() {
    for (largest, query, page, size, rows, pages) in [
        (100, "", 1, 20, 20, 11),
        (100, "?pageSize=100", 1, 100, 100, 3),
        (100, "?pageSize=1000&page=3", 3, 100, 5, 3),
        (100, "?page=4&pageSize=100", 4, 100, 0, 3),
        (100, "?page=0", 1, 20, 20, 11),
        (100, "?page=18446744073709551615", usize::MAX, 20, 0, 11),
        (30, "?pageSize=100", 1, 30, 30, 7),
    ] {
        let portal = Portal::with(|switches| switches.max_page_size = largest);
        let added = portal.world(|world| world.add_files(portal.folder, &Status::Done, 205));
        added.unwrap();
        let answer = portal.files(query).await;
        let expected = json!({"page": page, "pageSize": size, "total": 205, "totalPages": pages});
        assert_eq!(answer.body["pagination"], expected, "{query}");
        assert_eq!(answer.column("id").len(), rows, "{query}");
    }
    for (switch, pages) in [(EmptyPages::Zero, 0), (EmptyPages::One, 1)] {
        let portal = Portal::with(|switches| switches.empty_pages = switch);
        let answer = portal.files("").await;
        assert_eq!(answer.body["pagination"]["totalPages"], pages);
    }
}

#[tokio::test]
async fn a_deleted_folder_answers_404_and_stays_in_the_list_or_leaves_it() {
    for (switch, listed) in [
        (DeletedFolders::Listed, &["1"][..]),
        (DeletedFolders::Unlisted, &[]),
    ] {
        let portal = Portal::with(|switches| switches.deleted_folders = switch);
        portal.add("a.txt", Status::Done);
        let deleted = portal.world(|world| world.delete_folder(portal.folder));
        deleted.unwrap();
        portal.files("").await.is_refused(404, "folder_not_found");
        assert_eq!(portal.get(&mine()).await.column("fileCount"), listed);
    }
}

#[tokio::test]
async fn the_time_of_the_last_change_may_follow_statuses_files_or_the_folder_alone() {
    for (switch, by_files, by_statuses) in [
        (UpdatedAt::Statuses, true, true),
        (UpdatedAt::Files, true, false),
        (UpdatedAt::Folder, false, false),
    ] {
        let portal = Portal::with(|switches| switches.updated_at = switch);
        let pass = |world: &mut World| {
            let then = world.now();
            while world.now() == then {}
        };
        let updated = async || portal.get(&mine()).await.column("updatedAt");
        let created = updated().await;
        portal.world(pass);
        let file = portal.add("a", Status::Done);
        let added = updated().await;
        assert_eq!(added != created, by_files, "{switch:?}");
        let folder = portal.folder;
        let set = portal.world(|world| {
            pass(world);
            world.set_status(folder, file, Status::Failed, None)
        });
        set.unwrap();
        assert_eq!(updated().await != added, by_statuses, "{switch:?}");
    }
}

#[tokio::test]
async fn reindexing_requeues_failed_files_only_or_all_and_counts_them() {
    let portal = Portal::new();
    for (name, status) in ["a", "b", "c", "d", "e"].into_iter().zip(Status::KNOWN) {
        portal.add(name, status);
    }
    for (which, updated, expected) in [
        ("failed", 1, "pending processing done pending flagged"),
        ("failed", 0, "pending processing done pending flagged"),
        ("all", 5, "pending pending pending pending pending"),
    ] {
        let answer = portal
            .post(&format!("{FOLDERS}/{}/reindex-{which}", portal.folder))
            .await;
        assert_eq!(answer.body, json!({"data": {"updated": updated}}));
        let rows = portal.files("").await.column("indexStatus");
        assert_eq!(rows.join(" "), expected);
    }
}
