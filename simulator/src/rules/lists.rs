//! Interface, the four GET requests.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::DateTime;
use serde_json::json;

use super::support::{FOLDERS, Portal};
use crate::{Clock, DeletedFolders, EmptyPages, Status, UpdatedAt, World};

#[tokio::test]
async fn the_time_of_the_last_change_may_follow_statuses_files_or_the_folder_alone() {
    let table = [
        (UpdatedAt::Statuses, true, true),
        (UpdatedAt::Files, true, false),
        (UpdatedAt::Folder, false, false),
    ];
    for (switch, by_files, by_statuses) in table {
        let portal = Portal::with(|options| {
            options.switches.updated_at = switch;
            options.clock = Clock::From(DateTime::UNIX_EPOCH);
        });
        // One millisecond of the portal's life: what is changed from now on has another time.
        let live = || portal.simulator.with(|w| w.step(Duration::from_millis(1)));
        let updated = async || {
            let list = portal.get(&format!("{FOLDERS}/mine")).await;
            list.body["data"][0]["updatedAt"].to_string()
        };
        let created = updated().await;
        live();
        let file = portal.add("a", "", Status::Done);
        let added = updated().await;
        assert_eq!(added != created, by_files, "{switch:?}");
        live();
        let folder = portal.folder;
        let set = |world: &mut World| world.set_status(folder, file, Status::Failed, None);
        portal.simulator.with(set).unwrap();
        assert_eq!(updated().await != added, by_statuses, "{switch:?}");
    }
}

fn fields(value: &serde_json::Value) -> BTreeSet<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[tokio::test]
async fn mine_has_the_folders_of_the_key_with_the_fields_of_the_document() {
    let portal = Portal::new();
    portal.add("a.txt", "", Status::Done);
    let answer = portal.get(&format!("{FOLDERS}/mine?all=true")).await;
    assert_eq!(answer.body["meta"], json!({"total": 1}));
    let folder = &answer.body["data"][0];
    let expected = [
        "createdAt",
        "description",
        "fileCount",
        "id",
        "name",
        "type",
        "updatedAt",
    ];
    assert_eq!(fields(folder), expected.into());
    assert_eq!(folder["id"], portal.folder.to_string());
    assert_eq!(
        (&folder["type"], &folder["fileCount"]),
        (&json!("files"), &json!(1))
    );
    let created = folder["createdAt"].as_str().unwrap();
    assert_eq!(
        (created.len(), &created[19..20], &created[23..]),
        (24, ".", "Z")
    );
}

#[tokio::test]
async fn a_single_folder_has_name_description_and_number_of_files() {
    let portal = Portal::new();
    let answer = portal.get(&format!("{FOLDERS}/{}", portal.folder)).await;
    let data = &answer.body["data"];
    assert_eq!(data["name"], "First");
    assert_eq!(data["description"], "Documents of First");
    assert_eq!(data["fileCount"], 0);
}

#[tokio::test]
async fn a_deleted_folder_stays_in_the_list_and_answers_404() {
    let portal = Portal::new();
    portal.add("a.txt", "", Status::Done);
    let delete = |portal: &Portal| {
        let deleted = portal
            .simulator
            .with(|world| world.delete_folder(portal.folder));
        deleted.unwrap();
    };
    delete(&portal);
    for rest in ["", "/files", "/contents"] {
        let answer = portal
            .get(&format!("{FOLDERS}/{}{rest}", portal.folder))
            .await;
        answer.is_refused(404, "folder_not_found");
    }
    let mine = portal.get(&format!("{FOLDERS}/mine")).await;
    assert_eq!(mine.column("fileCount"), ["1"]);

    let tidy = Portal::with_switches(|s| s.deleted_folders = DeletedFolders::Unlisted);
    delete(&tidy);
    let mine = tidy.get(&format!("{FOLDERS}/mine")).await;
    assert_eq!(mine.body["meta"]["total"], 0);
}

#[tokio::test]
async fn a_row_has_the_fields_of_the_document() {
    let portal = Portal::new();
    let file = portal.add("a.txt", "", Status::Done);
    let answer = portal.files("").await;
    let row = &answer.body["data"][0];
    let expected = [
        "createdAt",
        "fileSize",
        "filename",
        "id",
        "indexError",
        "indexStatus",
        "linkId",
        "mimeType",
    ];
    assert_eq!(fields(row), expected.into());
    assert_eq!(row["id"], file.to_string());
    assert_ne!(row["id"], row["linkId"]);
    assert_eq!(row["mimeType"], "text/plain");
    assert_eq!(row["indexStatus"], "done");
    assert_eq!(row["indexError"], json!(null));
}

#[tokio::test]
async fn failed_and_flagged_rows_give_their_reason() {
    let portal = Portal::new();
    let file = portal.add("a.txt", "", Status::Done);
    for status in [Status::Failed, Status::Flagged] {
        let set = portal
            .simulator
            .with(|world| world.set_status(portal.folder, file, status.clone(), Some("because")));
        set.unwrap();
        let answer = portal.files("").await;
        assert_eq!(answer.column("indexStatus")[0], status.name().unwrap());
        assert_eq!(answer.column("indexError")[0], "because");
    }
}

#[tokio::test]
async fn a_status_may_be_unknown_or_null() {
    let portal = Portal::new();
    portal.add("a.txt", "", Status::Other("archived".into()));
    portal.add("b.txt", "", Status::Null);
    let answer = portal.files("").await;
    assert_eq!(answer.column("indexStatus"), ["archived", "null"]);
    assert_eq!(answer.body["data"][1]["indexStatus"], json!(null));
}

