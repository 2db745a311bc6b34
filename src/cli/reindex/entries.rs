//! The entries of the ledger in each output format.

use std::sync::Arc;

use anyhow::Result;
use serde_json::{Value, json};

use crate::attempts::{Attempt, FileState};
use crate::cli::output;
use crate::cli::table::{Table, known};
use crate::model::{Lost, Outcome};

/// Writes the document, the newest attempt first.
pub(super) fn json(attempts: &[Arc<Attempt>]) -> Result<String> {
    let rows = attempts.iter().map(|attempt| document(attempt));
    output::document(&json!({ "attempts": rows.collect::<Value>() }))
}

/// Writes the table: a row for each attempt.
pub(super) fn table(attempts: &[Arc<Attempt>], width: Option<u16>) -> Table {
    let mut table = Table::new("#attempt, =time, =portal, =folder, =result", width);
    for attempt in attempts {
        let (id, time, portal) = (attempt.id.get(), attempt.intended, &attempt.portal);
        let folder = name(attempt).map_or_else(|| attempt.folder.to_string(), str::to_owned);
        table.add(&[&id, &time, portal, &folder, &in_words(attempt)]);
    }
    table
}

/// The folder's name then.
fn name(attempt: &Attempt) -> Option<&str> {
    Some(attempt.name.label()).filter(|name| !name.is_empty())
}

/// Fields may be added, but not renamed or removed.
fn document(attempt: &Attempt) -> Value {
    let (outcome, judged) = (attempt.outcome, attempt.judged);
    let (result, reason) = result(attempt);
    let sent = attempt.is_unjudged() || judged.is_some();
    let states = attempt.file_states();
    let files = |state| sent.then(|| states.of(state));
    json!({
        // Its number; a later attempt has a greater one.
        "id": attempt.id.get(),
        "time": attempt.intended.to_string(),
        "portal": attempt.portal.as_str(),
        "folder_id": attempt.folder.to_string(),
        "folder": name(attempt),
        // As in `kb_reindex_attempts_total`, or `not_sent` or `under_way`; and why that is so, for people.
        "result": result,
        "reason": reason,
        // When the portal answered, or the exporter stopped waiting.
        "answered": outcome.map(|(at, _)| at.to_string()),
        // Failed files of the folder as last seen before it, files that the budget is charged for, and those that the portal requeued.
        "files": attempt.files,
        "charged": attempt.charge(),
        "requeued": requeued(attempt),
        // The label `outcome` of `kb_reindex_outcomes_total`.
        "outcome": judged.map(|judged| judged.verdict.as_str()),
        "judged": judged.map(|judged| judged.at.to_string()),
        // Files by state; nothing, if none was sent. `files_waiting`: also being processed, or not seen since. `files_gone`: also replaced.
        "files_recovered": files(FileState::Done),
        "files_refailed": files(FileState::Refailed),
        "files_flagged": files(FileState::Flagged),
        "files_waiting": sent.then(|| states.unsettled()),
        "files_gone": files(FileState::Gone),
    })
}

const fn requeued(attempt: &Attempt) -> Option<u64> {
    match attempt.outcome {
        Some((_, Outcome::Accepted { updated })) => Some(updated),
        _ => None,
    }
}

/// The attempt and its outcome.
fn in_words(attempt: &Attempt) -> String {
    let (result, reason) = result(attempt);
    let result = result.replace('_', " ");
    let reason = known(reason.map(|reason| format!(" ({reason})")));
    let files = match requeued(attempt) {
        Some(requeued) => format!("{requeued} requeued"),
        None => format!("{} files", attempt.files),
    };
    let verdict = attempt.judged.map(|judged| judged.verdict.as_str());
    let verdict = known(verdict.map(|verdict| format!("; {verdict}")));
    let mut parts = vec![format!("{result}{reason}, {files}{verdict}")];
    let states = attempt.file_states();
    for (files, state) in [
        (states.of(FileState::Done), "recovered"),
        (states.of(FileState::Refailed), "refailed"),
        (states.of(FileState::Flagged), "flagged"),
        (states.unsettled(), "waiting"),
    ] {
        if files > 0 {
            parts.push(format!("{files} {state}"));
        }
    }
    parts.join(", ")
}

fn result(attempt: &Attempt) -> (&'static str, Option<String>) {
    match attempt.outcome.map(|(_, outcome)| outcome) {
        None => ("under_way", None),
        Some(Outcome::NotSent) => ("not_sent", None),
        Some(Outcome::Accepted { .. }) => ("accepted", None),
        Some(Outcome::Refused { status, .. }) => ("refused", Some(format!("status {status}"))),
        Some(Outcome::Unknown { why }) => ("unknown", Some(reason(why))),
    }
}

fn reason(why: Lost) -> String {
    match why {
        Lost::NoAnswer => "no answer".to_owned(),
        Lost::Status { status, .. } => format!("status {status}"),
        Lost::Unreadable => "no valid number of files".to_owned(),
        Lost::Interrupted => "the exporter ended before the answer".to_owned(),
    }
}
