//! The page of errors: every class over all folders, the largest first, and what a retry helps.

use std::collections::HashMap;

use maud::{Markup, html};

use crate::classify::Class;
use crate::http::page::Pages;
use crate::http::page::layout::{As, change, number, table, things, time};
use crate::http::page::query::Query;
use crate::http::page::row::Coverage;
use crate::model::Status;
use crate::policy::{ClassRecord, class_records};
use crate::snapshot::{ErrorClass, PortalView};

const HEADS: [(&str, &str); 8] = [
    ("Class", ""),
    ("Failed", "n"),
    ("Flagged", "n"),
    ("In 1 h", "n"),
    ("In 24 h", "n"),
    ("Folders", "n folders"),
    ("A retry", ""),
    ("Example", ""),
];

pub(super) fn content(pages: &Pages<'_>) -> Markup {
    html! {
        div #errors data-part {
            h1 { "Errors" }
            p.quiet { "Failed and flagged files by error class, over all folders. If one class is by far the largest, look for a single cause." }
            @for health in &pages.health.portals {
                @let portal = &health.view;
                @if pages.health.portals.len() > 1 { h2 { "Portal " (portal.name) } }
                @let known = Coverage::of(portal, &pages.rows);
                p {
                    @if known.shown == 0 { "Not known yet or any more" } @else { "Known of " (known.shown) " of " (things(known.all as u64, "folder", "folders")) }
                    @if let Some(oldest) = known.oldest { "; the oldest count " (time(oldest, As::Ago)) }
                    @if let Some(since) = portal.list.failing_since() { "; the portal cannot be read since " (time(since, As::Clock)) }
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
    let ledger = pages.ledger(&portal.name);
    let cooldown = portal.reindex.rules.cooldown;
    let records = ledger.map(|ledger| class_records(ledger, cooldown, pages.now.wall));
    let records = records.into_iter().flatten();
    let records = records
        .map(|record| (record.class.clone(), record))
        .collect();
    let rows = classes.iter();
    let rows = rows.map(|error| row(error, portal.name.as_str(), &records));
    table("Error classes", &HEADS, rows)
}

fn row(error: &ErrorClass, portal: &str, records: &HashMap<Class, ClassRecord>) -> Markup {
    let grown = |growth: Option<i64>| growth.map_or_else(|| "–".to_owned(), change);
    let growth = error.growth;
    html! {
        th.name scope="row" {
            a href=(Query::of_error(portal, error.class.as_str())) { (error.class) }
            @if let Some(known) = &error.known { span.why { "first seen by this exporter " (time(known.first_seen, As::Clock)) } }
        }
        td.n data-label="Failed" { (number(error.files[Status::Failed])) }
        td.n data-label="Flagged" { (number(error.files[Status::Flagged])) }
        td.n data-label="In 1 h" { (grown(growth.map(|growth| growth.hour))) }
        td.n data-label="In 24 h" { (grown(growth.map(|growth| growth.day))) }
        td.n.folders data-label="Folders" { (number(error.folders as u64)) }
        td.name data-label="A retry" {
            @match records.get(&error.class) {
                None => "was not tried",
                Some(record) => {
                    (record.a_retry()) ": " (number(record.files.recovered)) " of "
                    (number(record.files.recovered + record.files.refailed)) " recovered"
                    @let (back, newest) = record.newest;
                    @if newest > 0 { ", " (back) " of the newest " (newest) }
                    @if let Some(until) = record.paused_until { "; pauses until " (time(until, As::Clock)) }
                }
            }
        }
        td.name data-label="Example" { @if let Some(example) = &error.example { (example) } }
    }
}
