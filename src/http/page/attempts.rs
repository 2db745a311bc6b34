//! The last attempts at reindexing a folder.

use maud::{Markup, html};

use crate::attempts::{Attempt, FileState, LedgerView};
use crate::http::page::layout::{As, number, table, time};
use crate::model::{FolderId, Outcome};

/// Rows of the table, at most.
const MAX_ROWS: usize = 10;

const HEADS: [(&str, &str); 6] = [
    ("Time", ""),
    ("Result", ""),
    ("Files", "n"),
    ("Recovered", "n"),
    ("Failed again", "n"),
    ("Verdict", ""),
];

/// A table of the last attempts in a folder, the newest first.
pub(super) fn last(ledger: &LedgerView, folder: FolderId) -> Markup {
    let mut attempts = ledger.track().of_folder(folder).take(MAX_ROWS).peekable();
    html! {
        @if attempts.peek().is_none() {
            p.quiet { "No attempt was made in this folder." }
        } @else {
            h2 { "Last attempts" }
            (table("Last attempts", &HEADS, attempts.map(|attempt| row(attempt))))
        }
    }
}

fn row(attempt: &Attempt) -> Markup {
    let files = attempt.file_states();
    html! {
            th scope="row" { (time(attempt.intended, As::Clock)) }
            td data-label="Result" { (result(attempt)) }
            td.n data-label="Files" { (number(attempt.files)) }
            td.n data-label="Recovered" { (files.of(FileState::Done)) }
            td.n data-label="Failed again" { (files.of(FileState::Refailed)) }
            td data-label="Verdict" {
                @match attempt.judged {
                    Some(judged) => (judged.verdict.as_str()),
                    None if attempt.is_unjudged() => "not yet",
                    None => "–",
                }
            }
    }
}

fn result(attempt: &Attempt) -> String {
    match attempt.outcome.map(|(_, outcome)| outcome) {
        None => "under way".to_owned(),
        Some(Outcome::NotSent) => "stopped, nothing was sent".to_owned(),
        Some(Outcome::Accepted { updated }) => format!("accepted, {updated} files requeued"),
        Some(Outcome::Refused { status, .. }) => format!("refused with status {status}"),
        Some(Outcome::Unknown { .. }) => "unknown, no usable answer".to_owned(),
    }
}
