//! The status page: folders, counts and the age of each, what is decided about reindexing, what a retry helps, what fails.

mod classes;
mod errors;
mod reindex;

use std::time::Duration;

use maud::{DOCTYPE, Markup, html};

use crate::health::{FolderHealth, Health, PortalHealth, Status as Wellness};
use crate::model::{Moment, Status};
use crate::snapshot::{Counts, PortalView, ReindexView, Snapshot, SortingState};

const STYLE: &str = "
    body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem; color: #1c2430; background: #fff; }
    h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
    table { border-collapse: collapse; } th, td { padding: .25rem .75rem; text-align: left; border-bottom: 1px solid #d8dee6; }
    td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
    .time { white-space: nowrap; }
    .name { max-width: 28rem; overflow-wrap: anywhere; unicode-bidi: isolate; }
    .pass { color: #1a7f37; } .warn { color: #9a6700; } .fail { color: #cf222e; }
    @media (prefers-color-scheme: dark) { body { color: #d7dee8; background: #14181f; } th, td { border-color: #323a46; }
        .pass { color: #4ac26b; } .warn { color: #d4a72c; } .fail { color: #ff7b72; } a { color: #79b8ff; } }
";

/// Writes the page. All text is escaped by the template.
pub(super) fn render(snapshot: &Snapshot, health: &Health, metrics: &str, now: Moment) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { "kb-exporter" }
                style { (maud::PreEscaped(STYLE)) }
            }
            body {
                h1 { "kb-exporter " (wellness(health.status)) }
                p {
                    a href=(metrics) { "metrics" } " · "
                    a href="/health" { "health" } " · "
                    "version " (env!("CARGO_PKG_VERSION"))
                }
                @for (portal, health) in snapshot.portals.iter().zip(&health.portals) {
                    @let reindex = snapshot.reindex.get(&portal.name);
                    (portal_section(portal, reindex.map(|view| &**view), health, now))
                }
            }
        }
    }
}

fn wellness(status: Wellness) -> Markup {
    let word = match status {
        Wellness::Pass => "pass",
        Wellness::Warn => "warn",
        Wellness::Fail => "fail",
    };
    html! { span class=(word) { (word) } }
}

fn portal_section(
    portal: &PortalView,
    reindex: Option<&ReindexView>,
    health: &PortalHealth,
    now: Moment,
) -> Markup {
    let statuses = shown(portal);
    let columns: Vec<_> = statuses.iter().map(|status| status.as_str()).collect();
    let columns = columns.join("|#");
    let heads = format!("Folder|#{columns}|#total|#counted|state");
    let mut folders: Vec<_> = portal.folders.values().zip(&health.folders).collect();
    folders.sort_by_key(|(_, health)| &health.name);
    let folders = folders.into_iter();
    html! {
        h2 { "Portal " (portal.name) " " (wellness(health.status)) }
        @for note in &health.notes {
            p { (note) }
        }
        p {
            @if let Some(run) = portal.collections.last_run {
                "Last collection: " (run.result.as_str()) ", " (run.ended) ", took " (seconds(run.duration)) ". "
            }
            @if let Some(next) = portal.collections.next {
                "Next: " (next) ". "
            }
            "Sorting by status: " (sorting(portal.sorting)) "."
        }
        (table(&heads, folders.map(|(folder, health)| row(portal.fresh_counts(folder, now), health, &statuses))))
        (reindex::section(health, now.wall))
        @if let Some(ledger) = reindex.and_then(|view| view.ledger.as_deref().ok()) {
            (classes::section(ledger))
        }
        @if !health.errors.is_empty() {
            (errors::section(&health.errors))
        }
    }
}

/// What is known of a portal's sorting, in words.
fn sorting(state: SortingState) -> &'static str {
    match state {
        SortingState::Shown => "shown by rows",
        SortingState::Assumed => "assumed as documented, neither shown nor refuted by rows yet",
        SortingState::Refuted => "refuted by rows, so every page is read",
    }
}

fn row(counts: Option<&Counts>, health: &FolderHealth, statuses: &[Status]) -> Markup {
    let number = |count: &dyn Fn(&Counts) -> u64| {
        html! { @if let Some(counts) = counts { (count(counts)) } @else { "–" } }
    };
    html! {
        td.name title=(health.id) { (health.name) }
        @for status in statuses { td.n { (number(&|counts| counts.files[*status])) } }
        td.n { (number(&|counts| counts.files.total())) }
        td.n {
            @if let Some(age) = health.age_seconds { (seconds(Duration::from_secs(age))) " ago" } @else { "never" }
        }
        td {
            (wellness(health.status))
            @if let Some(reason) = health.reason { " " (reason.as_str()) }
            @if let Some(message) = &health.message { ": " (message) }
            @if health.stale { " (counts withdrawn: too old)" }
            @if counts.is_some_and(|counts| !counts.consistent) { " (changed while it was read)" }
        }
    }
}

/// A table. Its heads are separated by `|`; that of a column of numbers begins with `#`.
fn table(heads: &str, rows: impl Iterator<Item = Markup>) -> Markup {
    html! {
        table {
            thead {
                tr {
                    @for head in heads.split('|') {
                        @if let Some(head) = head.strip_prefix('#') { th.n { (head) } } @else { th { (head) } }
                    }
                }
            }
            tbody { @for row in rows { tr { (row) } } }
        }
    }
}

/// The statuses that have a column: the five of docs/portal.md, and `unknown` where there is one.
fn shown(portal: &PortalView) -> Vec<Status> {
    let folders = portal.folders.values();
    let mut counts = folders.filter_map(|folder| folder.counts.as_ref());
    let unknown = counts.any(|counts| counts.files[Status::Unknown] > 0);
    let has_column = |status: &Status| *status != Status::Unknown || unknown;
    Status::ALL.into_iter().filter(has_column).collect()
}

fn seconds(duration: Duration) -> String {
    let rounded = match duration.as_secs() {
        0 => Duration::from_millis(u64::from(duration.subsec_millis())),
        seconds => Duration::from_secs(seconds),
    };
    humantime::format_duration(rounded).to_string()
}
