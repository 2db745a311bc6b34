//! The state as a file.

use std::time::Duration;

use serde_json::Value;
use uuid::Uuid;

use crate::support::packed::{pack, unpack};
use crate::support::sqlite::Sqlite;
use crate::support::workspace::Workspace;

/// Every member of a document that holds a time.
const TIMES: [&str; 10] = [
    "last_success",
    "began",
    "counted",
    "first_counted",
    "at",
    "since",
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
    for table in ["portal", "folder"] {
        let select = format!("SELECT DISTINCT document FROM {table}");
        for row in state.sql(&select).await {
            let mut document = serde_json::from_str(&row[0]).unwrap();
            make_older(&mut document, by);
            let [older, before] =
                [document.to_string(), row[0].clone()].map(|text| text.replace('\'', "''"));
            let update =
                format!("UPDATE {table} SET document = '{older}' WHERE document = '{before}'");
            state.sql(&update).await;
        }
    }
    for row in state.sql("SELECT DISTINCT hex(document) FROM files").await {
        let mut files = unpack(&row[0]);
        make_older(&mut files, by);
        let (older, before) = (pack(&files), &row[0]);
        let update = format!("UPDATE files SET document = {older} WHERE document = x'{before}'");
        state.sql(&update).await;
    }
    state
        .sql(&format!("UPDATE folder SET written = written - {by}"))
        .await;
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