#[tokio::test]
async fn pages_are_20_by_default_and_cut_to_100() {
    let portal = Portal::new();
    let added = portal
        .simulator
        .with(|world| world.add_files(portal.folder, &Status::Done, 205));
    added.unwrap();
    for (query, page, size, rows, pages) in [
        ("", 1, 20, 20, 11),
        ("?pageSize=100", 1, 100, 100, 3),
        ("?pageSize=1000&page=3", 3, 100, 5, 3),
        ("?page=4&pageSize=100", 4, 100, 0, 3),
        ("?page=0", 1, 20, 20, 11),
        ("?page=18446744073709551615", usize::MAX, 20, 0, 11),
    ] {
        let answer = portal.files(query).await;
        let expected = json!({"page": page, "pageSize": size, "total": 205, "totalPages": pages});
        assert_eq!(answer.body["pagination"], expected, "{query}");
        assert_eq!(answer.column("id").len(), rows, "{query}");
    }
}

#[tokio::test]
async fn pages_together_have_every_file_once_in_order() {
    let portal = Portal::new();
    let added = portal
        .simulator
        .with(|world| world.add_files(portal.folder, &Status::Done, 101));
    let mut names = Vec::new();
    for page in 1..=6 {
        names.extend(
            portal
                .files(&format!("?page={page}"))
                .await
                .column("filename"),
        );
    }
    assert_eq!(names.len(), added.unwrap().len());
    assert!(names.is_sorted());
    let distinct: BTreeSet<&String> = names.iter().collect();
    assert_eq!(distinct.len(), names.len());
}

#[tokio::test]
async fn a_portal_may_cut_pages_lower() {
    let portal = Portal::with_switches(|switches| switches.max_page_size = 30);
    let added = portal
        .simulator
        .with(|world| world.add_files(portal.folder, &Status::Done, 31));
    added.unwrap();
    let answer = portal.files("?pageSize=100").await;
    assert_eq!(answer.body["pagination"]["pageSize"], 30);
    assert_eq!(answer.body["pagination"]["totalPages"], 2);
    assert_eq!(answer.column("id").len(), 30);
}

#[tokio::test]
async fn an_empty_folder_has_no_page_or_one() {
    for (switch, pages) in [(EmptyPages::Zero, 0), (EmptyPages::One, 1)] {
        let portal = Portal::with_switches(|switches| switches.empty_pages = switch);
        let answer = portal.files("").await;
        assert_eq!(answer.body["data"], json!([]));
        assert_eq!(answer.body["pagination"]["totalPages"], pages);
    }
}

#[tokio::test]
async fn path_absent_is_all_empty_is_the_root_and_else_exact() {
    let portal = Portal::new();
    for (name, path) in [("a", ""), ("b", "2024"), ("c", "2024/05"), ("d", "20")] {
        portal.add(name, path, Status::Done);
    }
    for (query, expected) in [
        ("", &["a", "b", "c", "d"][..]),
        ("?path=", &["a"]),
        ("?path=2024", &["b"]),
        ("?path=2024/05", &["c"]),
        ("?path=2024%2F05", &["c"]),
        ("?path=2023", &[]),
    ] {
        let answer = portal.files(query).await;
        assert_eq!(answer.column("filename"), expected, "{query}");
        assert_eq!(
            answer.body["pagination"]["total"],
            expected.len(),
            "{query}"
        );
    }
}

#[tokio::test]
async fn search_looks_in_names_and_in_the_descriptions_of_processed_files() {
    let portal = Portal::new();
    let done = portal.add("Invoice 1.pdf", "", Status::Done);
    portal.add("Invoice 2.pdf", "", Status::Pending);
    let find = async |text: &str| portal.files(&format!("?search={text}")).await;
    assert_eq!(find("INVOICE").await.column("filename").len(), 2);
    assert_eq!(find("2.pdf").await.column("filename"), ["Invoice 2.pdf"]);
    assert_eq!(
        find("by%20hand").await.column("filename"),
        ["Invoice 1.pdf"]
    );
    assert_eq!(find("nowhere").await.body["pagination"]["total"], 0);
    let set = portal
        .simulator
        .with(|world| world.set_status(portal.folder, done, Status::Pending, None));
    set.unwrap();
    assert!(find("by%20hand").await.column("filename").is_empty());
}

#[tokio::test]
async fn contents_has_subfolders_and_files_at_a_path() {
    let portal = Portal::new();
    for (name, path) in [
        ("a", ""),
        ("b", "2024"),
        ("c", "2024/05"),
        ("d", "2024/06"),
        ("e", "2024/06"),
    ] {
        portal.add(name, path, Status::Done);
    }
    let contents = async |query: &str| {
        let path = format!("{FOLDERS}/{}/contents{query}", portal.folder);
        portal.get(&path).await.body
    };
    let root = contents("").await;
    assert_eq!(
        root["data"]["folders"],
        json!([{"name": "2024", "path": "2024", "fileCount": 4}])
    );
    assert_eq!(root["data"]["files"][0]["filename"], "a");
    assert_eq!(
        root["pagination"],
        json!({"page": 1, "pageSize": 50, "total": 1, "totalPages": 1})
    );
    let below = contents("?path=2024/&pageSize=1000").await;
    let subfolders = json!([
        {"name": "05", "path": "2024/05", "fileCount": 1},
        {"name": "06", "path": "2024/06", "fileCount": 2},
    ]);
    assert_eq!(below["data"]["folders"], subfolders);
    assert_eq!(below["data"]["files"][0]["filename"], "b");
    assert_eq!(below["pagination"]["pageSize"], 200);
    let second = contents("?path=2024/06&page=2&pageSize=1").await;
    assert_eq!(second["data"]["files"][0]["filename"], "e");
    assert_eq!(contents("?path=20").await["pagination"]["total"], 0);
}
