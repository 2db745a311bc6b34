//! A scan as tables for people.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::Display;

use crate::classify::ErrorRow;
use crate::cli::table::{Table, known};
use crate::health::{FolderHealth, Health, Kind, PortalHealth};
use crate::model::Status;
use crate::snapshot::PortalView;

/// All tables, at most `width` characters wide if there is such a limit, the summary of each portal, and what is wrong with it.
pub(super) fn text(health: &Health, width: Option<u16>) -> String {
    let mut parts = vec![folders(health, width).to_string()];
    for table in [
        errors_by_folder(health, width),
        errors_by_class(health, width),
    ] {
        if !table.is_empty() {
            parts.push(table.to_string());
        }
    }
    for portal in &health.portals {
        let lines = summary(&portal.view).into_iter().chain(sentences(portal));
        parts.extend(lines.map(|line| format!("portal {}: {line}\n", portal.view.name)));
    }
    parts.concat()
}

/// What is wrong with a portal as a whole.
pub(in crate::cli) fn sentences(portal: &PortalHealth) -> impl Iterator<Item = String> {
    portal.findings.iter().map(|one| one.sentence.clone())
}

fn folders(health: &Health, width: Option<u16>) -> Table {
    let statuses = statuses(health);
    let numbers = statuses
        .iter()
        .map(|status| format!("#{}, ", status.as_str()));
    let numbers = numbers.collect::<Vec<_>>().concat();
    let mut table = Table::new(&format!("portal, folder, {numbers}#total, result"), width);
    for portal in &health.portals {
        add_folders(&mut table, portal, |folder| {
            let counts = folder.counts.as_deref();
            let files = statuses
                .iter()
                .map(|status| counts.map(|counts| counts.files[*status]));
            let total = counts.map(|counts| counts.files.total());
            files.chain([total]).map(known).collect()
        });
    }
    table
}

/// Adds the folders of a portal, each with some numbers and its result; or the result of the portal.
pub(in crate::cli) fn add_folders(
    table: &mut Table,
    portal: &PortalHealth,
    numbers: impl Fn(&FolderHealth) -> Vec<String>,
) {
    let portal_name = &portal.view.name;
    for (name, folder) in named(portal) {
        let numbers = numbers(folder);
        let result = result(folder);
        let mut row: Vec<&dyn Display> = vec![portal_name, &name];
        row.extend(numbers.iter().map(|number| number as &dyn Display));
        row.push(&result);
        table.add(&row);
    }
    let result = match portal.view.list.trouble() {
        Some(trouble) => trouble.as_str(),
        None if portal.folders.is_empty() => "no folder to collect",
        None => return,
    };
    let mut row: Vec<&dyn Display> = vec![portal_name];
    row.extend((1..table.width() - 1).map(|_| &"" as &dyn Display));
    row.push(&result);
    table.add(&row);
}

/// The statuses that have a column: `unknown` only if a file has none of the others (docs/metrics.md, Labels).
fn statuses(health: &Health) -> Vec<Status> {
    let folders = || health.portals.iter().flat_map(|portal| &portal.folders);
    let unknown = folders()
        .filter_map(|folder| folder.counts.as_ref())
        .any(|counts| counts.files[Status::Unknown] > 0);
    let shown = |status: &Status| *status != Status::Unknown || unknown;
    Status::ALL.into_iter().filter(shown).collect()
}

/// The folders of a portal by name. Where several have one name, their ids follow it.
fn named(portal: &PortalHealth) -> Vec<(String, &FolderHealth)> {
    let mut times = HashMap::new();
    for folder in &portal.folders {
        *times.entry(&folder.view.name).or_insert(0) += 1;
    }
    let folders = portal.folders.iter();
    let named = folders.map(|folder| {
        let view = &folder.view;
        match times[&view.name] {
            1 => (view.name.to_string(), folder),
            _ => (format!("{} ({})", view.name, view.id), folder),
        }
    });
    let mut named: Vec<_> = named.collect();
    named.sort_by(|(a, _), (b, _)| a.cmp(b));
    named
}

/// What became of a folder: why it is not counted, or why its counts may be wrong.
fn result(folder: &FolderHealth) -> &str {
    let is_result = |kind: Kind| kind.is_uncounted() || kind == Kind::Marked;
    let mut findings = folder.findings.iter();
    let found = findings.find(|finding| is_result(finding.kind));
    found.map_or("ok", |finding| &finding.sentence)
}

/// Failed and flagged files by folder and error class.
fn errors_by_folder(health: &Health, width: Option<u16>) -> Table {
    let mut table = Table::new("portal, folder, =status, #files, error", width);
    for portal in &health.portals {
        for (name, folder) in named(portal) {
            for row in errors(folder) {
                let status = row.status.as_str();
                table.add(&[&portal.view.name, &name, &status, &row.files, &row.class]);
            }
        }
    }
    table
}

/// The errors of a folder: by status, the largest class first.
fn errors(folder: &FolderHealth) -> Vec<&ErrorRow> {
    let counts = folder.counts.as_deref();
    let mut rows: Vec<_> = counts
        .into_iter()
        .flat_map(|counts| &counts.errors)
        .collect();
    rows.sort_by_key(|row| (row.status, Reverse(row.files)));
    rows
}

/// Failed and flagged files by error class, over all folders, with an example of each.
fn errors_by_class(health: &Health, width: Option<u16>) -> Table {
    let columns = "portal, error, #failed, #flagged, #folders, example";
    let mut table = Table::new(columns, width);
    for portal in &health.portals {
        for error in &portal.errors {
            table.add(&[
                &portal.view.name,
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
