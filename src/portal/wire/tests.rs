//! Rows as portals send them, and as they should not.

use super::*;

fn row(json: &str) -> serde_json::Result<FileRow<'_>> {
    serde_json::from_str(json)
}

#[test]
fn reads_a_row_of_the_interface() {
    let row = row(
        r#"{"linkId":"018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f6","id":"00000000-0000-0000-0000-000000000007",
            "filename":"a.pdf","fileSize":12,"mimeType":"application/pdf","indexStatus":"failed",
            "indexError":"no \"text\" layer","createdAt":"2026-03-01T10:20:30.456Z"}"#,
    )
    .unwrap();
    assert_eq!({ row.key().id }, 7);
    assert_eq!(row.status(), Status::Failed);
    assert_eq!(row.size(), 12);
    assert_eq!(row.reason().as_deref(), Some("no \"text\" layer"));
    assert!(row.created_at().is_some());
}

#[test]
fn null_absent_and_unknown_values_are_no_accident() {
    for json in [
        "{}",
        r#"{"linkId":null,"id":null,"fileSize":null,"indexStatus":null,"indexError":null,"createdAt":null}"#,
        r#"{"indexStatus":"quarantined","extra":{"deep":[1,2,{}]},"createdAt":"soon"}"#,
        r#"{"fileSize":-1}"#,
        r#"{"fileSize":"12 kB"}"#,
        r#"{"fileSize":1e999}"#,
        r#"{"fileSize":[1,{}]}"#,
    ] {
        let row = row(json).unwrap();
        assert_eq!(row.status(), Status::Unknown, "{json}");
        assert_eq!(
            (row.size(), row.reason().as_deref(), row.created_at()),
            (0, None, None)
        );
    }
}

/// Values of every type that JSON has, but for strings.
const OTHER_TYPES: [&str; 7] = [
    "true",
    "7",
    "-7",
    "0.5",
    "[[],{}]",
    r#"{"deep":{"a":[1]}}"#,
    "[]",
];

#[test]
fn a_field_of_another_type_is_unknown() {
    for value in OTHER_TYPES {
        let json = format!(
            r#"{{"filename":{value},"indexStatus":{value},"indexError":{value},"createdAt":{value},"mimeType":{value}}}"#
        );
        let row = row(&json).unwrap();
        assert_eq!(row.status(), Status::Unknown, "{value}");
        assert_eq!(
            (row.reason().as_deref(), row.created_at()),
            (Some(""), None),
            "{value}"
        );
    }
    for value in [r#""9 kB""#, "true", "-7", "[[],{}]", r#"{"bytes":[9]}"#] {
        let json = format!(r#"{{"fileSize":{value}}}"#);
        assert_eq!(row(&json).unwrap().size(), 0, "{value}");
    }
}

#[test]
fn a_row_that_is_null_is_a_row_without_fields_and_far_too_many_rows_are_refused() {
    let page = |rows: &[&str]| {
        let rows = rows.join(",");
        PageBody::new(format!(r#"{{"data":[{rows}],"pagination":{{"total":1}}}}"#))
    };
    let mut keys = Vec::new();
    page(&["null"]).read(|row| keys.push(row.key())).unwrap();
    assert_eq!(keys, [FileRow::default().key()]);
    assert_eq!(
        page(&vec!["null"; 10_000]).read(|_| {}).unwrap().rows,
        10_000
    );
    let error = page(&vec!["null"; 10_001]).read(|_| {}).unwrap_err();
    assert!(
        error.to_string().contains("more than 10000 rows"),
        "{error}"
    );
}

#[test]
fn ids_of_any_type_tell_files_apart() {
    let ids = [
        "1",
        "2",
        "-1",
        "0.5",
        "true",
        "false",
        "[]",
        "[1]",
        "[1,2]",
        "[[1],2]",
        "[null]",
        "{}",
        r#"{"$oid":"a"}"#,
        r#"{"$oid":"b"}"#,
        r#"{"a":{"b":1}}"#,
        r#""a""#,
        r#""b""#,
    ];
    let key = |id: &str| row(&format!(r#"{{"id":{id}}}"#)).unwrap().key();
    let keys: std::collections::HashSet<_> = ids.iter().map(|id| key(id)).collect();
    assert_eq!(keys.len(), ids.len());
    for id in ids {
        assert_eq!(key(id), key(id));
        assert_ne!(key(id), key("null"), "{id}");
    }
}

#[test]
fn a_count_is_a_number_that_is_not_negative() {
    assert_eq!(whole("3"), Some(3));
    assert_eq!(whole("3.0"), Some(3));
    assert_eq!(whole("1e30"), Some(u64::MAX));
    assert_eq!(whole("\"3\""), Some(3));
    assert_eq!(whole("18446744073709551615"), Some(u64::MAX));
    for json in ["-1", "1.5", "1e999", "\"three\"", "null", "[]"] {
        assert_eq!(whole(json), None, "{json}");
    }
}

#[test]
fn an_optional_number_that_is_none_is_absent() {
    for value in ["-1", "1.5", "\"first\"", "null", "[]"] {
        let json = format!(r#"{{"total":"12","page":{value},"pageSize":{value}}}"#);
        let pagination: Page = serde_json::from_str(&json).unwrap();
        assert_eq!(pagination.total, 12, "{value}");
        assert_eq!((pagination.page, pagination.page_size), (None, None));
        let meta: Meta = serde_json::from_str(&format!(r#"{{"total":{value}}}"#)).unwrap();
        assert_eq!(meta.total, None, "{value}");
    }
}
