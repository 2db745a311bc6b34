//! The overview: what is wrong, the numbers, what is being done, and the folders, those with trouble first.

use maud::{Markup, html};

use crate::health::PortalHealth;
use crate::http::page::finding::{self, Findings};
use crate::http::page::layout::{
    As, change, number, sentence, share, table_with, things, time, took,
};
use crate::http::page::query::{PAGE, Query, Sort};
use crate::http::page::row::{Coverage, Row, Rows};
use crate::http::page::{Pages, folder_path, numbers};
use crate::model::{Series, Status, Timestamp};
use crate::snapshot::{SortingState, Writes};

/// The heads of the table: the order that each chooses, and the class of its column.
const HEADS: [(&str, Sort, &str); 7] = [
    ("Folder", Sort::Name, ""),
    ("Failed", Sort::Failed, "n"),
    ("Flagged", Sort::Flagged, "n"),
    ("Waiting", Sort::Waiting, "n"),
    ("Longest wait", Sort::Oldest, "n"),
    ("New in 24 h", Sort::New, "n"),
    ("Counted", Sort::Age, "n"),
];

pub(super) fn content(pages: &Pages<'_>, findings: &Findings<'_>, query: &Query) -> Markup {
    let rows = Rows::find(&pages.rows, query);
    let portals = &pages.health.portals;
    let has_portals = portals.len() > 1;
    html! {
        div #verdict data-part { (findings.content()) }
        div #numbers data-part {
            (numbers::content(&pages.rows, pages.now.wall))
            ul.portals { @for portal in portals { li { (portal_line(portal, &pages.rows)) } } }
        }
        (form(pages, query))
        div #folders data-part {
            p.quiet { (found(&rows, pages.rows.len())) }
            (table(&rows, query, pages.now.wall, has_portals))
            (turning(&rows, query))
        }
    }
}

/// How current the numbers of a portal are, and what is being done.
fn portal_line(health: &PortalHealth, rows: &[Row<'_>]) -> Markup {
    let portal = &health.view;
    let known = Coverage::of(portal, rows);
    let (all, run) = (known.all as u64, portal.collections.last_run);
    html! {
        strong { (portal.name) } ": "
        @match known.counted {
            _ if known.all == 0 => "no folder is known",
            counted if counted == known.all => (things(all, "folder, counted", "folders, all counted")),
            counted => { (counted) " of " (things(all, "folder", "folders")) " counted" }
        }
        @if let Some(oldest) = known.oldest { "; the oldest count " (time(oldest, As::Ago)) }
        @if let Some(run) = run { "; the last collection ended " (time(run.ended, As::Ago)) " and took " (took(run.duration)) }
        @if let Some(next) = portal.collections.next { "; the next one starts " (time(next, As::In)) }
        "."
        @match &portal.state_writes {
            Writes::Off => span.remark { "Nothing is stored: counters begin at 0 with each start." },
            Writes::Succeed | Writes::Refused(_) => {},
        }
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

fn table(rows: &Rows<'_, '_>, query: &Query, now: Timestamp, has_portals: bool) -> Markup {
    let order = |sort| match sort {
        Sort::Name => "ascending",
        _ => "descending",
    };
    let heads = html! {
        @for (title, sort, class) in HEADS {
            th class=(class) scope="col" aria-sort=[(sort == query.sort).then(|| order(sort))] {
                a href=(query.sorted(sort)) { (title) }
            }
        }
    };
    let folders = rows.shown.iter();
    let folders = folders.map(|row| folder(row, now, has_portals));
    table_with("Folders", &heads, folders)
}

fn folder(row: &Row<'_>, now: Timestamp, has_portals: bool) -> Markup {
    let hour = Series::step(now).saturating_sub(Series::HOUR);
    let status = |status: Status, series: &Series| {
        let grown = series.grown_since(hour);
        html! {
            @match row.counts {
                None => "–",
                Some(counts) => {
                    @if grown != 0 { small title="in the last hour" { (change(grown)) } " " }
                    span.count { (number(counts.files[status])) }
                }
            }
        }
    };
    let files = row.counts.map(|counts| counts.files.total());
    let of_all = files.map(|all| {
        format!(
            "{} of {} failed",
            share(row.files(Status::Failed), all),
            things(all, "file", "files")
        )
    });
    html! {
        th.name scope="row" {
            a href=(folder_path(&row.portal.name, row.folder.id)) title=[of_all] { (row.name()) }
            @if has_portals { span.quiet { " " (row.portal.name) } }
            (finding::of_row(row))
        }
        td.n data-label="Failed" data-status="failed" { (status(Status::Failed, &row.folder.day.failed)) }
        td.n data-label="Flagged" data-status="flagged" { (status(Status::Flagged, &row.folder.day.flagged)) }
        td.n data-label="Waiting" { @if row.counts.is_some() { (number(row.waiting())) } @else { "–" } }
        td.n data-label="Longest wait" { @if let Some(oldest) = row.oldest { (time(oldest, As::For)) } @else { "–" } }
        td.n data-label="New in 24 h" { @if row.entered > 0 { (number(row.entered.unsigned_abs())) } @else { "none" } }
        td.n data-label="Counted" { @if let Some(at) = row.folder.last_success { (time(at, As::Ago)) } @else { "never" } }
    }
}

fn turning(rows: &Rows<'_, '_>, query: &Query) -> Markup {
    html! {
        @if rows.pages > 1 {
            nav.pages aria-label="Pages of the table" {
                @if rows.page > 1 { a href=(query.at(rows.page - 1)) rel="prev" { "Previous " (PAGE) } }
                @if rows.page < rows.pages { a href=(query.at(rows.page + 1)) rel="next" { "Next " (PAGE) } }
            }
        }
    }
}
