//! Answers that are stranger than the interface, and cost no count.

use crate::support::exporter::Exporter;
use crate::support::raw::RawPortal;
use crate::support::workspace::Workspace;

use serde_json::{Value, json};

const FIRST: &str = "018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f6";
const SECOND: &str = "018f2c5e-7b1a-7c3d-9e4f-000000000002";

/// Ids that would make another request, if they were put into a path as they are.
const NO_IDS: [&str; 8] = [
    "X/reindex-all?",
    "018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f6/reindex-all",
    "018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f6?",
    "../../other",
    "",
    "mine",
    "{018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f6}",
    "018f2c5e7b1a7c3d9e4fa1b2c3d4e5f6",
];

fn list(rows: &[Value]) -> String {
    json!({"data": rows, "meta": {"total": rows.len()}}).to_string()
}

fn page(rows: &[Value]) -> String {
    let pagination = json!({"page": 1, "pageSize": 100, "total": rows.len(), "totalPages": 1});
    json!({"data": rows, "pagination": pagination}).to_string()
}

fn row(number: u32, status: &Value) -> Value {
    let id = format!("00000000-0000-0000-0000-{number:012}");
    json!({
        "linkId": id, "id": id, "filename": "a.pdf", "fileSize": 10, "mimeType": "application/pdf",
        "indexStatus": status, "indexError": null, "createdAt": "2026-03-01T10:20:30.456Z",
    })
}

#[tokio::test]
async fn an_id_that_is_no_uuid_never_becomes_a_request() {
    let mut rows: Vec<_> = NO_IDS
        .iter()
        .map(|id| json!({"id": id, "name": "trap", "fileCount": 1}))
        .collect();
    rows.extend([json!({"name": "no id"}), json!({"id": null})]);
    rows.push(json!({"id": FIRST, "name": "Inbox", "fileCount": 0}));
    let portal = RawPortal::start(list(&rows), |_, _| Some(page(&[]))).await;
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let exporter = Exporter::start(&workspace).await;
    let metrics = exporter.collected().await;
    let folders: Vec<_> = metrics.all("kb_folder_up", &[]).collect();
    assert_eq!(folders.len(), 1);
    assert_eq!(folders[0].labels["folder_id"], FIRST);
    let files = format!("/api/admin/library-folders/{FIRST}/files?");
    let (mine, others): (Vec<_>, Vec<_>) = portal
        .requests()
        .into_iter()
        .partition(|target| target == "/api/admin/library-folders/mine");
    assert_eq!(mine.len(), 1);
    assert!(
        others.iter().all(|target| target.starts_with(&files)),
        "{others:?}"
    );
    let health = exporter.json("/health").await;
    let output = health["checks"]["portal:main"][0]["output"].to_string();
    assert!(output.contains("10 rows"), "{output}");
}

#[tokio::test]
async fn a_folder_that_the_list_names_twice_is_one_folder() {
    let rows = [
        json!({"id": FIRST, "name": "Inbox", "fileCount": 2}),
        json!({"id": SECOND, "name": "Other", "fileCount": 0}),
        json!({"id": FIRST.to_uppercase(), "name": "Inbox again", "fileCount": 2}),
    ];
    let files = |folder: &str, _| {
        let rows = [row(1, &"done".into()), row(2, &"failed".into())];
        Some(page(if folder == FIRST { &rows } else { &[] }))
    };
    let portal = RawPortal::start(list(&rows), files).await;
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let metrics = Exporter::start(&workspace).await.collected().await;
    assert_eq!(metrics.all("kb_folder_up", &[]).count(), 2);
    let name = [("folder", "Inbox"), ("status", "done")];
    assert_eq!(metrics.count("kb_folder_files", &name), Some(1));
    assert_eq!(portal.requests_with(FIRST), 1);
}

