//! The last attempts at reindexing a folder.

use maud::{Markup, html};

use crate::http::page::layout::{table, time};
use crate::ledger::{ActiveMode, Attempt, FileState, LedgerView, Outcome};
use crate::model::FolderId;

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
    let tracks = ActiveMode::ALL.iter().map(|mode| ledger.track(*mode));
    let mut attempts: Vec<_> = tracks.flat_map(|track| track.of_folder(folder)).collect();
    attempts.sort_by_key(|attempt| std::cmp::Reverse(attempt.id));
    html! {
        @if attempts.is_empty() {
            p { "No attempt was made in this folder." }
        } @else {
            h3 { "Last attempts" }
            (table("Last attempts", &HEADS, attempts.iter().take(MAX_ROWS).map(|attempt| row(attempt))))
        }
    }
}

fn row(attempt: &Attempt) -> Markup {
    let files = attempt.file_states();
    html! {
            th scope="row" { (time(attempt.intended)) }
            td { (result(attempt)) }
            td.n { (attempt.files) }
            td.n { (files.of(FileState::Done)) }
            td.n { (files.of(FileState::Refailed)) }
            td {
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
        None if attempt.mode == ActiveMode::DryRun => "dry run, nothing was sent".to_owned(),
        None => "under way".to_owned(),
        Some(Outcome::Accepted { updated }) => format!("accepted, {updated} files requeued"),
        Some(Outcome::Refused { status, .. }) => format!("refused with status {status}"),
        Some(Outcome::Unknown { .. }) => "unknown, no usable answer".to_owned(),
    }
}
