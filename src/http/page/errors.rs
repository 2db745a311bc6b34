//! The page of errors: every class over all folders, the largest first.

use maud::{Markup, html};

use crate::http::page::Pages;
use crate::http::page::layout::{As, Column, change, number, table, time};
use crate::http::page::overview::known;
use crate::http::page::query::Query;
use crate::model::Status;
use crate::snapshot::{ErrorClass, PortalView};

const COLUMNS: [Column; 7] = [
    ("Class", "name"),
    ("Failed", "n"),
    ("Flagged", "n"),
    ("In 1 h", "n"),
    ("In 24 h", "n"),
    ("Folders", "n folders"),
    ("Example", "name"),
];

pub(super) fn content(pages: &Pages<'_>) -> Markup {
    html! {
        div #errors data-part {
            h1 { "Errors" }
            p.quiet { "Failed and flagged files by error class, over all folders. If one class is by far the largest, look for a single cause." }
            @for health in &pages.health.portals {
                @let portal = &health.view;
                @if pages.health.portals.len() > 1 { h2 { "Portal " (portal.name) } }
                p {
                    "Known: " (known(health))
                    @if let Some(failure) = &portal.list.failure { "; the portal cannot be read since " (time(failure.since, As::Clock)) }
                    ". " a href="./" { "The overview says more." }
                }
                @if !health.errors.is_empty() { (classes(portal, &health.errors)) }
                @else if health.is_complete() { p { "No failed or flagged file." } }
            }
        }
    }
}

/// What is known of some classes.
pub(super) fn classes(portal: &PortalView, classes: &[ErrorClass]) -> Markup {
    let rows = classes.iter().map(|error| row(error, portal.name.as_str()));
    table("Error classes", COLUMNS, rows)
}

fn row(error: &ErrorClass, portal: &str) -> [Markup; 7] {
    let folders = Query {
        portal: portal.to_owned(),
        error: error.class.to_string(),
        ..Query::default()
    };
    let class = html! {
        a href=(folders) { (error.class) }
        @if let Some(known) = &error.known { span.why { "first seen by this exporter " (time(known.first_seen, As::Clock)) } }
    };
    let grown = |growth: Option<i64>| html! { (growth.map_or_else(|| "–".to_owned(), change)) };
    [
        class,
        html! { (number(error.files[Status::Failed])) },
        html! { (number(error.files[Status::Flagged])) },
        grown(error.growth.map(|growth| growth.hour)),
        grown(error.growth.map(|growth| growth.day)),
        html! { (number(error.folders as u64)) },
        html! { (error.example.as_deref().unwrap_or_default()) },
    ]
}