#[tokio::test]
async fn statuses_that_the_interface_does_not_name_are_counted_as_unknown() {
    let files = |_: &str, _| {
        let statuses = [
            json!("done"),
            json!("archived"),
            json!(null),
            json!("Done"),
            json!(""),
        ];
        let rows = statuses
            .iter()
            .zip(1..)
            .map(|(status, number)| row(number, status));
        Some(page(&rows.collect::<Vec<_>>()))
    };
    let mine = list(&[json!({"id": FIRST, "name": "Inbox", "fileCount": 5})]);
    let portal = RawPortal::start(mine, files).await;
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let metrics = Exporter::start(&workspace).await.collected().await;
    let files = metrics.by_status("kb_folder_files", FIRST);
    assert_eq!((files["done"], files["unknown"]), (1, 4));
    assert_eq!(
        metrics.by_status("kb_folder_size_bytes", FIRST)["unknown"],
        40
    );
    assert_eq!(metrics.value("kb_folder_consistent", &[]), Some(1.0));
}

#[tokio::test]
async fn absent_null_and_unknown_fields_cost_nothing_but_themselves() {
    let files = |_: &str, _| {
        let rows = [
            json!({"linkId": "l1", "id": "f1", "indexStatus": "failed"}),
            json!({"linkId": "l2", "id": "f2", "indexStatus": "failed", "indexError": null, "fileSize": null,
                   "filename": null, "createdAt": null, "mimeType": null}),
            json!({"linkId": "l3", "id": "f3", "indexStatus": "flagged", "indexError": "odd", "fileSize": -5,
                   "createdAt": "yesterday", "more": {"deep": [[[{}]]]}}),
            json!({"linkId": "l4", "id": "f4", "indexStatus": "done", "fileSize": 7}),
        ];
        let pagination = json!({"total": 4, "next": "x"});
        Some(json!({"data": rows, "pagination": pagination, "took": 3}).to_string())
    };
    let mine = json!({"data": [{"id": FIRST, "type": "mailbox", "fileCount": null}]}).to_string();
    let portal = RawPortal::start(mine, files).await;
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let metrics = Exporter::start(&workspace).await.collected().await;
    let files = metrics.by_status("kb_folder_files", FIRST);
    assert_eq!(
        (files["failed"], files["flagged"], files["done"]),
        (2, 1, 1)
    );
    assert_eq!(metrics.by_status("kb_folder_size_bytes", FIRST)["done"], 7);
    let unspecified = [("status", "failed"), ("error", "unspecified")];
    assert_eq!(
        metrics.count("kb_folder_file_errors", &unspecified),
        Some(2)
    );
    assert_eq!(metrics.value("kb_folder_consistent", &[]), Some(1.0));
}

