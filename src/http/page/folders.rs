//! The first page: each portal, and the folders sorted by trouble.

use maud::{Markup, html};

use crate::clock::Moment;
use crate::health::{Health, PortalHealth};
use crate::http::page::layout::{age, share, status, table};
use crate::http::page::query::{Query, Sort, statuses};
use crate::http::page::row::{Row, Rows};
use crate::http::page::{chart, folder_path};
use crate::model::Status;
use crate::snapshot::{PortalView, Snapshot, SortingState};
use crate::trend::{STEPS, Trends};

/// Steps of the sparkline: six hours, a bar for each quarter of an hour.
const RECENT: usize = 72;
const BAR: usize = 3;

const HEADS: [(&str, &str); 8] = [
    ("Folder", ""),
    ("Failed", "n"),
    ("Flagged", "n"),
    ("Waiting", "n"),
    ("Files", "n wide"),
    ("Entries in 6 hours", "wide"),
    ("Counted", "n wide"),
    ("State", ""),
];

pub(super) fn content(
    snapshot: &Snapshot,
    health: &Health,
    trends: &Trends,
    query: &Query,
    now: Moment,
) -> Markup {
    let rows = Rows::find(snapshot, health, query, now);
    html! {
        h1 { "Knowledge base: " (status(health.status)) }
        ul.cards {
            @for (portal, health) in snapshot.portals.iter().zip(&health.portals) {
                li { (card(portal, health, trends, now)) }
            }
        }
        h2 { "Folders" }
        (form(snapshot, query))
        (chart::legend())
        p.quiet { (found(&rows)) }
        (table("Folders", &HEADS, rows.shown.iter().map(|row| folder_row(row, trends, now))))
        (pages(&rows, query))
    }
}

fn card(portal: &PortalView, health: &PortalHealth, trends: &Trends, now: Moment) -> Markup {
    let oldest = health
        .folders
        .iter()
        .filter_map(|folder| folder.age_seconds)
        .max();
    html! {
        h2 { (portal.name) " " (status(health.status)) }
        @for note in &health.notes { p { (note) } }
        @if let Some(reindex) = &health.reindex { p { "Reindexing: " (reindex.sentence) "." } }
        dl {
            dt { "Folders" }
            dd { (portal.folders.len()) }
            dt { "Oldest count" }
            dd {
                @if let Some(seconds) = oldest { (age(std::time::Duration::from_secs(seconds))) " ago" }
                @else { "none yet" }
            }
            @if let Some(run) = portal.collections.last_run {
                dt { "Last collection" }
                dd { (run.result.as_str()) ", " (age(now.wall.since(run.ended))) " ago, took " (age(run.duration)) }
            }
            @if let Some(next) = portal.collections.next {
                dt { "Next collection" }
                dd { @if next > now.wall { "in " (age(next.since(now.wall))) } @else { "now" } }
            }
            dt { "Sorting" }
            dd { (sorting(portal.sorting)) }
            @if let Some(rate) = trends.requests_per_minute(&portal.name) {
                dt { "Requests" }
                dd { (format!("{rate:.0}")) " a minute" }
            }
        }
    }
}

/// Whether a portal sorts by status.
fn sorting(state: SortingState) -> &'static str {
    match state {
        SortingState::Shown => "by status, as rows show",
        SortingState::Assumed => "by status, as documented; no rows show or refute it yet",
        SortingState::Refuted => {
            "not by status, as rows show; folders not shown to be sorted are read in full"
        }
    }
}

fn form(snapshot: &Snapshot, query: &Query) -> Markup {
    html! {
        form method="get" action="/" role="search" {
            label { "Name" input type="search" name="name" value=(query.name); }
            label {
                "Portal"
                select name="portal" {
                    option value="" { "all" }
                    @for portal in &snapshot.portals {
                        option value=(portal.name) selected[portal.name.as_str() == query.portal] { (portal.name) }
                    }
                }
            }
            label {
                "With files"
                select name="status" {
                    option value="" { "of any status" }
                    @for (word, name) in statuses() {
                        option value=(word) selected[word == query.status] { (name) }
                    }
                }
            }
            label {
                "Order"
                select name="sort" {
                    @for (sort, word, name) in Sort::ALL {
                        option value=(word) selected[sort == query.sort] { (name) }
                    }
                }
            }
            button type="submit" { "Show" }
        }
    }
}

fn found(rows: &Rows<'_>) -> String {
    match (rows.total, rows.pages) {
        (0, _) => "No folder".to_owned(),
        (1, _) => "1 folder".to_owned(),
        (total, 1) => format!("{total} folders"),
        (total, pages) => format!("{total} folders, page {} of {pages}", rows.page),
    }
}

fn folder_row(row: &Row<'_>, trends: &Trends, now: Moment) -> Markup {
    let (folder, portal) = (row.folder, row.portal);
    let day = trends.day(&portal.name, folder.id, now.wall);
    let total = row.counts.map_or(0, |counts| counts.files.total());
    let counted = |status: Status| {
        html! {
            @if row.counts.is_none() { "–" } @else {
                (row.files(status))
                @if row.files(status) > 0 { br; span.quiet { (share(row.files(status), total)) } }
            }
        }
    };
    html! {
            th.name scope="row" {
                a href=(folder_path(&portal.name, folder.id)) { (folder.name) }
                " " span.quiet { (portal.name) }
                @if let Some(counts) = row.counts { (chart::bar(&counts.files)) }
            }
            td.n data-status="failed" { (counted(Status::Failed)) }
            td.n data-status="flagged" { (counted(Status::Flagged)) }
            td.n {
                @if row.counts.is_none() { "–" } @else {
                    (row.files(Status::Pending) + row.files(Status::Processing))
                }
                @if let Some(waiting) = row.waiting { br; span.quiet { "oldest " (age(waiting)) } }
            }
            td.n.wide { @if row.counts.is_some() { (total) } @else { "–" } }
            td.wide { (chart::entries(&day[STEPS - RECENT..], BAR, "spark", "6 hours")) }
            td.n.wide {
                @if let Some(seconds) = row.health.age_seconds { (age(std::time::Duration::from_secs(seconds))) " ago" }
                @else { "never" }
            }
            td { (state(row)) }
    }
}

/// Whether the folder can be counted, and why not.
pub(super) fn state(row: &Row<'_>) -> Markup {
    let health = row.health;
    html! {
        (status(health.status))
        @if let Some(reason) = health.reason { " " (reason.as_str()) }
        @if let Some(message) = &health.message { ": " (message) }
        @if health.stale { " (counts withdrawn: too old)" }
        @if row.counts.is_some_and(|counts| !counts.look.consistent) { " (changed while it was read)" }
    }
}

fn pages(rows: &Rows<'_>, query: &Query) -> Markup {
    html! {
        @if rows.pages > 1 {
            nav.pages aria-label="Pages of folders" {
                @if rows.page > 1 {
                    a href=(query.at(1)) { "First" }
                    a href=(query.at(rows.page - 1)) rel="prev" { "Previous" }
                }
                span { "Page " (rows.page) " of " (rows.pages) }
                @if rows.page < rows.pages {
                    a href=(query.at(rows.page + 1)) rel="next" { "Next" }
                    a href=(query.at(rows.pages)) { "Last" }
                }
            }
        }
    }
}
