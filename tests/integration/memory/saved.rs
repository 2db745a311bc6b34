//! The state as a file.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::time::Duration;

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde_json::Value;
use uuid::Uuid;

use crate::support::sqlite::Sqlite;
use crate::support::workspace::Workspace;

/// Every member of a document that holds a time.
const TIMES: [&str; 11] = [
    "last_success",
    "began",
    "counted",
    "first_counted",
    "at",
    "since",
    "excluded",
    "first_seen",
    "last_seen",
    "timed_from",
    "missed_since",
];

async fn open(workspace: &Workspace) -> Sqlite {
    Sqlite::open(&workspace.path("state").join("state.db")).await
}

/// Lets everything in the state have happened so much earlier, as if that time had passed. No process may have it open.
pub(super) async fn age(workspace: &Workspace, by: Duration) {
    let mut state = open(workspace).await;
    let by = i64::try_from(by.as_millis()).unwrap();
    for table in ["portal", "folder", "files"] {
        let select = format!("SELECT DISTINCT hex(document) FROM {table}");
        for row in state.sql(&select).await {
            let (older, is_text) = (older(&bytes(&row[0]), by), table != "files");
            let older = if is_text {
                format!("CAST(x'{}' AS TEXT)", hex(&older))
            } else {
                format!("x'{}'", hex(&zipped(&older)))
            };
            let before = &row[0];
            let update =
                format!("UPDATE {table} SET document = {older} WHERE hex(document) = '{before}'");
            state.sql(&update).await;
        }
    }
    state
        .sql(&format!("UPDATE folder SET written = written - {by}"))
        .await;
}

/// A document, compressed or not, with earlier times.
fn older(document: &[u8], by: i64) -> Vec<u8> {
    let mut text = Vec::new();
    if ZlibDecoder::new(document).read_to_end(&mut text).is_err() {
        text = document.to_vec();
    }
    let mut document = serde_json::from_slice(&text).unwrap();
    make_older(&mut document, by);
    document.to_string().into_bytes()
}

fn zipped(bytes: &[u8]) -> Vec<u8> {
    let mut zipped = ZlibEncoder::new(Vec::new(), Compression::fast());
    zipped.write_all(bytes).unwrap();
    zipped.finish().unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(digits).collect()
}

fn make_older(value: &mut Value, by: i64) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| make_older(item, by)),
        Value::Object(members) => {
            for (name, member) in members {
                if let (Some(time), true) = (member.as_i64(), TIMES.contains(&name.as_str())) {
                    *member = (time - by).into();
                } else {
                    make_older(member, by);
                }
            }
        }
        _ => {}
    }
}

/// Why a folder left, or `there`; none where nothing is known of it.
pub(super) async fn departure_reason(workspace: &Workspace, folder: Uuid) -> Option<String> {
    let select = format!("SELECT document FROM folder WHERE folder = '{folder}'");
    let rows = open(workspace).await.sql(&select).await;
    let document: Value = serde_json::from_str(&rows.first()?[0]).unwrap();
    let reason = document["departure"]["reason"].as_str();
    Some(reason.unwrap_or("there").to_owned())
}
