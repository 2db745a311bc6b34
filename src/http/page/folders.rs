//! The table of folders of the overview, those with trouble first.

use maud::{Markup, html};

use crate::http::page::layout::{As, Column, change, number, table, things, time};
use crate::http::page::query::Query;
use crate::http::page::row::{self, Row, WAITING};
use crate::http::page::{Pages, finding};
use crate::model::{Series, Status, Timestamp};

const COLUMNS: [Column; 7] = [
    ("Folder", "name"),
    ("Failed", "n"),
    ("Flagged", "n"),
    ("Waiting", "n"),
    ("Longest wait", "n"),
    ("New in 24 h", "n"),
    ("Counted", "n"),
];

/// More folders are found by their names.
const MOST: usize = 500;

pub(super) fn content(pages: &Pages<'_>, rows: &[Row<'_>], query: &Query) -> Markup {
    let found = row::find(rows, query);
    let has_portals = pages.health.portals.len() > 1;
    let shown = found.iter().take(MOST);
    let shown = shown.map(|row| folder(row, pages.now.wall, has_portals));
    html! {
        (form(pages, query))
        div #folders data-part {
            p.quiet {
                @match found.len() {
                    0 if rows.is_empty() => "No folder is known.",
                    0 => "No folder matches.",
                    found => {
                        (things(found as u64, "folder", "folders"))
                        @if found > MOST { ", of which the first " (MOST) " are shown: filter by name for others" }
                    }
                }
            }
            (table("Folders", COLUMNS, shown))
        }
    }
}

fn form(pages: &Pages<'_>, query: &Query) -> Markup {
    let portals = pages.health.portals.iter().map(|portal| &portal.view.name);
    html! {
        form #filter method="get" action="./" role="search" {
            label { "Folder" input #name type="search" name="name" value=(query.name) placeholder="press / to filter"; }
            @if portals.len() > 1 {
                label { "Portal"
                    select name="portal" {
                        option value="" { "all" }
                        @for portal in portals { option value=(portal) selected[portal.as_str() == query.portal] { (portal) } }
                    }
                }
            }
            @if !query.error.is_empty() { label { "Error class" input type="search" name="error" value=(query.error); } }
            button { "Show" }
            @if *query != Query::default() { a href="./" { "All" } }
        }
    }
}

fn folder(row: &Row<'_>, now: Timestamp, has_portals: bool) -> [Markup; 7] {
    let folder = &row.health.view;
    let hour = Series::step(now).saturating_sub(Series::HOUR);
    let status = |status: Status, series: &Series| {
        let grown = series.grown_since(hour);
        html! {
            @match row.files(&[status]) {
                None => "–",
                Some(files) => {
                    @if grown != 0 { small title="in the last hour" { (change(grown)) } " " }
                    span data-status=(status.as_str()) { (number(files)) }
                }
            }
        }
    };
    let name = html! {
        a href=(row.link()) { (row.name) }
        @if has_portals { span.quiet { " " (row.portal.name) } }
        (finding::of_row(row))
    };
    [
        name,
        status(Status::Failed, &folder.day.failed),
        status(Status::Flagged, &folder.day.flagged),
        html! { (row.files(&WAITING).map_or_else(|| "–".to_owned(), number)) },
        html! { @if let Some(oldest) = row.oldest { (time(oldest, As::For)) } @else { "–" } },
        html! { @if row.entered > 0 { (number(row.entered)) } @else { "none" } },
        html! { @if let Some(at) = folder.last_success() { (time(at, As::Ago)) } @else { "never" } },
    ]
}
