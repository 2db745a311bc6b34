//! Interface, uploads: the eight rules, the four counters, and the limits.

use serde_json::json;

use super::support::{Answer, FOLDERS, Part, Portal, counters, file, text, typed_file};
use crate::{Change, Limits};

fn many(count: usize) -> Vec<Part> {
    let part = |n: usize| file(&format!("{n}.txt"), format!("content {n}").as_bytes());
    (0..count).map(part).collect()
}

async fn total(portal: &Portal) -> u64 {
    portal.files("").await.body["pagination"]["total"]
        .as_u64()
        .unwrap()
}

/// Asserts that an upload was rejected as a whole and saved nothing.
async fn is_rejected(portal: &Portal, answer: &Answer, reason: &str) {
    answer.is_refused(400, reason);
    assert_eq!(total(portal).await, 0);
}

#[tokio::test]
async fn an_upload_is_201_and_the_files_are_listed_at_once_as_pending() {
    let portal = Portal::new();
    let answer = portal.upload([file("a.txt", b"text")]).await;
    assert_eq!(counters(&answer), [1, 0, 0, 0]);
    let data = &answer.body["data"];
    assert_eq!(data["skippedFiles"], json!([]));
    let row = &portal.files("").await.body["data"][0];
    let entry = json!({
        "id": row["id"], "filename": "a.txt", "relativePath": "",
        "deduplicated": false, "alreadyInFolder": false,
    });
    assert_eq!(data["files"], json!([entry]));
    assert_eq!(
        (&row["indexStatus"], &row["fileSize"]),
        (&json!("pending"), &json!(4))
    );
}

#[tokio::test]
async fn rule_1_the_51st_file_rejects_the_whole_request() {
    let portal = Portal::new();
    for count in [51, 60] {
        let answer = portal.upload(many(count)).await;
        is_rejected(&portal, &answer, "too_many_files").await;
    }
    assert_eq!(counters(&portal.upload(many(50)).await)[0], 50);
}

#[tokio::test]
async fn rule_2_paths_must_be_as_many_as_files() {
    let portal = Portal::new();
    for paths in [&["a"][..], &["a", "b", "c"], &["[\"a\"]"], &["[]"]] {
        let mut parts = many(2);
        parts.extend(paths.iter().map(|path| text("relativePaths", path)));
        let answer = portal.upload(parts).await;
        is_rejected(&portal, &answer, "relative_paths_length_mismatch").await;
    }
}

