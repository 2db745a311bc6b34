//! Answers that are stranger than the interface, and cost no count.

use crate::support::exporter::Exporter;
use crate::support::raw::RawPortal;
use crate::support::workspace::Workspace;

use serde_json::{Value, json};

const FIRST: &str = "018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f6";
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
