//! The overview: what is wrong, the numbers, what is being done, and the folders, those with trouble first.

use maud::{Markup, html};

use crate::health::PortalHealth;
use crate::http::page::finding::{self, Findings};
use crate::http::page::layout::{
    As, Column, change, number, sentence, table_below, things, time, took,
};
use crate::http::page::query::{PAGE, Query, Sort};
use crate::http::page::row::{Coverage, Row, Rows, WAITING};
use crate::http::page::{Pages, folder_path, numbers};
use crate::model::{Series, Status, Timestamp};
use crate::snapshot::SortingState;

/// The columns of the table, and the order that each chooses.
const COLUMNS: [(Column, Sort); 7] = [
    (("Folder", "name"), Sort::Name),
    (("Failed", "n"), Sort::Failed),
    (("Flagged", "n"), Sort::Flagged),
    (("Waiting", "n"), Sort::Waiting),
    (("Longest wait", "n"), Sort::Oldest),
    (("New in 24 h", "n"), Sort::New),
    (("Counted", "n"), Sort::Age),
];

pub(super) fn content(pages: &Pages<'_>, findings: &Findings<'_>, query: &Query) -> Markup {
    let rows = Rows::find(&pages.rows, query);
    html! {
        div #verdict data-part { (findings.content()) }
        div #numbers data-part {
            (numbers::content(&pages.rows, pages.now.wall))
            ul.portals { @for portal in &pages.health.portals { li { (portal_line(portal)) } } }
        }
        (form(pages, query))
        div #folders data-part {
            p.quiet { (found(&rows, pages.rows.len())) }
            (table(&rows, pages, query))
            (turning(&rows, query))
        }
    }
}

/// How current the numbers of a portal are, and what is being done.
fn portal_line(health: &PortalHealth) -> Markup {
    let (portal, known) = (&health.view, Coverage::of(health));
    html! {
        strong { (portal.name) } ": "
        @if known.all == 0 { "no folder is known" }
        @else if known.counted == known.all { (things(known.all, "folder, counted", "folders, all counted")) }
        @else { (known.counted) " of " (things(known.all, "folder", "folders")) " counted" }
        @if let Some(oldest) = known.oldest { "; the oldest count " (time(oldest, As::Ago)) }
        @if let Some(run) = portal.collections.last_run { "; the last collection ended " (time(run.ended, As::Ago)) " and took " (took(run.duration)) }
        @if let Some(next) = portal.collections.next { "; the next one starts " (time(next, As::In)) }
        "."
        @if portal.state_writes.is_none() { span.remark { "Nothing is stored: counters begin at 0 with each start." } }
        @if portal.sorting == SortingState::Refuted { span.remark { "It does not list files by status as it was asked to, so more folders are read in full." } }
        @if let Some(reindex) = &health.reindex {
            span.remark {
                strong { "Reindexing" } ": " (sentence(&reindex.sentence))
                @if let Some(files) = reindex.remaining_files { "; the budget allows " (things(files, "more file", "more files")) }
                "."
            }
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
            @if query.sort != Sort::default() { input type="hidden" name="sort" value=(query.sort.as_str()); }
            @if !query.error.is_empty() {
                label { "Error class" input type="search" name="error" value=(query.error); }
            }
            button { "Show" }
            @if *query != Query::default() { a href="./" { "All, trouble first" } }
        }
    }
}

fn found(rows: &Rows<'_, '_>, all: usize) -> String {
    let folders = things(rows.total as u64, "folder", "folders");
    match (rows.total, rows.pages) {
        (0, _) if all == 0 => "No folder is known.".to_owned(),
        (0, _) => "No folder matches.".to_owned(),
        (_, 1) => folders,
        _ => format!("{folders}, page {} of {}", rows.page, rows.pages),
    }
}

fn table(rows: &Rows<'_, '_>, pages: &Pages<'_>, query: &Query) -> Markup {
    let order = |sort| match sort {
        Sort::Name => "ascending",
        _ => "descending",
    };
    let by = |sort| Query {
        sort,
        page: 1,
        ..query.clone()
    };
    let heads = html! {
        @for ((title, class), sort) in COLUMNS {
            th class=(class) scope="col" aria-sort=[(sort == query.sort).then(|| order(sort))] {
                a href=(by(sort)) { (title) }
            }
        }
    };
    let has_portals = pages.health.portals.len() > 1;
    let folders = rows.shown.iter();
    let folders = folders.map(|row| folder(row, pages.now.wall, has_portals));
    table_below(
        "Folders",
        &heads,
        COLUMNS.map(|(column, _)| column),
        folders,
    )
}

fn folder(row: &Row<'_>, now: Timestamp, has_portals: bool) -> [Markup; 7] {
    let hour = Series::step(now).saturating_sub(Series::HOUR);
    let status = |status: Status, series: &Series| {
        let grown = series.grown_since(hour);
        html! {
            @if row.counts.is_some() {
                @if grown != 0 { small title="in the last hour" { (change(grown)) } " " }
                span data-status=(status.as_str()) { (number(row.files(&[status]))) }
            } @else { "–" }
        }
    };
    let name = html! {
        a href=(folder_path(&row.portal.name, row.folder.id)) { (row.name) }
        @if has_portals { span.quiet { " " (row.portal.name) } }
        (finding::of_row(row))
    };
    [
        name,
        status(Status::Failed, &row.folder.day.failed),
        status(Status::Flagged, &row.folder.day.flagged),
        html! { @if row.counts.is_some() { (number(row.files(&WAITING))) } @else { "–" } },
        html! { @if let Some(oldest) = row.oldest { (time(oldest, As::For)) } @else { "–" } },
        html! { @if row.entered > 0 { (number(row.entered.unsigned_abs())) } @else { "none" } },
        html! { @if let Some(at) = row.folder.last_success() { (time(at, As::Ago)) } @else { "never" } },
    ]
}

fn turning(rows: &Rows<'_, '_>, query: &Query) -> Markup {
    let at = |page| Query {
        page,
        ..query.clone()
    };
    html! {
        @if rows.pages > 1 {
            nav.pages aria-label="Pages of the table" {
                @if rows.page > 1 { a href=(at(rows.page - 1)) rel="prev" { "Previous " (PAGE) } }
                @if rows.page < rows.pages { a href=(at(rows.page + 1)) rel="next" { "Next " (PAGE) } }
            }
        }
    }
}
