//! The table of what fails.

use maud::{Markup, html};

use crate::http::page::table;
use crate::model::Status;
use crate::snapshot::ErrorClass;

/// What fails, since when, and what it looks like.
pub(super) fn section(errors: &[ErrorClass]) -> Markup {
    let heads = "Class|#failed|#flagged|#folders|first seen|last seen|example";
    let row = |error: &ErrorClass| {
        html! {
            td.name { (error.class) }
            td.n { (error.files[Status::Failed]) }
            td.n { (error.files[Status::Flagged]) }
            td.n { (error.folders) }
            td.time { @if let Some(known) = &error.known { (known.first_seen) } }
            td.time { @if let Some(known) = &error.known { (known.last_seen) } }
            td.name { @if let Some(example) = &error.example { (example) } }
        }
    };
    html! { h3 { "Errors" } (table(heads, errors.iter().map(row))) }
}
