//! The table of what fails.

use maud::{Markup, html};

use crate::model::Status;
use crate::snapshot::ErrorClass;

/// What fails, since when, and what it looks like.
pub(super) fn table(errors: &[ErrorClass]) -> Markup {
    html! {
        h3 { "Errors" }
        table {
            thead {
                tr {
                    th { "Class" } th.n { "failed" } th.n { "flagged" } th.n { "folders" }
                    th { "first seen" } th { "last seen" } th { "example" }
                }
            }
            tbody {
                @for error in errors {
                    tr {
                        td.name { (error.class) }
                        td.n { (error.files[Status::Failed]) }
                        td.n { (error.files[Status::Flagged]) }
                        td.n { (error.folders) }
                        td.time { @if let Some(known) = &error.known { (known.first_seen) } }
                        td.time { @if let Some(known) = &error.known { (known.last_seen) } }
                        td.name { @if let Some(example) = &error.example { (example) } }
                    }
                }
            }
        }
    }
}
