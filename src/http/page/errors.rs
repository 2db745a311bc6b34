//! The page of errors: every class over all folders, and what a retry helps.

use maud::{Markup, html};

use crate::clock::Moment;
use crate::health::Health;
use crate::http::page::classes;
use crate::http::page::layout::{table, time};
use crate::model::Status;
use crate::snapshot::{ErrorClass, Snapshot};

pub(super) fn content(snapshot: &Snapshot, health: &Health, now: Moment) -> Markup {
    html! {
        h1 { "Errors" }
        p { "Failed and flagged files by error class, over all folders. If one class is by far the largest, look for a single cause." }
        @for (portal, health) in snapshot.portals.iter().zip(&health.portals) {
            h2 { "Portal " (portal.name) }
            @if health.errors.is_empty() {
                p { "No failed or flagged file." }
            } @else {
                (table("Error classes", &HEADS, health.errors.iter().map(row)))
            }
            @let reindex = snapshot.reindex.get(&portal.name);
            @if let Some(ledger) = reindex.and_then(|view| view.ledger.as_deref().ok()) {
                (classes::section(ledger, now.wall))
            }
        }
    }
}

const HEADS: [(&str, &str); 7] = [
    ("Class", ""),
    ("Failed", "n"),
    ("Flagged", "n"),
    ("Folders", "n"),
    ("First seen", "wide"),
    ("Last seen", "wide"),
    ("Example", ""),
];

fn row(error: &ErrorClass) -> Markup {
    html! {
        th.name scope="row" { (error.class) }
        td.n { (error.files[Status::Failed]) }
        td.n { (error.files[Status::Flagged]) }
        td.n { (error.folders) }
        td.wide { @if let Some(known) = &error.known { (time(known.first_seen)) } }
        td.wide { @if let Some(known) = &error.known { (time(known.last_seen)) } }
        td.name { @if let Some(example) = &error.example { (example) } }
    }
}
