//! The entries of the ledger in each output format.

use anyhow::Result;
use serde::Serialize;

use crate::attempts::{Attempt, FileState};
use crate::cli::output;
use crate::cli::table::{Table, known};
use crate::model::{Lost, Outcome};
use crate::store::ledger::Entry;

/// Writes the document, the newest attempt first.
pub(super) fn json(entries: &[Entry]) -> Result<String> {
    let rows: Vec<_> = entries.iter().map(Row::of).collect();
    output::json("attempts", &rows)
}

/// Writes the table: a row for each attempt.
pub(super) fn table(entries: &[Entry], width: Option<u16>) -> Table {
    let mut table = Table::unwrapped("#attempt, =time, portal, folder, result", width);
    for row in entries.iter().map(Row::of) {
        let folder = row.folder.unwrap_or(&row.folder_id);
        table.add(&[&row.id, &row.time, &row.portal, &folder, &row.in_words()]);
    }
    table
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    /// Its number; a later attempt has a greater one.
    id: i64,
    time: String,
    portal: &'a str,
    folder_id: String,
    /// The folder's name at its last attempt.
    folder: Option<&'a str>,
    /// The result of the request: `accepted`, `refused` or `unknown` as in `kb_reindex_attempts_total`, or `not_sent` or `under_way`.
    result: &'static str,
    /// Why that is so, for people.
    reason: Option<String>,
    /// When the portal answered, or the exporter stopped waiting.
    answered: Option<String>,
    /// Failed files of the folder as last seen before it.
    files: u64,
    /// Files that the budget is charged for.
    charged: u64,
    /// How many files the portal requeued, as it reports.
    requeued: Option<u64>,
    /// The verdict: the label `outcome` of `kb_reindex_outcomes_total`.
    outcome: Option<&'static str>,
    judged: Option<String>,
    // Files by state; nothing, if none was sent.
    files_recovered: Option<u64>,
    files_refailed: Option<u64>,
    files_flagged: Option<u64>,
    /// Still waiting or being processed, or not seen since.
    files_waiting: Option<u64>,
    /// Deleted or replaced since.
    files_gone: Option<u64>,
}

impl<'a> Row<'a> {
    fn of(entry: &'a Entry) -> Self {
        let attempt = &*entry.attempt;
        let outcome = attempt.outcome;
        let judged = attempt.judged;
        let (result, reason) = result(attempt);
        let sent = attempt.is_unjudged() || judged.is_some();
        let states = attempt.file_states();
        let files = |state| sent.then(|| states.of(state));
        Self {
            id: attempt.id.get(),
            time: attempt.intended.to_string(),
            portal: attempt.portal.as_str(),
            folder_id: attempt.folder.to_string(),
            folder: Some(entry.name.label()).filter(|name| !name.is_empty()),
            result,
            reason,
            answered: outcome.map(|(at, _)| at.to_string()),
            files: attempt.files,
            charged: attempt.charge(),
            requeued: match outcome {
                Some((_, Outcome::Accepted { updated })) => Some(updated),
                _ => None,
            },
            outcome: judged.map(|judged| judged.verdict.as_str()),
            judged: judged.map(|judged| judged.at.to_string()),
            files_recovered: files(FileState::Done),
            files_refailed: files(FileState::Refailed),
            files_flagged: files(FileState::Flagged),
            files_waiting: sent.then(|| states.unsettled()),
            files_gone: files(FileState::Gone),
        }
    }

    /// The attempt and its outcome.
    fn in_words(&self) -> String {
        let reason = known(self.reason.as_ref().map(|reason| format!(" ({reason})")));
        let files = match self.requeued {
            Some(requeued) => format!("{requeued} requeued"),
            None => format!("{} files", self.files),
        };
        let verdict = known(self.outcome.map(|outcome| format!("; {outcome}")));
        let result = self.result.replace('_', " ");
        let mut parts = vec![format!("{result}{reason}, {files}{verdict}")];
        for (files, state) in [
            (self.files_recovered, "recovered"),
            (self.files_refailed, "refailed"),
            (self.files_flagged, "flagged"),
            (self.files_waiting, "waiting"),
        ] {
            let some = files.filter(|files| *files > 0);
            parts.extend(some.map(|files| format!("{files} {state}")));
        }
        parts.join(", ")
    }
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
        Lost::Status(status) => format!("status {status}"),
        Lost::Unreadable => "no valid number of files".to_owned(),
        Lost::Interrupted => "the exporter ended before the answer".to_owned(),
    }
}
