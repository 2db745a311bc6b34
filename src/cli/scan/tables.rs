//! A scan as tables for people.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::Display;

use crate::classify::ErrorRow;
use crate::cli::table::{Table, known};
use crate::clock::Moment;
use crate::model::Status;
use crate::snapshot::{FolderState, FolderView, PortalView, Snapshot, Unavailable, Unreadable};

/// All tables, at most `width` characters wide if there is such a limit, the summary of each portal, and its notes.
pub(super) fn text(snapshot: &Snapshot, width: Option<u16>) -> String {
    let mut parts = vec![folders(snapshot, width).to_string()];
    for table in [
        errors_by_folder(snapshot, width),
        errors_by_class(snapshot, width),
    ] {
        if !table.is_empty() {
            parts.push(table.to_string());
        }
    }
    for portal in &snapshot.portals {
        let lines = summary(portal).into_iter().chain(portal.notes());
        parts.extend(lines.map(|line| format!("portal {}: {line}\n", portal.name)));
    }
    parts.concat()
}

fn folders(snapshot: &Snapshot, width: Option<u16>) -> Table {
    let statuses = statuses(snapshot);
    let numbers = statuses
        .iter()
        .map(|status| format!("#{}, ", status.as_str()));
    let numbers = numbers.collect::<Vec<_>>().concat();
    let mut table = Table::new(&format!("portal, folder, {numbers}#total, result"), width);
    let empty = vec![""; statuses.len() + 2];
    for portal in &snapshot.portals {
        for (name, folder) in named(portal) {
            let counts = folder.counts.as_deref();
            let files = statuses
                .iter()
                .map(|status| counts.map(|counts| counts.files[*status]));
            let total = counts.map(|counts| counts.files.total());
            let numbers: Vec<_> = files.chain([total]).map(known).collect();
            let mut row: Vec<&dyn Display> = vec![&portal.name, &name];
            row.extend(numbers.iter().map(|number| number as &dyn Display));
            let result = result(folder);
            row.push(&result);
            table.add(&row);
        }
        if let Some(result) = portal_result(portal) {
            let mut row: Vec<&dyn Display> = vec![&portal.name];
            row.extend(empty.iter().map(|cell| cell as &dyn Display));
            row.push(&result);
            table.add(&row);
        }
    }
    table
}

/// The statuses that have a column: `unknown` only if a file has none of the others (docs/metrics.md, Labels).
fn statuses(snapshot: &Snapshot) -> Vec<Status> {
    let folders = || snapshot.portals.iter().flat_map(|p| p.folders.values());
    let unknown = folders()
        .filter_map(|folder| folder.counts.as_ref())
        .any(|counts| counts.files[Status::Unknown] > 0);
    let shown = |status: &Status| *status != Status::Unknown || unknown;
    Status::ALL.into_iter().filter(shown).collect()
}

/// The folders of a portal by name. Where several have one name, their ids follow it.
fn named(portal: &PortalView) -> Vec<(String, &FolderView)> {
    let mut times = HashMap::new();
    for folder in portal.folders.values() {
        *times.entry(&folder.name).or_insert(0) += 1;
    }
    let mut named: Vec<_> = portal
        .folders
        .values()
        .map(|folder| match times[&folder.name] {
            1 => (folder.name.to_string(), &**folder),
            _ => (format!("{} ({})", folder.name, folder.id), &**folder),
        })
        .collect();
    named.sort_by(|(a, _), (b, _)| a.cmp(b));
    named
}

/// What became of a folder.
pub(in crate::cli) fn result(folder: &FolderView) -> String {
    let reason = known(folder.state.unavailable().map(Unavailable::as_str));
    let counts = folder.counts.as_deref();
    match &folder.state {
        FolderState::Unseen => "not read".to_owned(),
        FolderState::Unavailable(Unreadable { message, .. }) => format!("{reason}: {message}"),
        FolderState::Departed(_) => reason,
        FolderState::Counted if counts.is_some_and(|counts| !counts.look.consistent) => {
            "not consistent".to_owned()
        }
        FolderState::Counted => "ok".to_owned(),
    }
}

/// The result of a portal without a folder, or whose list could not be read.
fn portal_result(portal: &PortalView) -> Option<&'static str> {
    match portal.list.trouble() {
        Some(trouble) => Some(trouble.as_str()),
        None => portal.folders.is_empty().then_some("no folder to collect"),
    }
}

/// Failed and flagged files by folder and error class.
fn errors_by_folder(snapshot: &Snapshot, width: Option<u16>) -> Table {
    let mut table = Table::new("portal, folder, =status, #files, error", width);
    for portal in &snapshot.portals {
        for (name, folder) in named(portal) {
            for row in errors(folder) {
                let status = row.status.as_str();
                table.add(&[&portal.name, &name, &status, &row.files, &row.class]);
            }
        }
    }
    table
}

/// The errors of a folder: by status, the largest class first.
fn errors(folder: &FolderView) -> Vec<&ErrorRow> {
    let counts = folder.counts.as_deref();
    let mut rows: Vec<_> = counts
        .into_iter()
        .flat_map(|counts| &counts.errors)
        .collect();
    rows.sort_by_key(|row| (row.status, Reverse(row.files)));
    rows
}

/// Failed and flagged files by error class, over all folders, with an example of each.
fn errors_by_class(snapshot: &Snapshot, width: Option<u16>) -> Table {
    let columns = "portal, error, #failed, #flagged, #folders, example";
    let mut table = Table::new(columns, width);
    for portal in &snapshot.portals {
        for error in portal.error_classes(Moment::now()) {
            table.add(&[
                &portal.name,
                &error.class,
                &error.files[Status::Failed],
                &error.files[Status::Flagged],
                &error.folders,
                &known(error.example.as_deref()),
            ]);
        }
    }
    table
}

/// The counts of a portal in one line, if its list could be read.
fn summary(portal: &PortalView) -> Option<String> {
    let run = portal.collections.last_run?;
    if portal.list.trouble().is_some() {
        return None;
    }
    let folders = portal.folders.values();
    let counts: Vec<_> = folders
        .filter_map(|folder| folder.counts.as_deref())
        .collect();
    let files: u64 = counts.iter().map(|counts| counts.files.total()).sum();
    let (folders, requests) = (counts.len(), run.requests);
    let seconds = run.duration.as_secs_f64();
    Some(format!(
        "{files} files in {folders} folders, read with {requests} requests in {seconds:.1} s"
    ))
}