#[tokio::test]
async fn text_that_is_not_unicode_does_not_cost_the_page() {
    let files = |_: &str, _| {
        let row = r#"{"linkId":"l","id":"f","filename":"\ud800","indexStatus":"failed","indexError":"bad \udc00 name"}"#;
        Some(format!(r#"{{"data":[{row}],"pagination":{{"total":1}}}}"#))
    };
    let mine = format!(r#"{{"data":[{{"id":"{FIRST}","name":"\ud800 folder"}}]}}"#);
    let portal = RawPortal::start(mine, files).await;
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let metrics = Exporter::start(&workspace).await.collected().await;
    assert_eq!(metrics.by_status("kb_folder_files", FIRST)["failed"], 1);
    assert_eq!(metrics.all("kb_folder_file_errors", &[]).count(), 1);
}

#[tokio::test]
async fn a_reading_that_does_not_reach_the_end_is_not_published_as_a_count() {
    let files = |_: &str, number| {
        let pagination = json!({"page": number, "pageSize": 100, "total": 150});
        let rows = if number == 1 {
            vec![row(1, &"done".into()); 100]
        } else {
            Vec::new()
        };
        Some(json!({"data": rows, "pagination": pagination}).to_string())
    };
    let mine = list(&[json!({"id": FIRST, "name": "Inbox", "fileCount": 150})]);
    let portal = RawPortal::start(mine, files).await;
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let metrics = Exporter::start(&workspace).await.collected().await;
    assert_eq!(metrics.all("kb_folder_files", &[]).count(), 0);
    assert_eq!(metrics.value("kb_folder_up", &[]), Some(0.0));
    let error = metrics.value("kb_folder_unavailable", &[("reason", "error")]);
    assert_eq!(error, Some(1.0));
}

/// Values of every type that JSON has.
fn any_type() -> [Value; 8] {
    [
        Value::Null,
        json!(true),
        json!(-7),
        json!(1_772_360_430_456_u64),
        json!(0.5),
        json!("text"),
        json!(["text", {"deep": [1]}]),
        json!({"code": 7, "text": "timed out", "deep": {}}),
    ]
}

#[tokio::test]
async fn a_field_of_another_type_is_unknown_and_its_row_counts() {
    let fields = [
        "filename",
        "fileSize",
        "mimeType",
        "indexError",
        "createdAt",
        "linkId",
    ];
    let mut rows = Vec::new();
    for (field, value) in fields
        .iter()
        .flat_map(|field| any_type().map(|value| (field, value)))
    {
        let mut row = row(u32::try_from(rows.len()).unwrap(), &"failed".into());
        row[*field] = value;
        rows.push(row);
    }
    let failed = rows.len() as u64;
    for value in any_type() {
        rows.push(row(u32::try_from(rows.len()).unwrap(), &value));
    }
    let unknown = rows.len() as u64 - failed;
    let body = page(&rows);
    let odd = json!([{"at": 1}]);
    let mine = [
        json!({"id": FIRST, "name": 7, "fileCount": {"files": 56}, "updatedAt": 1_772_360_430}),
        json!({"id": {"$id": FIRST}, "name": odd, "fileCount": "many", "updatedAt": odd}),
        json!(null),
        json!(7),
    ];
    let portal = RawPortal::start(list(&mine), move |_, _| Some(body.clone())).await;
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let exporter = Exporter::start(&workspace).await;
    let metrics = exporter.collected().await;
    assert_eq!(metrics.value("kb_folder_up", &[]), Some(1.0));
    let files = metrics.by_status("kb_folder_files", FIRST);
    assert_eq!((files["failed"], files["unknown"]), (failed, unknown));
    assert_eq!(metrics.value("kb_folder_consistent", &[]), Some(1.0));
    let reasons = [("status", "failed"), ("error", "text")];
    assert_eq!(metrics.count("kb_folder_file_errors", &reasons), Some(1));
    let unspecified = [("status", "failed"), ("error", "unspecified")];
    assert_eq!(
        metrics.count("kb_folder_file_errors", &unspecified),
        Some(failed - 1)
    );
    let health = exporter.json("/health").await;
    let output = health["checks"]["portal:main"][0]["output"].to_string();
    assert!(output.contains("3 rows"), "{output}");
}

#[tokio::test]
async fn ids_of_another_type_tell_files_apart() {
    let ids = [
        json!(1),
        json!(2),
        json!(2.5),
        json!(true),
        json!(["a"]),
        json!({"$oid": "a"}),
        json!({"$oid": "b"}),
        json!("a"),
    ];
    let rows = ids.map(|id| json!({"id": id, "linkId": id, "indexStatus": "done"}));
    let body = page(&rows);
    let mine = json!({"id": FIRST, "name": "Inbox", "fileCount": rows.len()});
    let portal = RawPortal::start(list(&[mine]), move |_, _| Some(body.clone())).await;
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let metrics = Exporter::start(&workspace).await.collected().await;
    let done = metrics.by_status("kb_folder_files", FIRST)["done"];
    assert_eq!(done, rows.len() as u64);
    assert_eq!(metrics.value("kb_folder_consistent", &[]), Some(1.0));
}
