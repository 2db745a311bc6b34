//! The page of errors: every class over all folders, the largest first, and what a retry helps.

use maud::{Markup, html};

use crate::http::page::Pages;
use crate::http::page::layout::{As, Column, change, number, table, things, time};
use crate::http::page::query::Query;
use crate::http::page::row::Coverage;
use crate::model::Status;
use crate::policy::{ClassRecord, class_records};
use crate::snapshot::{ErrorClass, PortalView};

const COLUMNS: [Column; 8] = [
    ("Class", "name"),
    ("Failed", "n"),
    ("Flagged", "n"),
    ("In 1 h", "n"),
    ("In 24 h", "n"),
    ("Folders", "n folders"),
    ("A retry", "name"),
    ("Example", "name"),
];

pub(super) fn content(pages: &Pages<'_>) -> Markup {
    html! {
        div #errors data-part {
            h1 { "Errors" }
            p.quiet { "Failed and flagged files by error class, over all folders. If one class is by far the largest, look for a single cause." }
            @for health in &pages.health.portals {
                @let (portal, known) = (&health.view, Coverage::of(health));
                @if pages.health.portals.len() > 1 { h2 { "Portal " (portal.name) } }
                p {
                    @if known.shown == 0 { "Not known yet or any more" } @else { "Known of " (known.shown) " of " (things(known.all, "folder", "folders")) }
                    @if let Some(oldest) = known.oldest { "; the oldest count " (time(oldest, As::Ago)) }
                    @if let Some(failure) = &portal.list.failure { "; the portal cannot be read since " (time(failure.since, As::Clock)) }
                    ". " a href="./" { "The overview says more." }
                }
                @if !health.errors.is_empty() {
                    (classes(pages, portal, &health.errors))
                } @else if known.all > 0 && known.shown == known.all {
                    p { "No failed or flagged file." }
                }
            }
        }
    }
}

/// What is known of some classes, and what the ledger knows of their retries.
pub(super) fn classes(pages: &Pages<'_>, portal: &PortalView, classes: &[ErrorClass]) -> Markup {
    let cooldown = portal.reindex.rules.cooldown;
    let ledger = pages.ledger(&portal.name);
    let records = ledger.map(|ledger| class_records(ledger, cooldown, pages.now.wall));
    let records = records.unwrap_or_default();
    let rows = classes.iter().map(|error| {
        let mut records = records.iter();
        let record = records.find(|record| record.class == error.class);
        row(error, portal.name.as_str(), record)
    });
    table("Error classes", COLUMNS, rows)
}

fn row(error: &ErrorClass, portal: &str, record: Option<&ClassRecord>) -> [Markup; 8] {
    let folders = Query {
        portal: portal.to_owned(),
        error: error.class.to_string(),
        ..Query::default()
    };
    let class = html! {
        a href=(folders) { (error.class) }
        @if let Some(known) = &error.known { span.why { "first seen by this exporter " (time(known.first_seen, As::Clock)) } }
    };
    let files = |status| html! { (number(error.files[status])) };
    let grown = |growth: Option<i64>| html! { (growth.map_or_else(|| "–".to_owned(), change)) };
    [
        class,
        files(Status::Failed),
        files(Status::Flagged),
        grown(error.growth.map(|growth| growth.hour)),
        grown(error.growth.map(|growth| growth.day)),
        html! { (number(error.folders as u64)) },
        record.map_or_else(|| html! { "was not tried" }, retries),
        html! { @if let Some(example) = &error.example { (example) } },
    ]
}

fn retries(record: &ClassRecord) -> Markup {
    let (files, (back, newest)) = (record.files, record.newest);
    html! {
        (record.a_retry()) ": " (number(files.recovered)) " of " (number(files.recovered + files.refailed)) " recovered"
        @if newest > 0 { ", " (back) " of the newest " (newest) }
        @if let Some(until) = record.paused_until { "; pauses until " (time(until, As::Clock)) }
    }
}
