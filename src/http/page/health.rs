//! The page of health, for people: what `/health` says of portals and folders.

use maud::{Markup, html};

use crate::health::{PortalHealth, Reading, Status};
use crate::http::page::layout::{As, State, number, table, time};
use crate::http::page::row::Row;
use crate::http::page::{Pages, folder_path, folders};
use crate::snapshot::{SortingState, Writes};

/// Rows of the table, at most; the others are only counted.
const MAX_ROWS: usize = 100;

pub(super) fn content(pages: &Pages<'_>) -> Markup {
    let rows = || pages.rows.iter();
    let others: Vec<_> = rows()
        .filter(|row| row.health.status != Status::Pass || row.health.reading != Reading::Counted)
        .collect();
    let heads = [("Folder", ""), ("State", ""), ("Last count", "")];
    html! {
        div #health data-part {
            h1 { "Health: " (status(pages.health.status)) }
            p { "Whether portals and folders can be read, whatever their files are like. " a href="health" { "The same as JSON" } "." }
            @for portal in &pages.health.portals {
                h2 { "Portal " (portal.view.name) ": " (status(portal.status)) }
                p { (folders::portal_line(portal, &pages.rows)) }
                (facts(portal))
            }
            @if !others.is_empty() { (table("Folders", &heads, others.iter().take(MAX_ROWS).map(|row| folder(row)))) }
            @if others.len() > MAX_ROWS { p { (others.len() - MAX_ROWS) " more." } }
        }
    }
}

fn status(status: Status) -> Markup {
    let (state, word) = match status {
        Status::Pass => (State::Well, "pass"),
        Status::Warn => (State::Warn, "warn"),
        Status::Fail => (State::Fail, "fail"),
    };
    html! { span class={ "word " (state.class()) } { (word) } }
}

fn facts(health: &PortalHealth) -> Markup {
    let portal = &health.view;
    html! {
        dl {
            @if let Some(since) = portal.list.failing_since() { dt { "Not read since" } dd { (time(since, As::Clock)) ", " (time(since, As::Ago)) @if let Some(failure) = portal.list.failure() { ": " (failure) } } }
            @if let Some(facts) = portal.list.facts() { dt { "Folders of the key" } dd { (number(facts.folders as u64)) } }
            @if let Some(run) = portal.collections.last_run { dt { "Last collection" } dd { (run.result.as_str()) ", ended " (time(run.ended, As::Ago)) } }
            @if let Some(at) = portal.collections.last_success { dt { "Last whole one" } dd { (time(at, As::Ago)) } }
            dt { "Sorting" } dd { (sorting(portal.sorting)) }
            dt { "State" } dd {
                @match &portal.state_writes { Writes::Off => "nothing is stored", Writes::Succeed => "stored", Writes::Refused(why) => (why) }
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

fn folder(row: &Row<'_>) -> Markup {
    html! {
        th.name scope="row" { a href=(folder_path(&row.portal.name, row.folder.id)) { (row.name()) } }
        td data-label="State" {
            (folders::chips(row))
            @if let (Reading::Counted, Some(message)) = (row.health.reading, &row.health.message) { (message) }
        }
        td data-label="Last count" { @if let Some(at) = row.folder.last_success { (time(at, As::Ago)) } @else { "never" } }
    }
}