#[tokio::test]
async fn paths_come_as_a_repeated_field_or_as_one_json_array() {
    for paths in [&["", "2024/05"][..], &[r#"["", "2024/05"]"#]] {
        let portal = Portal::new();
        let mut parts: Vec<Part> = paths
            .iter()
            .map(|path| text("relativePaths", path))
            .collect();
        parts.extend(many(2));
        let answer = portal.upload(parts).await;
        let files = answer.body["data"]["files"].as_array().unwrap();
        let stored: Vec<_> = files
            .iter()
            .map(|f| (&f["filename"], &f["relativePath"]))
            .collect();
        let expected = [
            (&json!("0.txt"), &json!("")),
            (&json!("1.txt"), &json!("2024/05")),
        ];
        assert_eq!(stored, expected);
        assert_eq!(
            portal.files("?path=2024/05").await.column("filename"),
            ["1.txt"]
        );
        assert_eq!(portal.files("?path=").await.column("filename"), ["0.txt"]);
    }
}

#[tokio::test]
async fn one_path_for_one_file_needs_no_array() {
    let portal = Portal::new();
    let parts = [file("a.txt", b"x"), text("relativePaths", "2024")];
    let answer = portal.upload(parts).await;
    assert_eq!(answer.body["data"]["files"][0]["relativePath"], "2024");
}

#[tokio::test]
async fn rule_3_a_path_that_leaves_the_folder_is_rejected() {
    let portal = Portal::new();
    for path in ["..", "../a", "a/../../b", "..\\a"] {
        let parts = [file("a.txt", b"x"), text("relativePaths", path)];
        let answer = portal.upload(parts).await;
        is_rejected(&portal, &answer, "path_leaves_folder").await;
    }
}

#[tokio::test]
async fn rule_4_a_binary_format_must_begin_as_it_should() {
    let portal = Portal::new();
    for name in ["a.pdf", "a.docx", "a.xls", "a.png", "a.jpeg", "a.odt"] {
        let parts = [file("good.txt", b"x"), file(name, b"only text")];
        let answer = portal.upload(parts).await;
        is_rejected(&portal, &answer, "content_mismatch").await;
    }
    let good = [
        file("a.pdf", b"%PDF-1.7"),
        file("a.docx", b"PK\x03\x04"),
        file("a.png", b"\x89PNG\r\n\x1a\n"),
    ];
    assert_eq!(counters(&portal.upload(good).await)[0], 3);
}

#[tokio::test]
async fn rule_4_text_formats_are_not_checked() {
    let portal = Portal::new();
    for name in [
        "a.txt", "a.csv", "a.md", "a.html", "a.htm", "a.json", "a.srt",
    ] {
        let content = [b"%PDF-1.7 ", name.as_bytes()].concat();
        assert_eq!(counters(&portal.upload([file(name, &content)]).await)[0], 1);
    }
}

#[tokio::test]
async fn rule_5_mail_needs_its_content_type() {
    let portal = Portal::new();
    let answer = portal.upload([file("a.eml", b"From: x")]).await;
    is_rejected(&portal, &answer, "mail_content_type").await;
    let answer = portal
        .upload([typed_file("a.eml", "message/rfc822", b"From: x")])
        .await;
    assert_eq!(counters(&answer)[0], 1);
}

#[tokio::test]
async fn rule_6_other_extensions_are_rejected() {
    let portal = Portal::new();
    for name in ["a.exe", "a", "a.pdf.zip", "a.gif"] {
        let answer = portal.upload([file(name, b"x")]).await;
        is_rejected(&portal, &answer, "extension_not_accepted").await;
    }
}

#[tokio::test]
async fn rule_6_recordings_are_accepted_when_they_are_converted() {
    let portal = Portal::with(|options| options.transcription = true);
    let answer = portal.upload([file("a.mp3", b"ID3\x04")]).await;
    assert_eq!(counters(&answer)[0], 1);
    let answer = portal.upload([file("b.mp3", b"only text")]).await;
    answer.is_refused(400, "content_mismatch");
}

#[tokio::test]
async fn rule_7_recordings_are_skipped_when_they_are_not_converted() {
    let portal = Portal::new();
    let answer = portal
        .upload([file("a.mp3", b"ID3"), file("a.txt", b"x")])
        .await;
    assert_eq!(counters(&answer), [1, 0, 0, 0]);
    let skipped = &answer.body["data"]["skippedFiles"];
    assert_eq!(
        *skipped,
        json!([{"filename": "a.mp3", "reason": "transcription_disabled"}])
    );
    assert_eq!(portal.files("").await.column("filename"), ["a.txt"]);
}

#[tokio::test]
async fn rule_8_one_name_in_two_paths_is_two_files() {
    let portal = Portal::new();
    portal.upload([file("a.txt", b"one")]).await;
    let parts = [file("a.txt", b"two"), text("relativePaths", "2024")];
    assert_eq!(counters(&portal.upload(parts).await), [1, 0, 0, 0]);
    assert_eq!(
        portal.files("").await.column("filename"),
        ["a.txt", "a.txt"]
    );
}

#[tokio::test]
async fn rule_8_name_and_path_together_replace() {
    let portal = Portal::new();
    portal.upload([file("a.txt", b"one")]).await;
    let before = portal.files("").await;
    assert_eq!(
        counters(&portal.upload([file("a.txt", b"two")]).await),
        [1, 0, 1, 0]
    );
    let after = portal.files("").await;
    assert_eq!(after.body["pagination"]["total"], 1);
    assert_ne!(after.column("id"), before.column("id"));
    assert_eq!(after.column("linkId"), before.column("linkId"));
    let last = portal
        .simulator
        .with(|world| world.journal().last().cloned());
    let Change::File {
        before: Some(old),
        after: Some(new),
        ..
    } = last.unwrap().change
    else {
        panic!("a replacement is one change");
    };
    assert_eq!([old.file.to_string()], *before.column("id"));
    assert_eq!([new.file.to_string()], *after.column("id"));
    // The old content is gone from the portal, so it is new again.
    assert_eq!(
        counters(&portal.upload([file("b.txt", b"one")]).await),
        [1, 0, 0, 0]
    );
}

#[tokio::test]
async fn a_file_over_its_limit_rejects_the_request() {
    let limits = Limits {
        document: 10,
        media: 20,
    };
    let portal = Portal::with(|options| {
        options.limits = limits;
        options.transcription = true;
    });
    let answer = portal.upload([file("a.txt", &[b'x'; 11])]).await;
    is_rejected(&portal, &answer, "file_too_large").await;
    let answer = portal
        .upload([file("a.mp3", b"ID3..................")])
        .await;
    is_rejected(&portal, &answer, "file_too_large").await;
    let good = [
        file("a.txt", &[b'x'; 10]),
        file("a.mp3", b"ID3................."),
    ];
    assert_eq!(counters(&portal.upload(good).await)[0], 2);
}

#[tokio::test]
async fn a_large_document_is_accepted_whole() {
    let portal = Portal::new();
    let content = vec![b'x'; 8_000_000];
    assert_eq!(
        counters(&portal.upload([file("a.txt", &content)]).await)[0],
        1
    );
    assert_eq!(portal.files("").await.column("fileSize"), ["8000000"]);
}

#[tokio::test]
async fn a_request_without_a_readable_file_is_rejected() {
    let portal = Portal::new();
    let answer = portal.upload([text("relativePaths", "a")]).await;
    is_rejected(&portal, &answer, "no_files").await;
    let answer = portal.upload([text("files", "no file part")]).await;
    is_rejected(&portal, &answer, "invalid_filename").await;
    let answer = portal.upload([file("..", b"x")]).await;
    is_rejected(&portal, &answer, "invalid_filename").await;
    let path = format!("{FOLDERS}/{}/files", portal.folder);
    let answer = portal.call(&axum::http::Method::POST, &path).await;
    is_rejected(&portal, &answer, "body_unreadable").await;
}

#[tokio::test]
async fn a_name_keeps_no_folders() {
    let portal = Portal::new();
    portal.upload([file("../../etc/a.txt", b"x")]).await;
    assert_eq!(portal.files("").await.column("filename"), ["a.txt"]);
}
