//! What `check` and `scan` found, as a document for programs (docs/scan.schema.json). Fields may be added, but not renamed or removed.

use serde_json::{Map, Value, json};

use crate::classify::ErrorRow;
use crate::health::{Finding, Kind, PortalHealth};
use crate::history::FullRead;
use crate::model::{ByStatus, Status};
use crate::snapshot::{Counts, ErrorClass, FolderState, FolderView, ListState, Unreadable};

/// One portal, with the mistakes of the configuration that it shows.
pub(super) fn portal(health: &PortalHealth, mistakes: &[String]) -> Value {
    let view = &health.view;
    let run = view.collections.last_run;
    let unavailable = match &view.list {
        ListState::Failed {
            trouble, message, ..
        } => json!({ "reason": trouble.as_str(), "message": message }),
        ListState::Unasked | ListState::Read(_) => Value::Null,
    };
    json!({
        "name": view.name.as_str(),
        "ok": health.is_complete() && mistakes.is_empty(),
        "unavailable": unavailable,
        "notes": notes(health, mistakes),
        "ended": run.map(|run| run.ended.to_string()),
        "duration_seconds": run.map(|run| run.duration.as_secs_f64()),
        "errors": health.errors.iter().map(class).collect::<Value>(),
        "folders": view.folders.values().map(|view| folder(view)).collect::<Value>(),
    })
}

/// What is wrong beside single folders, for people. Why the list cannot be read is told elsewhere.
pub(super) fn notes<'a>(health: &'a PortalHealth, mistakes: &'a [String]) -> Vec<&'a str> {
    let is_note = |finding: &&Finding| finding.kind != Kind::PortalUnreadable;
    let notes = health.findings.iter().filter(is_note);
    let notes = notes.map(|finding| &*finding.sentence);
    notes
        .chain(mistakes.iter().map(|mistake| &**mistake))
        .collect()
}

fn class(error: &ErrorClass) -> Value {
    let known = error.known.as_ref();
    json!({
        "error": error.class.as_str(),
        "failed": error.files[Status::Failed],
        "flagged": error.files[Status::Flagged],
        "folders": error.folders,
        "example": error.example.as_deref(),
        "first_seen": known.map(|known| known.first_seen.to_string()),
        "last_seen": known.map(|known| known.last_seen.to_string()),
    })
}

fn folder(folder: &FolderView) -> Value {
    let message = match &folder.state {
        FolderState::Unavailable(Unreadable { message, .. }) => Some(message),
        FolderState::Unseen | FolderState::Counted | FolderState::Departed(_) => None,
    };
    let unavailable = folder.state.unavailable();
    let unavailable =
        unavailable.map(|reason| json!({ "reason": reason.as_str(), "message": message }));
    let counts = folder.counts.as_deref();
    json!({
        "id": folder.id.to_string(),
        "name": folder.name.label(),
        "reported_files": folder.reported_files,
        "unavailable": unavailable,
        "counts": counts.map(|counts| count(counts, folder.full_read.as_ref())),
    })
}

fn count(counts: &Counts, full_read: Option<&FullRead>) -> Value {
    let with_unknown = counts.files[Status::Unknown] > 0;
    let by_status = |numbers: &ByStatus<u64>| {
        let shown = |status: Status| status != Status::Unknown || with_unknown;
        let numbers = numbers.iter().filter(|(status, _)| shown(*status));
        let numbers = numbers.map(|(status, number)| (status.as_str().to_owned(), json!(number)));
        numbers.collect::<Map<_, _>>()
    };
    let class = |row: &ErrorRow| json!({ "status": row.status.as_str(), "error": row.class.as_str(), "files": row.files });
    json!({
        "total": counts.files.total(),
        "files": by_status(&counts.files),
        "size_bytes": full_read.map(|full| by_status(&full.sizes)),
        "errors": counts.errors.iter().map(class).collect::<Value>(),
        "consistent": counts.look.consistent,
        "strategy": counts.look.way.as_str(),
        "counted": counts.counted.wall.to_string(),
        "duration_seconds": counts.look.duration.as_secs_f64(),
        "requests": counts.look.requests,
    })
}
