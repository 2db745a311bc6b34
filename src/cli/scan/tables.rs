//! What `scan` and `check` found, as lists.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};

use crate::classify::ErrorRow;
use crate::cli::view::List;
use crate::health::{FolderHealth, Health, Kind, PortalHealth};
use crate::model::Status;
use crate::snapshot::{ErrorClass, FolderState};

const FOLDERS: &str = "portal folder pending processing done failed flagged unknown files result";

const ERRORS: &str = "portal folder status files error";

const CLASSES: &str = "portal error failed flagged folders example";

const PORTALS: &str = "portal folders files requests seconds reindexing result";

/// The folders with their files by status; failed and flagged files by folder and error class; and by error class; the portals; and what is wrong
/// with them.
pub(in crate::cli) fn lists(health: &Health) -> [List; 5] {
    let (mut folders, mut errors, mut classes) = (Vec::new(), Vec::new(), Vec::new());
    let (mut portals, mut findings) = (Vec::new(), Vec::new());
    for portal in &health.portals {
        let portal_name = portal.view.name.as_str();
        for (name, folder) in named(portal) {
            folders.push(folder_row(portal_name, &name, folder));
            let error = |error| error_row(portal_name, &name, folder, error);
            errors.extend(errors_of(folder).map(error));
        }
        let portal_errors = portal.errors.iter();
        classes.extend(portal_errors.map(|error| class_row(portal_name, error)));
        portals.push(portal_row(portal));
        let sentences = portal.findings.iter().map(|finding| &finding.sentence);
        findings.extend(sentences.map(|it| json!({"portal": portal_name, "finding": it})));
    }
    [
        List::new("folders", FOLDERS, folders),
        List::new("errors", ERRORS, errors),
        List::new("classes", CLASSES, classes),
        List::new("portals", PORTALS, portals),
        List::new("findings", "portal finding", findings),
    ]
}

/// The folders of a portal by name. Where several have one name, their ids follow it.
pub(in crate::cli) fn named(portal: &PortalHealth) -> Vec<(String, &FolderHealth)> {
    let mut times = HashMap::new();
    for folder in &portal.folders {
        *times.entry(folder.view.title()).or_insert(0) += 1;
    }
    let folders = portal.folders.iter();
    let named = folders.map(|folder| match (folder.view.title(), folder.view.id) {
        (name, id) if times[&name] > 1 => (format!("{name} ({id})"), folder),
        (name, _) => (name.into_owned(), folder),
    });
    let mut named: Vec<_> = named.collect();
    named.sort_by(|(a, _), (b, _)| a.cmp(b));
    named
}

fn folder_row(portal: &str, name: &str, folder: &FolderHealth) -> Value {
    let counts = folder.counts.as_deref();
    let files = |status| counts.map(|counts| counts.files[status]);
    let is_read = folder.view.state == FolderState::Counted;
    let reported = folder.view.reported_files.filter(|_| is_read);
    let full_read = folder.view.full_read.as_ref();
    json!({
        "portal": portal,
        "folder": name,
        "folder_id": folder.view.id.to_string(),
        "pending": files(Status::Pending),
        "processing": files(Status::Processing),
        "done": files(Status::Done),
        "failed": files(Status::Failed),
        "flagged": files(Status::Flagged),
        // Only if a file has none of the other statuses (docs/metrics.md, Labels).
        "unknown": files(Status::Unknown).filter(|files| *files > 0),
        // All of them; of `check`, as the folder's first page says.
        "files": counts.map(|counts| counts.files.total()).or(reported),
        "size_bytes": full_read.map(|full| full.sizes.total()),
        "consistent": counts.map(|counts| counts.look.consistent),
        "strategy": counts.map(|counts| counts.look.way.as_str()),
        "counted": counts.map(|counts| counts.counted.wall.to_string()),
        "seconds": counts.map(|counts| seconds(counts.look.duration)),
        "requests": counts.map(|counts| counts.look.requests),
        // The label `reason` of `kb_folder_unavailable`.
        "unavailable": folder.view.state.unavailable(),
        "result": result(folder),
    })
}

/// What became of a folder: why it is not counted, or why its counts may be wrong.
fn result(folder: &FolderHealth) -> &str {
    let is_result = |kind: Kind| kind.is_uncounted() || kind == Kind::Marked;
    let mut findings = folder.findings.iter();
    let found = findings.find(|finding| is_result(finding.kind));
    let is_counted = folder.counts.is_some();
    let well = if is_counted { "ok" } else { "can be read" };
    found.map_or(well, |finding| &finding.sentence)
}

/// The errors of a folder: by status, the largest class first.
fn errors_of(folder: &FolderHealth) -> impl Iterator<Item = &ErrorRow> {
    let counts = folder.counts.iter();
    let mut errors: Vec<_> = counts.flat_map(|counts| &counts.errors).collect();
    errors.sort_by_key(|error| (error.status, Reverse(error.files)));
    errors.into_iter()
}

fn error_row(portal: &str, name: &str, folder: &FolderHealth, error: &ErrorRow) -> Value {
    json!({
        "portal": portal,
        "folder": name,
        "folder_id": folder.view.id.to_string(),
        "status": error.status.as_str(),
        "files": error.files,
        "error": error.class.as_str(),
    })
}

fn class_row(portal: &str, error: &ErrorClass) -> Value {
    let known = error.known.as_ref();
    json!({
        "portal": portal,
        "error": error.class.as_str(),
        "failed": error.files[Status::Failed],
        "flagged": error.files[Status::Flagged],
        "folders": error.folders,
        "example": error.example.as_deref(),
        "first_seen": known.map(|known| known.first_seen.to_string()),
        "last_seen": known.map(|known| known.last_seen.to_string()),
    })
}

fn portal_row(portal: &PortalHealth) -> Value {
    let view = &portal.view;
    let run = view.collections.last_run;
    let counts = portal
        .folders
        .iter()
        .filter_map(|folder| folder.counts.as_deref());
    let files: Vec<_> = counts.map(|counts| counts.files.total()).collect();
    let folders = view.folders.values();
    let folders = folders.map(|folder| (folder.id, folder.name.label()));
    let result = match view.list.trouble() {
        Some(trouble) => trouble.as_str(),
        None if portal.folders.is_empty() => "no folder to collect",
        None => "ok",
    };
    json!({
        "portal": view.name.as_str(),
        // Those that were counted, and their files.
        "folders": run.map(|_| files.len()),
        "files": run.map(|_| files.iter().sum::<u64>()),
        "requests": run.map(|run| run.requests),
        "seconds": run.map(|run| seconds(run.duration)),
        "ended": run.map(|run| run.ended.to_string()),
        "reindexing": view.list.facts.as_ref().map(|_| view.reindex.in_folders(folders)),
        // `ok`, or the label `reason` of `kb_portal_unavailable`.
        "result": result,
    })
}

/// Seconds, to the millisecond.
fn seconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1_000.0).round() / 1_000.0
}
