//! What a portal answers: pages, lists, error bodies.

use std::borrow::Cow;
use std::collections::HashSet;

use chrono::{DateTime, FixedOffset, SecondsFormat};
use serde_json::{Value, json};
use uuid::Uuid;

use super::assert_one_line;
use kb_exporter::aggregate::{Tally, TallyContext};
use kb_exporter::classify::{Class, Classifier};
use kb_exporter::model::{FileKey, Status, Timestamp};
use kb_exporter::portal::{FileRow, ListedFolder, Listing, Page, PageBody, PortalError, Trouble};

/// Longest sentence about an answer, in characters: 200 of the portal's, each perhaps escaped, and our own.
const SENTENCE: usize = 600;

/// The body of a page of files: every row is counted once and under one status, and what was read can be written again, in other
/// words and with fields that nobody knows, without a difference.
///
/// # Panics
/// When that does not hold.
pub fn page(bytes: &[u8]) {
    let body = PageBody::new(bytes.to_vec());
    match read(&body) {
        Ok((rows, page)) => {
            assert_counted(&rows);
            let written_again = PageBody::new(rewritten(&rows, page).to_string());
            let (written_rows, written) = read(&written_again).expect("our own page is readable");
            let files = |rows: &[FileRow<'_>]| rows.iter().map(File::of).collect::<Vec<_>>();
            assert_eq!(files(&rows), files(&written_rows));
            assert_eq!(page.total, written.total);
        }
        Err(error) => assert_invalid(&error),
    }
}

fn read(body: &PageBody) -> Result<(Vec<FileRow<'_>>, Page), PortalError> {
    let mut rows = Vec::new();
    let page = body.read(|row| rows.push(row))?;
    assert_eq!(page.rows, rows.len() as u64);
    Ok((rows, page))
}

/// The body of the list of folders: each folder once, rows without a UUID counted, and the total held against the rows.
///
/// # Panics
/// When that does not hold.
pub fn folder_list(bytes: &[u8]) {
    let list = match Listing::decode(bytes, None) {
        Ok(list) => list,
        Err(error) => return assert_invalid(&error),
    };
    let ids: HashSet<_> = list.folders.iter().map(|folder| folder.id).collect();
    assert_eq!(ids.len(), list.folders.len(), "a folder twice");
    for folder in &list.folders {
        assert!(Uuid::try_parse(&folder.id.to_string()).is_ok());
        assert_one_line(&folder.name.to_string(), 2 * 200);
    }
    let rows: Vec<_> = list.folders.iter().map(listed).collect();
    let invalid = vec![json!({"id": "X/reindex-all?"}); list.invalid_rows];
    let doubled = [rows.clone(), rows, invalid].concat();
    for (total, missing) in [(doubled.len(), 0), (doubled.len() + 1, 1)] {
        let body = json!({"data": doubled, "meta": {"total": total}}).to_string();
        let again = Listing::decode(body, None).expect("our own list is readable");
        assert_eq!(again.folders, list.folders);
        assert_eq!(
            (again.invalid_rows, again.missing_rows),
            (list.invalid_rows, missing)
        );
    }
}

/// The body of an error, and a reason as a row has it: shown on one line, as a class that is the same each time and never passes
/// for a reserved one.
///
/// # Panics
/// When that does not hold.
pub fn reason(bytes: &[u8]) {
    let error = PortalError::from_status(503, None, bytes);
    assert_eq!(error.trouble(), Trouble::ServerError);
    assert_one_line(&error.to_string(), SENTENCE);
    let reason = String::from_utf8_lossy(bytes);
    let classifier = Classifier::default();
    let class = classifier.classify(Some(reason.as_ref()));
    assert_eq!(
        classifier.classify(Some(reason.as_ref())),
        class,
        "remembered"
    );
    assert_eq!(classifier.explain(Some(reason.as_ref())).class, class);
    assert_one_line(class.as_str(), 120);
    if let Class::Text(text) = &class {
        assert!(!["unspecified", "other", "unread"].contains(&text.as_str()));
    }
}

fn assert_invalid(error: &PortalError) {
    assert_eq!(error.trouble(), Trouble::InvalidResponse);
    assert_one_line(&error.to_string(), SENTENCE);
}

/// What a row says.
#[derive(Debug, PartialEq)]
struct File {
    key: FileKey,
    status: Status,
    size: u64,
    error: Option<String>,
}

impl File {
    fn of(row: &FileRow<'_>) -> Self {
        Self {
            key: row.key(),
            status: row.status(),
            size: row.size(),
            error: row.reason().map(Cow::into_owned),
        }
    }
}

/// Counts a page and asserts that nothing was lost or made up.
fn assert_counted(rows: &[FileRow<'_>]) {
    let mut tally = Tally::new(TallyContext::default());
    for row in rows {
        tally.add(row);
    }
    assert_eq!(tally.rows(), rows.len() as u64);
    let count = tally.finish();
    assert_eq!(count.files.total(), rows.len() as u64);
    let keys: HashSet<_> = rows.iter().map(FileRow::key).collect();
    assert_eq!(count.consistent, keys.len() == rows.len());
    let waiting = rows.iter().filter(|row| row.status() != Status::Done);
    let with_class = count
        .unfinished
        .values()
        .all(|file| file.status.has_reason() == file.class.is_some());
    assert!(with_class, "{count:?}");
    let unfinished: HashSet<_> = count.unfinished.keys().copied().collect();
    assert_eq!(unfinished, waiting.map(FileRow::key).collect());
}

/// A page in our own words, with fields that docs/portal.md does not name.
fn rewritten(rows: &[FileRow<'_>], page: Page) -> Value {
    let rows: Vec<_> = rows.iter().map(written_row).collect();
    json!({
        "notice": {"deep": [null, {}]},
        "data": rows,
        "pagination": {"total": page.total, "totalPages": "unknown"},
    })
}

fn written_row(row: &FileRow<'_>) -> Value {
    json!({
        "linkId": Uuid::from_u128(row.key().link),
        "id": Uuid::from_u128(row.key().id),
        "filename": {"not": "a name"},
        "fileSize": row.size(),
        "indexStatus": row.status().as_str(),
        "indexError": row.reason(),
    })
}

fn listed(folder: &ListedFolder) -> Value {
    json!({
        "id": folder.id.to_string(),
        "name": folder.name.label(),
        "fileCount": folder.file_count,
        "createdAt": folder.created_at.and_then(written),
        "updatedAt": folder.updated_at.and_then(written),
    })
}

/// A time as a text that is read as the same. Years have four digits, so some times need an offset to be written.
fn written(time: Timestamp) -> Option<String> {
    let utc = DateTime::from_timestamp_millis(time.as_millis())?;
    let offsets = [0, 86_340, -86_340].into_iter();
    let mut texts = offsets.filter_map(|seconds| {
        let local = utc.with_timezone(&FixedOffset::east_opt(seconds)?);
        Some(local.to_rfc3339_opts(SecondsFormat::Millis, false))
    });
    texts.find(|text| Timestamp::parse(text) == Some(time))
}
